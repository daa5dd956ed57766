/** Reading runs: what one was started with, what it is doing, and what a list shows of it. */
import { err, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { cutPlan, type CompiledFactory } from '../src/factory/compile';
import { type WalkPlan } from '../src/factory/plan';
import { type RunState } from '../src/factory/run-state';
import { summarise } from '../src/factory/walk';
import { FactoryShelf, listRuns, readRun, type Home, type RunRecord } from '../src/home';
import { type RunLedger } from '../src/ledger';
import { type RunLives } from './run-lives';
import { RunStates } from './run-states';
import { viewRun, type RunView } from './run-view';

/** What a list shows of a run. */
export interface RunLine {
  readonly run_id: string;
  readonly factory: string;
  /** The run's status; `orphaned` where it is not over and nobody drives it, `unknown` where it cannot be read. */
  readonly status: RunState['status'] | 'orphaned' | 'unknown';
  readonly started_by: string;
  readonly started_at: string;
  readonly done: number | null;
  readonly total: number | null;
  readonly open_gates: readonly string[];
}

/** A run as it was started, without what became of it. */
export interface KnownRun {
  readonly record: RunRecord;
  readonly compiled: CompiledFactory;
  readonly plan: WalkPlan;
}

type Plan = Pick<KnownRun, 'compiled' | 'plan'>;

/** Plans that are remembered; each is cut from its factory once. */
const MAX_PLANS = 100;

export class RunReader {
  private readonly states: RunStates;
  private readonly shelf: FactoryShelf;
  private readonly plans = new Map<string, Plan>();

  constructor(
    private readonly home: Home,
    ledger: Pick<RunLedger, 'standing'>,
    lives: RunLives,
  ) {
    this.states = new RunStates(home, ledger, lives);
    this.shelf = new FactoryShelf(home);
  }

  /** Everything about one run. */
  async read(run: string): Promise<Result<RunView, RailyardError>> {
    const known = this.known(run);
    if (known.isErr()) return err(known.error);
    const { record, compiled, plan } = known.value;
    return (await this.states.look(run)).map((seen) => viewRun(record, compiled, plan, seen));
  }

  /** What a run was started with. Nobody is asked for it. */
  known(run: string): Result<KnownRun, RailyardError> {
    return readRun(this.home, run).andThen((record) =>
      this.planOf(record).map((factory) => ({ record, ...factory })),
    );
  }

  /** The newest runs, with what each is doing. */
  async list(limit: number): Promise<readonly RunLine[]> {
    const records = (await listRuns(this.home)).slice(0, limit);
    return Promise.all(records.map((record) => this.line(record)));
  }

  /** Changes whenever what `read` says may have changed. */
  async revision(run: string): Promise<Result<string, RailyardError>> {
    return (await this.states.look(run)).map(({ revision }) => revision);
  }

  /** What a list shows of one run. */
  async line(record: RunRecord): Promise<RunLine> {
    const { run, factory, startedBy, createdAt } = record;
    const line = { run_id: run, factory, started_by: startedBy, started_at: createdAt };
    const unread = { ...line, done: null, total: null, open_gates: [] };
    const known = this.planOf(record);
    const seen = await this.states.look(run);
    if (known.isErr() || seen.isErr()) {
      const lost = seen.isErr() && seen.error.code === 'RUN_ORPHANED';
      return { ...unread, status: lost ? 'orphaned' : 'unknown' };
    }
    const { state, orphaned } = seen.value;
    const open = state.gates.filter(({ outcome }) => outcome === null).map(({ block }) => block);
    const { counts } = summarise(known.value.plan, state);
    const total = known.value.plan.blocks.length;
    const status = orphaned ? 'orphaned' : state.status;
    return { ...line, status, done: counts.done, total, open_gates: open };
  }

  private planOf({ factoryHash }: RunRecord): Result<Plan, RailyardError> {
    return this.shelf.read(factoryHash).map((compiled) => {
      const known = this.plans.get(factoryHash);
      if (known) return known;
      const plan = cutPlan(compiled, factoryHash);
      if (plan.isErr()) throw new Error(`Bug: the plan of a started run is too large: ${plan.error.message}`);
      const fresh = { compiled, plan: plan.value };
      this.plans.set(factoryHash, fresh);
      const [oldest] = this.plans.keys();
      if (this.plans.size > MAX_PLANS && oldest !== undefined) this.plans.delete(oldest);
      return fresh;
    });
  }
}
