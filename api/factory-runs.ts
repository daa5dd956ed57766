/** The use cases of factory runs: start, read, list, control, decide. Routes and commands only parse and render. */
import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Client } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { type JsonObject } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';
import {
  compileTemplate,
  cutPlan,
  resolveConfig,
  type Compilation,
  type CompiledFactory,
} from '../src/factory/compile';
import { type WalkPlan } from '../src/factory/plan';
import { type GateDecision, type RunState } from '../src/factory/run-state';
import { refusedByPlan, summarise, type Answer } from '../src/factory/walk';
import {
  claimWorkspace,
  FactoryShelf,
  listRuns,
  readRun,
  saveRun,
  sign,
  type Home,
  type RunRecord,
} from '../src/home';
import { checkPaths } from '../src/sandbox';
import {
  CONTROL,
  DECIDE_GATE,
  FACTORY_RUN,
  GATE_DECISION,
  type ControlRequest,
  type FactoryRunInput,
  type HistoryLimits,
  type Reply,
} from '../workflows/messages';
import { findMissingSkills } from '../activities';
import { checkServed } from './not-served';
import { viewRun, type RunView } from './run-view';
import { readState } from './run-state-reader';
import { ANSWER_TIMEOUT_MS, callTemporal, isAway } from './temporal-calls';

const DAY_MS = 86_400_000;
/** How long a failed run stays open for a retry or an override. */
const FAILED_OPEN_MS = 30 * DAY_MS;
/** Temporal ends a run at 51,200 events. */
const HISTORY_LIMITS: HistoryLimits = { continueAt: 10_000, drainAt: 30_000 };

/** A request to start a run. */
export interface StartRequest {
  readonly template: unknown;
  readonly parameters: JsonObject;
  readonly startedBy: string;
  /** Null: an id is made. */
  readonly run: string | null;
}

/** What a list shows of a run. */
export interface RunLine {
  readonly run_id: string;
  readonly factory: string;
  /** The run's status; `orphaned` where Temporal does not have it, `unknown` where nobody answers. */
  readonly status: RunState['status'] | 'orphaned' | 'unknown';
  readonly started_by: string;
  readonly started_at: string;
  readonly done: number | null;
  readonly total: number | null;
  readonly open_gates: readonly string[];
}

/** What happened to a decision: the walk's answer, or that Temporal keeps it until the worker is back. */
export type Decided = Answer | { readonly kind: 'stored'; readonly block: string };

export interface FactoryRunsOptions {
  readonly home: Home;
  readonly client: Client;
  readonly taskQueue: string;
  readonly skillDirs: readonly string[];
  /** When a run begins anew with a short history; the default keeps well within Temporal's limits. */
  readonly limits?: HistoryLimits;
  /** How long an update may take before nobody seems to be there. */
  readonly updateTimeoutMs?: number;
}

export class FactoryRuns {
  private readonly shelf: FactoryShelf;
  /** Claims of workspaces, one at a time. */
  private claiming: Promise<unknown> = Promise.resolve();
  /** Runs that Temporal does not know yet. */
  private readonly starting = new Set<string>();

  constructor(private readonly options: FactoryRunsOptions) {
    this.shelf = new FactoryShelf(options.home);
  }

  /** The data directory that these runs are in. */
  get home(): Home {
    return this.options.home;
  }

  /** Does Temporal answer, and does it have our namespace? */
  async reachTemporal(): Promise<Result<unknown, RailyardError>> {
    const { client } = this.options;
    const { namespace } = client.options;
    return callTemporal(client, '', () => client.workflowService.describeNamespace({ namespace }));
  }

  /** Start a run. What is wrong with the request is refused before anything is written. */
  async start(request: StartRequest): Promise<Result<{ run: string; warnings: string[] }, RailyardError>> {
    const compilation = compileTemplate(request.template);
    if (compilation.isErr()) return err(compilation.error);
    const run = request.run ?? `${compilation.value.compiled.factory.id}-${randomBytes(5).toString('hex')}`;
    const checked = await this.check(compilation.value, request, run);
    if (checked.isErr()) return err(checked.error);
    if (this.starting.has(run)) return err(runExists(run));
    this.starting.add(run);
    try {
      const recorded = await this.record(compilation.value, request, run, checked.value.workspace);
      if (recorded.isErr()) return err(recorded.error);
      const started = await this.startWorkflow(compilation.value, request.startedBy, run);
      const warnings = checked.value.unused.map(
        (name) => `The parameter "${name}" is used nowhere in this template.`,
      );
      return started.map(() => ({ run, warnings }));
    } finally {
      this.starting.delete(run);
    }
  }

