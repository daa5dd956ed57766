/**
 * The bell: agents append to the store from any process, and ring nobody reliably. So whoever holds the store looks, and
 * rings a run's workflow while the store has facts that it has not been told of. A bell carries no truth: one too many does no
 * harm, one too few is rung again.
 */
import { type Client } from '@temporalio/client';
import { listRuns, type Home } from '../src/home';
import { type RunLedger } from '../src/ledger';
import { type Log } from '../src/log';
import { BELL } from '../workflows/messages';

/** How often runs are looked at that agents work on. */
const LOOK_MS = 500;
/** How often new runs are looked for. */
const SEARCH_MS = 5_000;
/** A bell that nobody answered is rung again after so long. */
const AGAIN_MS = 5_000;
/** Temporal may be away; the next look tries again. */
const DEADLINE_MS = 2_000;

export interface BellOptions {
  readonly home: Home;
  readonly ledger: RunLedger;
  readonly client: Client;
  readonly log: Log;
}

export class Bell {
  /** Runs with blocks that agents perform, and when each was last rung for. */
  private readonly watched = new Map<string, number>();
  private readonly over = new Set<string>();
  private readonly poked = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private searched = -Infinity;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: BellOptions) {}

  start(): this {
    this.timer = setInterval(() => this.poke(null), LOOK_MS);
    this.timer.unref();
    return this;
  }

  /** Look now: an agent in this process has changed a run. */
  poke(run: string | null): void {
    if (this.stopped) return;
    const waiting = this.poked.size > 0;
    this.poked.add(run ?? '');
    if (run !== null) this.watched.set(run, -Infinity);
    if (!waiting) this.looking = this.looking.then(() => this.look());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    this.poked.clear();
    try {
      if (performance.now() - this.searched > SEARCH_MS) await this.search();
      for (const [run, rung] of this.watched) {
        if (!this.stopped && performance.now() - rung > AGAIN_MS) await this.ringFor(run);
      }
    } catch (error) {
      this.options.log.write('warn', 'The bell could not look', { error });
    }
  }

  /** Runs that have begun since: most have no agents, and are never looked at again. */
  private async search(): Promise<void> {
    for (const { run } of await listRuns(this.options.home)) {
      if (this.watched.has(run) || this.over.has(run)) continue;
      const standing = await this.options.ledger.standing(run);
      // A start that is under way; or one that is damaged, which others say.
      if (standing.isErr()) continue;
      if (standing.value.plan.blocks.some(({ performer }) => performer === 'agent')) {
        this.watched.set(run, -Infinity);
      } else {
        this.over.add(run);
      }
    }
    this.searched = performance.now();
  }

  private async ringFor(run: string): Promise<void> {
    const { ledger, client, log } = this.options;
    const news = await ledger.hasNews(run);
    if (news.isErr() || !news.value) return;
    this.watched.set(run, performance.now());
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, () => client.workflow.getHandle(run).signal(BELL));
    } catch (error) {
      log.write('debug', 'A run could not be rung for', { run, error });
    }
  }
}
