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

/** What clients hear when the service ends; browsers obey it by themselves. */
const COME_BACK = 'retry: 5000\n: the service stops; come back with the id of your last event\n\n';

export class Hub {
  private readonly feeds = new Map<string, Feed>();
  /** Nobody is let in any more. */
  closed = false;
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

  /** The service ends: send everybody away, to come back soon, and forget everything. */
  close(): void {
    this.closed = true;
    for (const timer of this.leaving.values()) clearTimeout(timer);
    this.leaving.clear();
    for (const feed of this.feeds.values()) feed.close(COME_BACK);
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