  /** Claim the workspace and write down what is started. A start that got no further than that is taken up again. */
  private async record(
    { compiled, factoryHash }: Compilation,
    { parameters, startedBy }: StartRequest,
    run: string,
    workspace: string,
  ): Promise<Result<void, RailyardError>> {
    const { home } = this.options;
    const before = readRun(home, run);
    if (before.isOk()) {
      const known = { factoryHash: before.value.factoryHash, parameters: before.value.parameters };
      const same = isDeepStrictEqual(known, { factoryHash, parameters });
      return same && !(await this.isKnown(run)) ? ok() : err(runExists(run));
    }
    const claimed = await this.claim(run, workspace);
    if (claimed.isErr()) return err(claimed.error);
    await this.shelf.save(factoryHash, compiled);
    return saveRun(home, {
      version: 1,
      run,
      factory: compiled.factory.id,
      factoryHash,
      parameters,
      workspacePath: this.defaultWorkspace(run),
      workspace: claimed.value,
      startedBy,
      createdAt: new Date().toISOString(),
    });
  }

  private async startWorkflow(
    { compiled, plan }: Compilation,
    startedBy: string,
    run: string,
  ): Promise<Result<unknown, RailyardError>> {
    const input: FactoryRunInput = {
      run,
      plan,
      startedBy,
      state: null,
      failedOpenMs: FAILED_OPEN_MS,
      limits: this.options.limits ?? HISTORY_LIMITS,
    };
    const { client, taskQueue } = this.options;
    const started = await callTemporal(client, run, () =>
      client.workflow.start(FACTORY_RUN, {
        workflowId: run,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: `${compiled.factory.name}, started by ${startedBy}`,
      }),
    );
    // It may have been started all the same, so the caller must try again under this id and no other.
    return started.mapErr((error) =>
      isAway(error)
        ? { ...error, suggestion: `Try again with "run_id": "${run}".`, details: { run_id: run } }
        : error,
    );
  }

  /** Everything about one run. */
  async read(run: string): Promise<Result<RunView, RailyardError>> {
    const record = readRun(this.options.home, run);
    if (record.isErr()) return err(record.error);
    const known = this.planOf(record.value);
    if (known.isErr()) return err(known.error);
    const state = await readState(this.options.client, run);
    return state.map((value) => viewRun(record.value, known.value.compiled, known.value.plan, value));
  }

  /** The newest runs, with what each is doing. */
  async list(limit: number): Promise<readonly RunLine[]> {
    const records = (await listRuns(this.options.home)).slice(0, limit);
    return Promise.all(records.map((record) => this.line(record)));
  }

  /** Changes whenever what `read` says may have changed: a cheap question before a dear one. */
  async revision(run: string): Promise<Result<string, RailyardError>> {
    const { client } = this.options;
    const seen = await callTemporal(client, run, () => client.workflow.getHandle(run).describe());
    return seen.map(({ runId, status, historyLength }) => `${runId} ${status.name} ${historyLength}`);
  }

  /** What a list shows of one run. */
  async line(record: RunRecord): Promise<RunLine> {
    const { run, factory, startedBy, createdAt } = record;
    const line = { run_id: run, factory, started_by: startedBy, started_at: createdAt };
    const unread = { ...line, done: null, total: null, open_gates: [] };
    const known = this.planOf(record);
    const state = await readState(this.options.client, run);
    if (known.isErr() || state.isErr()) {
      const lost = state.isErr() && state.error.code === 'RUN_ORPHANED';
      return { ...unread, status: lost ? 'orphaned' : 'unknown' };
    }
    const { status, gates } = state.value;
    const open = gates.filter(({ outcome }) => outcome === null).map(({ block }) => block);
    const { counts } = summarise(known.value.plan, state.value);
    const total = known.value.plan.blocks.length;
    return { ...line, status, done: counts.done, total, open_gates: open };
  }

  private planOf(record: RunRecord): Result<{ compiled: CompiledFactory; plan: WalkPlan }, RailyardError> {
    const compiled = this.shelf.read(record.factoryHash);
    return compiled.map((value) => {
      const plan = cutPlan(value, record.factoryHash);
      if (plan.isErr()) throw new Error(`Bug: the plan of a started run is too large: ${plan.error.message}`);
      return { compiled: value, plan: plan.value };
    });
  }

