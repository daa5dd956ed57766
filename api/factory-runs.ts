/** The use cases of factory runs: start, read, list, control, decide. Routes and commands only parse and render. */
import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Client } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { type JsonObject } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';
import { compileTemplate, resolveConfig, type Compilation } from '../src/factory/compile';
import { type WalkPlan } from '../src/factory/plan';
import { type GateDecision } from '../src/factory/run-state';
import {
  refusedByPlan,
  refusedTrigger,
  type Answer,
  type EventRequest,
  type TriggerRequest,
} from '../src/factory/walk';
import {
  claimWorkspace,
  FactoryShelf,
  hasMoved,
  readRun,
  saveRun,
  sign,
  type Home,
  type RunRecord,
} from '../src/home';
import { type RunLedger } from '../src/ledger';
import { checkPaths } from '../src/sandbox';
import { SessionId } from '../src/workrail/model';
import {
  CONTROL,
  DECIDE_GATE,
  FACTORY_RUN,
  GATE_DECISION,
  KEPT_TRIGGER,
  type ControlRequest,
  type FactoryRunInput,
  type HistoryLimits,
  type Reply,
  type SignedDecision,
  type SignedTrigger,
} from '../workflows/messages';
import { agentWorkflows, findMissingSkills, isAgentRuntime } from '../activities';
import { RunLives } from './run-lives';
import { RunReader } from './run-reader';
import { RunTakeovers, runExists, skillsMissing } from './run-takeovers';
import { resumeCommand, type RunView } from './run-view';
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

/** What happened to a decision: the walk's answer, or that Temporal keeps it until the worker is back. */
export type Decided = Answer | { readonly kind: 'stored'; readonly block: string };

/** What happened to a trigger or an event, in the same way. */
export type Fired =
  | Answer
  | { readonly kind: 'stored'; readonly block: string }
  | { readonly kind: 'stored'; readonly event: string };

export interface FactoryRunsOptions {
  readonly home: Home;
  readonly client: Client;
  /** The ledger of the store in that data directory. */
  readonly ledger: RunLedger;
  readonly taskQueue: string;
  readonly skillDirs: readonly string[];
  /** When a run begins anew with a short history; the default keeps well within Temporal's limits. */
  readonly limits?: HistoryLimits;
  /** How long an update may take before nobody seems to be there. */
  readonly updateTimeoutMs?: number;
}

export class FactoryRuns {
  readonly reader: RunReader;
  private readonly shelf: FactoryShelf;
  /** Claims of workspaces, one at a time. */
  private claiming: Promise<unknown> = Promise.resolve();
  private readonly lives: RunLives;
  private readonly takeovers: RunTakeovers;

  constructor(private readonly options: FactoryRunsOptions) {
    const { home, client, ledger, taskQueue } = options;
    this.shelf = new FactoryShelf(home);
    this.lives = new RunLives(home, client, taskQueue);
    this.reader = new RunReader(home, ledger, this.lives);
    this.takeovers = new RunTakeovers({
      ...options,
      ...{ lives: this.lives, reader: this.reader },
      claim: (run, workspace) => this.claim(run, workspace),
    });
  }

  /** The data directory that these runs are in. */
  get home(): Home {
    return this.options.home;
  }

  get client(): Client {
    return this.options.client;
  }

  get taskQueue(): string {
    return this.options.taskQueue;
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
    const { starting } = this.lives;
    if (starting.has(run)) return err(runExists(run));
    starting.add(run);
    try {
      const input = await this.begin(compilation.value, request, run, checked.value.workspace);
      if (input.isErr()) return err(input.error);
      const started = await this.startWorkflow(input.value, summaryOf(compilation.value, request.startedBy));
      const warnings = checked.value.unused.map(
        (name) => `The parameter "${name}" is used nowhere in this template.`,
      );
      return started.map(() => ({ run, warnings }));
    } finally {
      starting.delete(run);
      this.lives.forget(run);
    }
  }

  /** Check and record a run whose workflow a tick of a schedule starts; answers with what to start it with. */
  async prepare(
    compilation: Compilation,
    request: Omit<StartRequest, 'template' | 'run'>,
    run: string,
    tick: NonNullable<RunRecord['tick']>,
  ): Promise<Result<FactoryRunInput, RailyardError>> {
    const checked = await this.check(compilation, request, run);
    if (checked.isErr()) return err(checked.error);
    return this.begin(compilation, request, run, checked.value.workspace, tick);
  }

