/** A whole Railyard in one test: a data directory, a worker and the use cases, on the Temporal server of the test run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createLocalProgram, type AttemptEnd, type SkillRuntime } from '../../activities';
import { FactoryRuns, type FactoryRunsOptions } from '../../api/factory-runs';
import { type BlockView, type RunView } from '../../api/run-view';
import { scheduledRunActivities } from '../../api/schedules';
import { closeClient } from '../../api/temporal-calls';
import { type RailyardError } from '../../src/errors';
import { type GateDecision } from '../../src/factory/run-state';
import { type Template } from '../../src/factory/schema';
import { openHome, type Home } from '../../src/home';
import { type RunLedger } from '../../src/ledger';
import {
  routeSdkLogs,
  startFactoryWorker,
  taskQueueOf,
  type FactoryWorker,
} from '../../worker/factory-worker';
import { LogFile } from '../../src/log';
import { openLedgerOf } from '../../activities/open-ledger';

export const SKILLS = [
  join(__dirname, '..', 'fixtures', 'factory-skills'),
  join(__dirname, '..', '..', 'skills'),
];
/** Far longer than anything here takes; a wait that ends here has failed. */
const PATIENCE_MS = 30_000;

type YardOptions = Partial<Pick<FactoryRunsOptions, 'limits' | 'updateTimeoutMs'>> & {
  runtime?: SkillRuntime;
  onAttempt?: (end: AttemptEnd) => void;
};

export class Yard {
  private constructor(
    readonly home: Home,
    readonly client: Client,
    public runs: FactoryRuns,
    public ledger: RunLedger,
    private worker: FactoryWorker,
    private readonly runtime: SkillRuntime,
    private readonly onAttempt: (end: AttemptEnd) => void,
    private readonly more: Pick<YardOptions, 'limits' | 'updateTimeoutMs'>,
  ) {}

  static async open({
    runtime = createLocalProgram(),
    onAttempt = () => undefined,
    ...more
  }: YardOptions = {}): Promise<Yard> {
    const address = process.env.RAILYARD_TEST_TEMPORAL ?? '';
    const opened = await openHome(await mkdtemp(join(tmpdir(), 'railyard-yard-')));
    const home = opened._unsafeUnwrap();
    // Once a process: the logs of later yards go where those of the first one go.
    if (!routed) routeSdkLogs(logOf(home));
    routed = true;
    const connection = await Connection.connect({ address });
    const client = new Client({ connection });
    const { ledger, runs } = await useCases(home, client, more);
    const worker = await startWorker(home, runs, ledger, runtime, onAttempt);
    return new Yard(home, client, runs, ledger, worker, runtime, onAttempt, more);
  }

  /** The service ends, something may be done to what it left, and it begins again, knowing only what is on the disk. */
  async restart(between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.stopWorker();
    await between();
    const { ledger, runs } = await useCases(this.home, this.client, this.more);
    this.ledger = ledger;
    this.runs = runs;
    await this.startWorker();
  }

  /** The worker goes away and, later, another one comes. */
  async stopWorker(): Promise<void> {
    await this.worker.stop();
  }

  async startWorker(): Promise<void> {
    this.worker = await startWorker(this.home, this.runs, this.ledger, this.runtime, this.onAttempt);
  }

  async close(): Promise<void> {
    await this.worker.stop();
    await closeClient(this.client);
    await rm(this.home.root, { recursive: true, force: true });
  }

  async start(template: Template, startedBy = 'sam'): Promise<string> {
    const started = await this.runs.start({ template, parameters: {}, startedBy, run: null });
    if (started.isErr()) throw new Error(JSON.stringify(started.error));
    return started.value.run;
  }

  async view(run: string): Promise<RunView> {
    const view = await this.runs.read(run);
    if (view.isErr()) throw new Error(JSON.stringify(view.error));
    return view.value;
  }

  async block(run: string, id: string): Promise<BlockView> {
    return blockOf(await this.view(run), id);
  }

  /** Wait until a run looks as it should. */
  async until(run: string, holds: (view: RunView) => boolean): Promise<RunView> {
    const start = Date.now();
    for (;;) {
      const view = await this.runs.read(run);
      if (view.isOk() && holds(view.value)) return view.value;
      if (Date.now() - start > PATIENCE_MS) throw new Error(`In vain: ${JSON.stringify(view, null, 1)}`);
      await sleep(50);
    }
  }

  untilBlock(run: string, id: string, status: BlockView['status']): Promise<RunView> {
    return this.until(run, (view) => blockOf(view, id).status === status);
  }

  untilStatus(run: string, status: RunView['status']): Promise<RunView> {
    return this.until(run, (view) => view.status === status);
  }

  /** Decide; answers with the kind of answer, or the code of the refusal. */
  async decide(run: string, block: string, said: Partial<GateDecision> = {}): Promise<string> {
    const decided = await this.runs.decide(run, { ...decision(block), ...said });
    return decided.isOk() ? decided.value.kind : decided.error.code;
  }

  async control(run: string, request: Parameters<FactoryRuns['control']>[1]): Promise<RailyardError | null> {
    const answer = await this.runs.control(run, request);
    return answer.isErr() ? answer.error : null;
  }
}

async function useCases(
  home: Home,
  client: Client,
  more: Pick<YardOptions, 'limits' | 'updateTimeoutMs'>,
): Promise<{ ledger: RunLedger; runs: FactoryRuns }> {
  const { ledger } = (await openLedgerOf(home))._unsafeUnwrap();
  const taskQueue = taskQueueOf(home);
  // A slow machine is no reason to take a worker for dead.
  const patience = { updateTimeoutMs: PATIENCE_MS, ...more };
  return {
    ledger,
    runs: new FactoryRuns({ home, client, ledger, taskQueue, skillDirs: SKILLS, ...patience }),
  };
}

let routed = false;

const logOf = (home: Home): LogFile => new LogFile(home.path('logs', 'railyard.log'));

async function startWorker(
  home: Home,
  runs: FactoryRuns,
  ledger: RunLedger,
  runtime: SkillRuntime,
  onAttempt: (end: AttemptEnd) => void,
): Promise<FactoryWorker> {
  const worker = await startFactoryWorker({
    home,
    connection: { address: process.env.RAILYARD_TEST_TEMPORAL ?? '' },
    namespace: 'default',
    settings: { skillDirs: SKILLS, envAllow: [], slots: 16 },
    runtime,
    ledger,
    ticks: scheduledRunActivities(runs),
    log: logOf(home),
    onAttempt,
  });
  if (worker.isErr()) throw new Error(`${worker.error.message} ${worker.error.suggestion}`);
  return worker.value;
}

export function blockOf(view: RunView, id: string): BlockView {
  const block = view.blocks.find((one) => one.id === id);
  if (!block) throw new Error(`The run has no block ${id}`);
  return block;
}

let decisions = 0;

/** An approval by somebody who did not start the run. */
export function decision(block: string): GateDecision {
  decisions += 1;
  return {
    id: `decision-${process.pid}-${Date.now()}-${decisions}`,
    block,
    gate: null,
    decision: 'approve',
    approver: 'ann',
    role: 'editor',
    notes: '',
    action: 'retry',
    feedback: '',
    override: false,
    justification: '',
    attempt: null,
    digests: null,
  };
}