  /** Pause, resume, cancel, retry or trigger a block, tell of an event. The same id again gets the same answer. */
  async control(
    run: string,
    request: ControlRequest,
    id: string = randomUUID(),
  ): Promise<Result<Answer, RailyardError>> {
    return this.update(run, CONTROL, request, id);
  }

  /** Decide a gate. While no worker is there, the decision is kept by Temporal and applied when it is back. */
  async decide(run: string, decision: GateDecision): Promise<Result<Decided, RailyardError>> {
    const decided = await this.update(run, DECIDE_GATE, decision, decision.id);
    if (decided.isOk() || !isAway(decided.error)) return decided;
    const refused = this.refusedUnseen(run, decision);
    if (refused) return err(refused);
    const { client, home } = this.options;
    const signed = { decision, signature: sign(home, decision) };
    const stored = await callTemporal(client, run, () =>
      client.workflow.getHandle(run).signal(GATE_DECISION, signed),
    );
    return stored.map(() => ({ kind: 'stored', block: decision.block }));
  }

  /** Nobody can say what the run makes of a decision; what no run of this plan would take is refused all the same. */
  private refusedUnseen(run: string, decision: GateDecision): RailyardError | null {
    const record = readRun(this.options.home, run);
    if (record.isErr()) return record.error;
    const known = this.planOf(record.value);
    return known.isErr() ? known.error : refusedByPlan(known.value.plan, decision);
  }

  private async update(
    run: string,
    name: string,
    request: ControlRequest | GateDecision,
    updateId: string,
  ): Promise<Result<Answer, RailyardError>> {
    const record = readRun(this.options.home, run);
    if (record.isErr()) return err(record.error);
    const { client, updateTimeoutMs = ANSWER_TIMEOUT_MS } = this.options;
    const handle = client.workflow.getHandle(run);
    // A server that is away is found out sooner than a worker that is.
    const there = await callTemporal(client, run, () => handle.describe());
    if (there.isErr()) return err(there.error);
    const reply = await callTemporal(
      client,
      run,
      () => handle.executeUpdate<Reply, [typeof request]>(name, { args: [request], updateId }),
      updateTimeoutMs,
    );
    return reply.andThen((said) => (said.ok ? ok(said.answer) : err(said.error)));
  }

  private async check(
    { compiled }: Compilation,
    { parameters }: StartRequest,
    run: string,
  ): Promise<Result<{ workspace: string; unused: readonly string[] }, RailyardError>> {
    const { client, skillDirs } = this.options;
    const builtIns = { workspacePath: this.defaultWorkspace(run), run };
    const served = checkServed(compiled);
    if (served.isErr()) return err(served.error);
    const resolved = resolveConfig(compiled, parameters, builtIns);
    if (resolved.isErr()) return err(resolved.error);
    const paths = checkPaths(compiled, parameters, builtIns);
    if (paths.isErr()) return err(paths.error);
    const missing = await findMissingSkills(
      compiled.blocks.map(({ skill }) => skill),
      skillDirs,
    );
    if (missing.length > 0) {
      const message = `There is no program for the skill${missing.length > 1 ? 's' : ''} ${missing.join(', ')}.`;
      return err(problem('SKILL_NOT_FOUND', message, { details: { missing } }));
    }
    const there = await callTemporal(client, run, () => client.workflowService.getSystemInfo({}));
    return there.map(() => resolved.value);
  }

  /** Where a run works that names no workspace. */
  private defaultWorkspace(run: string): string {
    return this.options.home.path('workspaces', run);
  }

  private claim(run: string, workspace: string): Promise<Result<string, RailyardError>> {
    const claimed = this.claiming.then(() =>
      claimWorkspace(this.options.home, run, workspace, (owner) => this.isLive(owner)),
    );
    this.claiming = claimed.catch(() => undefined);
    return claimed;
  }

  private async isLive(run: string): Promise<boolean> {
    if (this.starting.has(run)) return true;
    const { client } = this.options;
    const seen = await callTemporal(client, run, () => client.workflow.getHandle(run).describe());
    // Where nobody answers, the run may well be alive.
    return seen.isOk() ? seen.value.status.name === 'RUNNING' : isAway(seen.error);
  }

  /** Does Temporal have this run, open or closed? */
  private async isKnown(run: string): Promise<boolean> {
    const { client } = this.options;
    const seen = await callTemporal(client, run, () => client.workflow.getHandle(run).describe());
    return seen.isOk() || isAway(seen.error);
  }
}

const runExists = (run: string): RailyardError => problem('RUN_EXISTS', `There is a run "${run}" already.`);