  /** The record first, then the ledger, then the workflow: whatever dies in between, the same start goes on from there. */
  private async begin(
    compilation: Compilation,
    request: Pick<StartRequest, 'parameters' | 'startedBy'>,
    run: string,
    workspace: string,
    tick?: RunRecord['tick'],
  ): Promise<Result<FactoryRunInput, RailyardError>> {
    const agents = await agentWorkflows(compilation.compiled, this.options.skillDirs);
    if (agents.isErr()) return err(agents.error);
    const recorded = await this.record(compilation, request, run, workspace, tick);
    if (recorded.isErr()) return err(recorded.error);
    const { compiled, factoryHash, plan } = compilation;
    const { sessionId, parameters, startedBy } = recorded.value;
    const begun = await this.options.ledger.begin({
      ...{ run, sessionId: SessionId.parse(sessionId), compiled, factoryHash, plan },
      ...{ parameters, startedBy, workspace: recorded.value.workspace, agents: agents.value },
    });
    return begun.map((driver) => ({ ...this.inputOf(recorded.value, plan), ...driver, from: 'start' }));
  }

  /** Claim the workspace and write down what is started. A start that got no further than that is taken up again. */
  private async record(
    { compiled, factoryHash }: Compilation,
    { parameters, startedBy }: Pick<StartRequest, 'parameters' | 'startedBy'>,
    run: string,
    workspace: string,
    tick?: RunRecord['tick'],
  ): Promise<Result<RunRecord, RailyardError>> {
    const { home } = this.options;
    const before = readRun(home, run);
    if (before.isOk()) {
      const known = { factoryHash: before.value.factoryHash, parameters: before.value.parameters };
      const same = isDeepStrictEqual(known, { factoryHash, parameters });
      return same && !(await this.hasBegun(run)) ? before : err(runExists(run));
    }
    const claimed = await this.claim(run, workspace);
    if (claimed.isErr()) return err(claimed.error);
    await this.shelf.save(factoryHash, compiled);
    const record: RunRecord = {
      version: 1,
      run,
      // Its own, and every id of a run can be one of a session.
      sessionId: run,
      factory: compiled.factory.id,
      factoryHash,
      parameters,
      workspacePath: this.defaultWorkspace(run),
      workspace: claimed.value,
      ...(resolve(workspace) === claimed.value ? {} : { shownWorkspace: resolve(workspace) }),
      startedBy,
      createdAt: new Date().toISOString(),
      ...(tick ? { tick } : {}),
    };
    return (await saveRun(home, record)).map(() => record);
  }

  private inputOf({ run, startedBy }: RunRecord, plan: WalkPlan) {
    const { limits = HISTORY_LIMITS } = this.options;
    return { run, plan, startedBy, failedOpenMs: FAILED_OPEN_MS, limits };
  }

