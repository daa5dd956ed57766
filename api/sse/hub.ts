/** The feeds of the service: one a watched run, one for all runs. A feed that nobody watches is kept for a minute. */
import { type FactoryRuns } from '../factory-runs';
import { type RunRoll } from '../run-roll';
import { AllRunsSource } from './all-runs-source';
import { Feed, type Source } from './feed';
import { RunSource } from './run-source';

/** How often a watched run is looked at, and the list of all. */
const RUN_EVERY_MS = 400;
const ALL_EVERY_MS = 1_000;
/** A client that lost its connection is usually back in seconds, and then hears only what it missed. */
const KEPT_MS = 60_000;

const ALL = ' all';

export class Hub {
  private readonly feeds = new Map<string, Feed>();
  private readonly leaving = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
    private readonly onFault: (error: unknown) => void,
  ) {}

  ofRun(run: string): Feed {
    return this.feed(run, RUN_EVERY_MS, () => new RunSource(this.runs.reader, run));
  }

  /** No run is called so: the name begins with a space. */
  ofAll(): Feed {
    return this.feed(ALL, ALL_EVERY_MS, () => new AllRunsSource(this.runs, this.roll));
  }

  /** Send everybody away and forget everything. */
  close(): void {
    for (const timer of this.leaving.values()) clearTimeout(timer);
    this.leaving.clear();
    for (const feed of this.feeds.values()) feed.close();
    this.feeds.clear();
  }

  private feed(name: string, everyMs: number, source: () => Source): Feed {
    const known = this.feeds.get(name);
    if (known) return known;
    const feed = new Feed(source(), everyMs, () => this.release(name), this.onFault);
    this.feeds.set(name, feed);
    // Forgotten in time even if nobody gets in.
    this.release(name);
    return feed;
  }

  private release(name: string): void {
    clearTimeout(this.leaving.get(name));
    const timer = setTimeout(() => {
      this.leaving.delete(name);
      if (this.feeds.get(name)?.watched === false) this.feeds.delete(name);
    }, KEPT_MS);
    timer.unref();
    this.leaving.set(name, timer);
  }
}
