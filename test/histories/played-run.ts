/** A run that is played to record its history. Unlike in a test, whatever is not as the script says ends the recording. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { FactoryRuns } from '../../api/factory-runs';
import { Schedules } from '../../api/schedules';
import { type BlockView, type RunView } from '../../api/run-view';
import { type GateDecision, type RunState } from '../../src/factory/run-state';
import { type Template } from '../../src/factory/schema';
import { sign } from '../../src/home';
import { taskQueueOf } from '../../worker/factory-worker';
import {
  BELL,
  GATE_DECISION,
  KEPT_TRIGGER,
  STATE,
  type ControlRequest,
  type FactoryRunInput,
  type SignedTrigger,
} from '../../workflows/messages';
import { until } from '../cli/railyard';
import { blockOf, decision, type Yard } from '../yard/yard';

const SKILLS = [join(__dirname, '..', 'fixtures', 'factory-skills')];

/** A workflow starts; its first task is scheduled, started and completed. What follows are that task's commands. */
const FIRST_TASK_EVENTS = 4;

/** What of a workflow's input a scenario may set: how soon a history is long, and how long a failed run stays open. */
export type Haste = Partial<Pick<FactoryRunInput, 'limits' | 'failedOpenMs'>>;

export class PlayedRun {
  constructor(
    private readonly yard: Yard,
    readonly id: string,
  ) {}

  async start(template: Template, haste: Haste = {}): Promise<void> {
    const request = { template, parameters: {}, startedBy: 'sam', run: this.id };
    const started = await this.hastyRuns(haste).start(request);
    if (started.isErr()) throw new Error(`${this.id}: ${started.error.message}`);
  }

  /** Start a run by a tick of a schedule; answers when the tick is over. */
  async tick(template: Template): Promise<void> {
    const { runs } = this.yard;
    const schedules = new Schedules(runs);
    const when = { cron: '0 0 1 1 *', timeZone: 'UTC', overlap: 'skip', catchUpSeconds: 60 } as const;
    const request = { template, parameters: {}, startedBy: 'sam', pauseOnFailure: false };
    const created = await schedules.create({ name: this.id, ...request, ...when });
    const asked = created.isOk() ? await schedules.runNow(this.id, null) : created;
    if (asked.isErr()) throw new Error(`${this.id}: ${asked.error.message}`);
    if (!('at' in asked.value)) throw new Error(`${this.id}: no tick`);
    const at = asked.value.at.toISOString().replace('.000', '');
    this.tickId = `railyard-${this.yard.home.store}-${this.id}.1-${at}`;
    const handle = this.yard.client.workflow.getHandle(this.tickId);
    await until(() =>
      handle.result().then(
        () => true,
        (error: unknown) => error instanceof WorkflowFailedError,
      ),
    );
    await schedules.delete(this.id);
  }

  /** The workflow of the tick. */
  tickId = '';

  until(block: string, status: BlockView['status'], attempt = 1): Promise<RunView> {
    return this.yard.until(this.id, (view) => {
      const seen = blockOf(view, block);
      return seen.status === status && seen.attempt === attempt;
    });
  }

  untilOverdue(): Promise<RunView> {
    return this.yard.until(this.id, ({ gates }) => gates.some(({ overdue }) => overdue));
  }

  /** Wait until the run has come to this, and its workflow with it. */
  async reaches(status: RunView['status']): Promise<void> {
    await this.yard.untilStatus(this.id, status);
    if (status === 'completed' || status === 'cancelled') await this.closes();
    else await until(async () => (await this.handle.query<RunState>(STATE)).status === status);
  }

  /** Wait until the run has begun anew and has done the first task of its second execution. */
  async hasContinued(): Promise<void> {
    await until(async () => {
      const { raw, runId, historyLength } = await this.handle.describe();
      return raw.workflowExecutionInfo?.firstRunId !== runId && historyLength > FIRST_TASK_EVENTS;
    });
  }