  private async startWorkflow(
    input: FactoryRunInput,
    staticSummary: string,
  ): Promise<Result<unknown, RailyardError>> {
    const { run, from } = input;
    const { client, taskQueue } = this.options;
    const started = await callTemporal(client, run, () =>
      client.workflow.start(FACTORY_RUN, {
        workflowId: run,
        taskQueue,
        args: [input],
        // From the store a new epoch begins: what is open under this id is of an older one.
        ...(from === 'start'
          ? { workflowIdReusePolicy: 'REJECT_DUPLICATE' as const }
          : {
              workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
              workflowIdConflictPolicy: 'TERMINATE_EXISTING' as const,
            }),
        staticSummary,
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
  read(run: string): Promise<Result<RunView, RailyardError>> {
    return this.reader.read(run);
  }

  /** Pause, cancel, retry a block, resume a paused run. The same id again gets the same answer. */
  async control(
    run: string,
    request: ControlRequest,
    id: string = randomUUID(),
  ): Promise<Result<Answer, RailyardError>> {
    if (request.type === 'resume') return this.resume(run, { by: request.by, takeOver: false }, id);
    return this.update(run, CONTROL, request, id);
  }

  /**
   * Go on with a run: one that is paused goes on where it is; one that nobody drives, or only a workflow that is not its
   * driver any more, is taken over from the store. `takeOver`: whoever drives it.
   */
  async resume(
    run: string,
    { by, takeOver }: { readonly by: string; readonly takeOver: boolean },
    id: string = randomUUID(),
  ): Promise<Result<Answer, RailyardError>> {
    const { home } = this.options;
    if (takeOver) return this.takeOver(run, by);
    if (hasMoved(home, run)) return err(movedAway(run));
    const stranger = await this.lives.strangerOf(run);
    if (stranger !== null) return err(drivenElsewhere(run, stranger));
    const answer = await this.update(run, CONTROL, { type: 'resume', by }, id);
    if (answer.isOk() || !(await this.isLeft(run, answer.error))) return answer;
    return this.takeOver(run, by);
  }

  /** Does this refusal of a run say that no workflow drives it, although it is not over? */
  private async isLeft(run: string, { code }: RailyardError): Promise<boolean> {
    // The last two: a workflow of an earlier epoch, or of a store that was newer than this one.
    if (code === 'RUN_ORPHANED' || code === 'SUPERSEDED' || code === 'STORE_BEHIND') return true;
    if (code !== 'RUN_ENDED') return false;
    // A failed run waits for a retry, and somebody must be there to hear of it.
    const standing = await this.options.ledger.standing(run);
    return standing.isOk() && standing.value.state.status === 'failed';
  }

  /** Drive a run from where it stands in the store. */
  private async takeOver(run: string, by: string): Promise<Result<Answer, RailyardError>> {
    const known = this.reader.known(run);
    if (known.isErr()) return err(known.error);
    const { record, compiled, plan } = known.value;
    return this.takeovers.takeOver(known.value, by, (driver) =>
      this.startWorkflow(
        { ...this.inputOf(record, plan), ...driver, from: 'store' },
        summaryOf({ compiled }, record.startedBy),
      ),
    );
  }

  /** Take a run from its workflow, before it goes on elsewhere, and see the workflow end. */
  async fence(
    run: string,
    by: string,
  ): Promise<Result<{ readonly epoch: number; readonly fenced: boolean }, RailyardError>> {
    const record = readRun(this.options.home, run);
    return record.isErr() ? err(record.error) : this.takeovers.fence(run, by);
  }

  /** Decide a gate. While no worker is there, the decision is kept by Temporal and applied when it is back. */
  async decide(run: string, decision: GateDecision): Promise<Result<Decided, RailyardError>> {
    const decided = await this.update(run, DECIDE_GATE, decision, decision.id);
    if (decided.isOk() || !isAway(decided.error)) return decided;
    const refused = this.refusedUnseen(run, (plan) => refusedByPlan(plan, decision));
    if (refused) return err(refused);
    const signature = sign(this.options.home, { run, decision });
    const stored = await this.signal(run, GATE_DECISION, { decision, signature });
    return stored.map(() => ({ kind: 'stored', block: decision.block }));
  }

  /** Trigger a block or tell of an event. While no worker is there, it is kept as a decision is. */
  async fire(run: string, request: TriggerRequest | EventRequest): Promise<Result<Fired, RailyardError>> {
    const fired = await this.update(run, CONTROL, request, randomUUID());
    if (fired.isOk() || !isAway(fired.error)) return fired;
    const refused = this.refusedUnseen(run, (plan) => refusedTrigger(plan, request));
    if (refused) return err(refused);
    const signature = sign(this.options.home, { run, request });
    const stored = await this.signal(run, KEPT_TRIGGER, { request, signature });
    return stored.map(() =>
      request.type === 'event'
        ? { kind: 'stored', event: request.name }
        : { kind: 'stored', block: request.block },
    );
  }

  /** Nobody can say what the run makes of a message; what no run of this plan would take is refused all the same. */
  private refusedUnseen(run: string, judge: (plan: WalkPlan) => RailyardError | null): RailyardError | null {
    return this.reader.known(run).match(
      ({ plan }) => judge(plan),
      (error) => error,
    );
  }

  /** Temporal keeps a signal until a worker takes it. */
  private async signal(
    run: string,
    name: string,
    message: SignedDecision | SignedTrigger,
  ): Promise<Result<void, RailyardError>> {
    const { client } = this.options;
    return callTemporal(client, run, () => client.workflow.getHandle(run).signal(name, message));
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
    if (there.isErr()) return err(await this.orphanedOr(run, there.error));
    if (there.value.taskQueue !== this.taskQueue) return err(await this.orphanedOr(run, notOurs(run)));
    const reply = await callTemporal(
      client,
      run,
      () => handle.executeUpdate<Reply, [typeof request]>(name, { args: [request], updateId }),
      updateTimeoutMs,
    );
    if (reply.isErr()) return err(await this.orphanedOr(run, reply.error));
    return reply.value.ok ? ok(reply.value.answer) : err(reply.value.error);
  }

  /** Temporal does not have the run, or not open: that may be its end, or somebody has to go on with it first. */
  private async orphanedOr(run: string, error: RailyardError): Promise<RailyardError> {
    if (error.code !== 'RUN_ENDED') return error;
    this.lives.forget(run);
    const seen = await this.reader.read(run);
    if (seen.isErr() || !seen.value.orphaned) return error;
    return problem('RUN_ORPHANED', `Nobody drives the run "${run}": Temporal does not have it any more.`, {
      suggestion: `Go on with it by \`${resumeCommand(run)}\`, then ask again.`,
    });
  }

  /** What is wrong with a start; nothing is written. */
  async check(
    { compiled }: Compilation,
    { parameters }: Pick<StartRequest, 'parameters'>,
    run: string,
  ): Promise<Result<{ workspace: string; unused: readonly string[] }, RailyardError>> {
    const { client, skillDirs } = this.options;
    const builtIns = { workspacePath: this.defaultWorkspace(run), run };
    const resolved = resolveConfig(compiled, parameters, builtIns);
    if (resolved.isErr()) return err(resolved.error);
    const paths = checkPaths(compiled, parameters, builtIns);
    if (paths.isErr()) return err(paths.error);
    const missing = await findMissingSkills(
      compiled.blocks.filter(({ runtime }) => !isAgentRuntime(runtime)).map(({ skill }) => skill),
      skillDirs,
    );
    if (missing.length > 0) return err(skillsMissing(missing));
    const there = await callTemporal(client, run, () => client.workflowService.getSystemInfo({}));
    return there.map(() => resolved.value);
  }

  /** Where a run works that names no workspace. */
  private defaultWorkspace(run: string): string {
    return this.options.home.path('workspaces', run);
  }

  /** Claim a workspace for a run; answers with its real path. */
  claim(run: string, workspace: string): Promise<Result<string, RailyardError>> {
    const claimed = this.claiming.then(() =>
      claimWorkspace(
        this.options.home,
        run,
        workspace,
        // Where nobody answers, it may well be alive.
        async (owner) => (await this.lives.of(owner)) !== 'closed',
      ),
    );
    this.claiming = claimed.catch(() => undefined);
    return claimed;
  }

  /** Has this run got further than its record and the first word in its ledger? */
  private async hasBegun(run: string): Promise<boolean> {
    if ((await this.lives.ofWorkflow(run)) !== 'closed') return true;
    const stands = await this.options.ledger.standing(run);
    return stands.isOk() ? stands.value.seen > 0 : stands.error.code !== 'SESSION_NOT_FOUND';
  }
}

/** What Temporal's own lists say of a run. */
export const summaryOf = ({ compiled }: Pick<Compilation, 'compiled'>, startedBy: string): string =>
  `${compiled.factory.name}, started by ${startedBy}`;

const notOurs = (run: string): RailyardError =>
  problem('RUN_ENDED', `The workflow of the run "${run}" in Temporal is another store's.`);

const drivenElsewhere = (run: string, taskQueue: string): RailyardError =>
  problem(
    'RUN_EXISTS',
    `Temporal has an open workflow of the run "${run}" that is another store's (${taskQueue}).`,
    {
      suggestion: 'Move it from there with `railyard export --move`, or end it from here with --take-over.',
    },
  );

const movedAway = (run: string): RailyardError =>
  problem('RUN_MOVED', `The run "${run}" has moved to another data directory.`);
