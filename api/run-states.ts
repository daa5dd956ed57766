/**
 * The states of runs as lists, inbox, streams and single reads see them: from the ledger, whether or not Temporal answers. A
 * run that is open in the store and that no workflow drives is orphaned; so is one whose start got no further than its record.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { type WalkPlan } from '../src/factory/plan';
import { type RunState } from '../src/factory/run-state';
import { hasCompletion, readRun, type Home } from '../src/home';
import { type RunLedger } from '../src/ledger';
import { type RunLives } from './run-lives';

/** The state of a run; the revision changes whenever anything here does. */
export interface SeenState {
  readonly revision: string;
  readonly state: RunState;
  /** It is not over, and nobody drives it. */
  readonly orphaned: boolean;
}

type Standing = Pick<SeenState, 'state'> & { readonly seen: number; readonly epoch: number };

export class RunStates {
  constructor(
    private readonly home: Home,
    private readonly ledger: Pick<RunLedger, 'standing'>,
    private readonly lives: RunLives,
  ) {}

  /** The state of a run as it stands in the store. */
  async look(run: string): Promise<Result<SeenState, RailyardError>> {
    const stands = await this.standing(run);
    if (stands.isErr() || !needsDriver(stands.value.state))
      return stands.map((value) => asSeen(value, false));
    if ((await this.lives.glance(run)) !== 'closed') return ok(asSeen(stands.value, false));
    // It may have come to its end between the two questions.
    const again = await this.standing(run);
    return again.map((value) => asSeen(value, needsDriver(value.state)));
  }

  private async standing(run: string): Promise<Result<Standing, RailyardError>> {
    const read = await this.ledger.standing(run);
    if (read.isErr()) return err(read.error.code === 'SESSION_NOT_FOUND' ? notBegun(run) : read.error);
    const { state, plan } = read.value;
    return ok({ ...read.value, state: this.hasLeft(run, plan, state) ? state : stillRunning(state) });
  }

  /** Is what a completed run leaves to the next one written down? Until then it is not over for anybody. */
  private hasLeft(run: string, plan: WalkPlan, { status, endedAt }: RunState): boolean {
    if (status !== 'completed' || !plan.blocks.some(({ feedbackLoop }) => feedbackLoop)) return true;
    const record = readRun(this.home, run);
    return record.isErr() || hasCompletion(this.home, record.value, Date.parse(endedAt ?? ''));
  }
}

const stillRunning = (state: RunState): RunState => ({ ...state, status: 'running', endedAt: null });

/** A failed run that nobody drives any more is over, like any other that has ended. */
const needsDriver = ({ status }: RunState): boolean =>
  status !== 'completed' && status !== 'cancelled' && status !== 'failed';

const asSeen = ({ state, seen, epoch }: Standing, orphaned: boolean): SeenState => ({
  revision: `${epoch}.${seen} ${state.status}${orphaned ? ' orphaned' : ''}`,
  state,
  orphaned,
});

const notBegun = (run: string): RailyardError =>
  problem('RUN_ORPHANED', `The start of the run "${run}" got no further than its record.`);