  /** Wait until Temporal has closed the workflow, however it ended. */
  async closes(): Promise<void> {
    await this.handle.result().catch(() => undefined);
  }

  async decide(block: string, said: Partial<GateDecision> = {}, answer = 'decided'): Promise<void> {
    const heard = await this.yard.decide(this.id, block, said);
    if (heard !== answer) throw new Error(`${this.id}: the decision at ${block} was answered with ${heard}`);
  }

  /** Decide as the API does while no worker is there; before that, somebody forges the same decision. */
  async decideBySignal(block: string): Promise<void> {
    const said = decision(block);
    await this.handle.signal(GATE_DECISION, { decision: said, signature: 'forged' });
    const signature = sign(this.yard.home, { run: this.id, decision: said });
    await this.handle.signal(GATE_DECISION, { decision: said, signature });
  }

  async control(request: ControlRequest): Promise<void> {
    const refused = await this.yard.control(this.id, request);
    if (refused) throw new Error(`${this.id}: ${refused.message}`);
  }

  async fire(request: SignedTrigger['request']): Promise<void> {
    const fired = await this.yard.runs.fire(this.id, request);
    if (fired.isErr()) throw new Error(`${this.id}: ${fired.error.message}`);
  }

  /** Trigger as the API does while no worker is there; before that, somebody forges the same trigger. */
  async fireBySignal(request: SignedTrigger['request']): Promise<void> {
    const signature = sign(this.yard.home, { run: this.id, request });
    await this.handle.signal(KEPT_TRIGGER, { request, signature: 'forged' });
    await this.handle.signal(KEPT_TRIGGER, { request, signature });
  }

  /** Wait until the clock of a block, which ticks every minute, has set it off once. */
  async ticks(block: string): Promise<void> {
    await until(async () => (await this.yard.block(this.id, block)).status === 'done');
  }

  /** What the tools of an agent do when it has failed: append, then ring. */
  async failAsAgent(block: string): Promise<void> {
    const outcome = { kind: 'failed', failure: 'error', error: 'by the agent', metrics: {} } as const;
    const proposals = [{ type: 'attempt-finished', block, attempt: 1, outcome } as const];
    const told = await this.yard.ledger.record({ run: this.id, epoch: 1, seen: 0, proposals });
    if (told.isErr()) throw new Error(`${this.id}: ${told.error.message}`);
    await this.handle.signal(BELL);
  }

  /** Somebody else takes the run over, and rings. */
  async takeOver(): Promise<void> {
    const driver = { workflowId: 'elsewhere', by: 'olga', restartDeadlines: false };
    const taken = await this.yard.ledger.takeOver(this.id, driver);
    if (taken.isErr()) throw new Error(`${this.id}: ${taken.error.message}`);
    await this.handle.signal(BELL);
  }

  async cancelByTemporal(): Promise<void> {
    await this.handle.cancel();
  }

  /** A file that a scripted skill can wait for. */
  get signpost(): string {
    return this.yard.home.path(`go-${this.id}`);
  }

  async putUpSignpost(): Promise<void> {
    await writeFile(this.signpost, '');
  }

  private get handle() {
    return this.yard.client.workflow.getHandle(this.id);
  }

  private hastyRuns(haste: Haste): FactoryRuns {
    const { home, client, ledger } = this.yard;
    const hasty = new Client({
      connection: client.connection,
      interceptors: {
        workflow: [
          {
            startWithDetails: ({ options, ...input }, next) => {
              // The one argument of a factory run is its input.
              const args = options.args.map((one) => ({ ...(one as FactoryRunInput), ...haste }));
              return next({ ...input, options: { ...options, args } });
            },
          },
        ],
      },
    });
    return new FactoryRuns({ home, client: hasty, ledger, taskQueue: taskQueueOf(home), skillDirs: SKILLS });
  }
}
