/** Who drives a run: whether Temporal has an open workflow of it. The state of the run is the ledger's business. */
import { type Client } from '@temporalio/client';
import { readRun, type Home } from '../src/home';
import { callTemporal, isAway } from './temporal-calls';

/** `unknown`: nobody answers, so it may well be open. */
export type Life = 'open' | 'closed' | 'unknown';

/** How old an answer may be that only shows something. */
const FRESH_MS = 1_000;
/** Whoever did not answer is not asked again for so long by those who only show something. */
const AWAY_MS = 5_000;
/** Answers that are remembered, those of the runs asked for last. */
const MAX_RUNS = 5_000;

interface Glance {
  readonly life: Promise<Life>;
  readonly until: number;
}

export class RunLives {
  /** Runs that Temporal does not know yet. */
  readonly starting = new Set<string>();
  private readonly glances = new Map<string, Glance>();
  private awayUntil = 0;

  constructor(
    private readonly home: Home,
    private readonly client: Client,
    /** Of this store: a workflow of another one may have the same id, where a run was copied. */
    private readonly taskQueue: string,
  ) {}

  /** Ask Temporal. */
  async of(run: string): Promise<Life> {
    if (this.starting.has(run)) return 'open';
    const life = await this.ofWorkflow(run);
    if (life !== 'closed') return life;
    // One that a tick has prepared is about to start, as long as the tick lives.
    const tick = readRun(this.home, run).unwrapOr(null)?.tick;
    return tick ? this.ofWorkflow(tick.workflow) : 'closed';
  }

  /** The task queue of another store that has an open workflow under this id; null: none has. */
  async strangerOf(run: string): Promise<string | null> {
    const seen = await callTemporal(this.client, run, () => this.client.workflow.getHandle(run).describe());
    if (seen.isErr() || seen.value.status.name !== 'RUNNING') return null;
    return seen.value.taskQueue === this.taskQueue ? null : seen.value.taskQueue;
  }

  /** As it is now, or was a moment ago. */
  async glance(run: string): Promise<Life> {
    const now = performance.now();
    const known = this.glances.get(run);
    if (known && now < known.until) return known.life;
    if (now < this.awayUntil) return 'unknown';
    const life = this.of(run);
    this.glances.delete(run);
    this.glances.set(run, { life, until: now + FRESH_MS });
    const [oldest] = this.glances.keys();
    if (this.glances.size > MAX_RUNS && oldest !== undefined) this.glances.delete(oldest);
    return life;
  }

  /** What was found out about a run is over. */
  forget(run: string): void {
    this.glances.delete(run);
  }

  /** The same of one workflow by its id. */
  async ofWorkflow(workflow: string): Promise<Life> {
    const seen = await callTemporal(this.client, workflow, () =>
      this.client.workflow.getHandle(workflow).describe(),
    );
    if (seen.isOk()) {
      const { status, taskQueue } = seen.value;
      return status.name === 'RUNNING' && taskQueue === this.taskQueue ? 'open' : 'closed';
    }
    if (!isAway(seen.error)) return 'closed';
    this.awayUntil = performance.now() + AWAY_MS;
    return 'unknown';
  }
}
