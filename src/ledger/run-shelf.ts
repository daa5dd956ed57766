/** Factory runs as they stand in the store: each session is read once, and then only what is new. */
import { err, ok, Result } from 'neverthrow';
import { digestOf } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { cutPlan, type CompiledFactory } from '../factory/compile';
import { type WalkEvent } from '../factory/walk';
import {
  type AppendPlan,
  Digest,
  WorkflowHash,
  type CompiledWorkflow,
  type DomainEvent,
  type SessionId,
} from '../workrail/model';
import {
  type ArtifactStore,
  type Minting,
  type PinnedWorkflowStore,
  type Session,
  type SessionStore,
  type SnapshotStore,
} from '../workrail/ports';
import { FACT_TYPE, factIn } from './carrier';
import { type Composer, type Composition, type PinnedBlock } from './compose';
import { factoryRunId } from './ids';
import { begin, frameOf, withFact, withNode, type RunFold, type RunFrame } from './fold';
import { type DriverContext, type StartContext } from './opening';
import { blockWorkflow, factoryWorkflow, stagesOf, type AgentWorkflows } from './pinned';

/** What a ledger needs from outside. */
export interface LedgerPorts {
  readonly sessions: SessionStore;
  readonly snapshots: SnapshotStore;
  readonly workflows: PinnedWorkflowStore;
  readonly artifacts: ArtifactStore;
  readonly minting: Minting;
  /** Where a run's session is, and where the run works on this machine. */
  find(
    run: string,
  ): Promise<Result<{ readonly sessionId: SessionId; readonly workspace: string }, RailyardError>>;
}

/** A run as far as its session has been read. */
export interface Read {
  readonly frame: RunFrame;
  readonly fold: RunFold;
  readonly eventCount: number;
}

/** Runs that are kept in memory. */
const MAX_RUNS = 300;
/** Factories whose workflows are kept in memory, and sizes of artifacts for each. */
const MAX_FACTORIES = 100;
const MAX_SIZES = 10_000;

export class RunShelf {
  private readonly known = new Map<string, Read>();
  private readonly composers = new WeakMap<CompiledFactory, FactoryComposer>();
  private readonly factories = new Map<string, FactoryComposer>();

  constructor(private readonly ports: LedgerPorts) {}

  /** A run with everything its session has by now. */
  async read(run: string): Promise<Result<Read, RailyardError>> {
    const found = await this.ports.find(run);
    if (found.isErr()) return err(found.error);
    const { sessionId, workspace } = found.value;
    const loaded = await this.ports.sessions.load(sessionId);
    if (loaded.isErr()) return err(loaded.error);
    const session = loaded.value;
    const known = this.known.get(run);
    const goesOn =
      known?.frame.sessionId === sessionId &&
      known.frame.workspace === workspace &&
      known.eventCount <= session.eventCount;
    const from = goesOn ? known : null;
    if (from?.eventCount === session.eventCount) return ok(from);
    const read = await this.readOn(from, session.events(from?.eventCount ?? 0), run, sessionId, workspace);
    if (read.isOk()) remember(this.known, run, read.value, MAX_RUNS);
    return read;
  }

  /** Events that are in no session of this store, read as a run: what they refer to is in the stores already. */
  readStray(
    events: readonly DomainEvent[],
    place: { readonly run: string; readonly sessionId: SessionId; readonly workspace: string },
  ): Promise<Result<Read, RailyardError>> {
    return this.readOn(null, events, place.run, place.sessionId, place.workspace);
  }

  /** The run that a session is; null: it is no factory's. */
  async readSession(session: Session): Promise<Result<Read | null, RailyardError>> {
    const run = runIn(session.events());
    if (run === null) return ok(null);
    const found = await this.ports.find(run);
    if (found.isErr() || found.value.sessionId !== session.sessionId) {
      return err(
        problem('RUN_NOT_FOUND', `The session ${session.sessionId} is a copy of the run "${run}".`, {
          suggestion: 'Go on with the run itself, or import the copy with `railyard import` and resume it.',
        }),
      );
    }
    return this.read(run);
  }

  /** Append to a session that is as it was read; null: it has grown meanwhile. */
  appendIfSame(
    { frame, eventCount }: Read,
    planned: (session: Session) => Result<readonly AppendPlan[], RailyardError>,
  ): Promise<Result<Session | null, RailyardError>> {
    const { sessions } = this.ports;
    return sessions.withSession(
      frame.sessionId,
      async (session, witness): Promise<Result<Session | null, RailyardError>> => {
        if (session.eventCount !== eventCount) return ok(null);
        const plans = planned(session);
        if (plans.isErr()) return err(plans.error);
        const appended = await sessions.append(witness, plans.value);
        return appended.map(() => session);
      },
    );
  }

  /** Facts have times in their order, and a tick is never before it is due, whatever this machine's clock says. */
  timeAfter({ facts, startedAt }: RunFold, event?: WalkEvent): number {
    const due = event?.type === 'tick' ? Date.parse(event.due) || 0 : 0;
    return Math.max(this.ports.minting.nowMs(), facts.at(-1)?.at ?? startedAt, due);
  }

  /** What was appended just now need not be read again. */
  adopt({ frame }: Read, fold: RunFold, eventCount: number): void {
    remember(this.known, frame.run, { frame, fold, eventCount }, MAX_RUNS);
  }

  /** What composing needs of a run's factory. */
  composer({ compiled, plan, agents }: RunFrame): FactoryComposer {
    const known = this.composers.get(compiled);
    if (known) return known;
    // Runs of one factory are pinned to the same workflows, which are made and hashed once.
    const name = `${plan.factoryHash} ${JSON.stringify(agents)}`;
    const composer =
      this.factories.get(name) ?? new FactoryComposer(compiled, plan.factoryHash, agents, this.ports.minting);
    remember(this.factories, name, composer, MAX_FACTORIES);
    this.composers.set(compiled, composer);
    return composer;
  }

  /** Look up the sizes that the artifacts of some attempts have in the store. */
  async measure(frame: RunFrame, events: readonly WalkEvent[]): Promise<Result<void, RailyardError>> {
    const { sizes } = this.composer(frame);
    for (const event of events) {
      if (event.type !== 'attempt-finished' || event.outcome.kind !== 'succeeded') continue;
      for (const { digest, format, bytes } of event.outcome.artifacts) {
        if (format !== 'directory') {
          remember(sizes, digest, bytes, MAX_SIZES);
          continue;
        }
        // A directory is its listing; the size of its files is another number.
        const listing = await this.ports.artifacts.get(Digest.parse(digest));
        if (listing.isErr()) return err(listing.error);
        remember(sizes, digest, listing.value.length, MAX_SIZES);
      }
    }
    return ok();
  }

  /** Keep everything that some compositions refer to. */
  async keep(compositions: readonly Composition[]): Promise<Result<void, RailyardError>> {
    const { artifacts, workflows } = this.ports;
    const kept = await Promise.all([
      ...compositions.flatMap(({ pins }) => pins.map((workflow) => workflows.put(workflow))),
      ...compositions.flatMap((one) => one.finish().carried.map(({ bytes }) => artifacts.put(bytes))),
    ]);
    return Result.combine<Result<string, RailyardError>[]>(kept).map(() => undefined);
  }

  private async readOn(
    from: Read | null,
    events: readonly DomainEvent[],
    run: string,
    sessionId: SessionId,
    workspace: string,
  ): Promise<Result<Read, RailyardError>> {
    let frame = from?.frame ?? null;
    let fold = from?.fold ?? null;
    let eventCount = from?.eventCount ?? 0;
    for (const event of events) {
      eventCount += 1;
      if (!frame) {
        if (event.kind !== 'run_started') continue;
        const framed = await this.frameFrom(event.data.workflowHash, run, sessionId, workspace);
        if (framed.isErr()) return err(framed.error);
        frame = framed.value;
        continue;
      }
      const next = await this.take(frame, fold, event);
      if (next.isErr()) return err(next.error);
      fold = next.value;
    }
    if (!frame || !fold) return err(problem('RUN_NOT_FOUND', `The session ${sessionId} is no factory run.`));
    return ok({ frame, fold, eventCount });
  }

  /** Take in one event of the session. */
  private async take(
    frame: RunFrame,
    fold: RunFold | null,
    event: DomainEvent,
  ): Promise<Result<RunFold | null, RailyardError>> {
    const at = event.timestampMs ?? 0;
    if (event.kind === 'context_set' && event.scope.runId === frame.ids.factory) {
      // Written by `startPlan` and `takeOverPlan`, and nobody else writes to this run.
      const context = event.data.context as unknown as Partial<StartContext> & { driver?: DriverContext };
      if (!fold) return ok(begin(frame, context.started_by ?? '', at).fold);
      const { driver } = context;
      if (!driver) return ok(fold);
      const taken: WalkEvent = {
        type: 'taken-over',
        epoch: driver.epoch,
        by: driver.by,
        restartDeadlines: driver.restart_deadlines,
      };
      const now = { epoch: driver.epoch, workflowId: driver.workflow_id };
      return withFact(frame, fold, taken, at).map((next) => ({ ...next, driver: now }));
    }
    if (!fold) return ok(null);
    if (event.kind === 'node_created') return ok(withNode(frame, fold, event, at));
    if (event.kind !== 'node_output_appended' || event.data.payload.payloadKind !== 'artifact_ref') {
      return ok(fold);
    }
    const { contentType, sha256 } = event.data.payload;
    if (contentType !== FACT_TYPE) return ok(fold);
    const bytes = await this.ports.artifacts.get(sha256);
    return bytes
      .andThen((found) => factIn(found, frame.workspace))
      .andThen((fact) => withFact(frame, fold, fact, at));
  }

  private async frameFrom(
    hash: WorkflowHash,
    run: string,
    sessionId: SessionId,
    workspace: string,
  ): Promise<Result<RunFrame, RailyardError>> {
    const pinned = await this.ports.workflows.get(hash);
    return pinned.andThen(({ extension }) => {
      // The extension of a factory's workflow is written by `factoryWorkflow`, and its hash was checked.
      const kept = extension as unknown as Partial<FactoryExtension> | undefined;
      if (!kept?.factory || !kept.factoryHash) {
        return err(problem('RUN_NOT_FOUND', `The session ${sessionId} is no factory run.`));
      }
      const { factory, agents = {} } = kept;
      return cutPlan(factory, kept.factoryHash)
        .mapErr(({ message }) => problem('TEMPLATE_INVALID', message))
        .map((plan) => frameOf({ run, sessionId, compiled: factory, plan, agents, workspace }));
    });
  }
}

/** Put something at the end of a map of so many at most: what was put longest ago goes. */
function remember<T>(map: Map<string, T>, name: string, value: T, most: number): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/** What a factory's workflow keeps beside its one step. */
interface FactoryExtension {
  readonly factory: CompiledFactory;
  readonly factoryHash: string;
  readonly agents: AgentWorkflows;
}

/** The factory run that a session is of; its first run is the factory's own, and says so at once. */
export function runIn(events: readonly DomainEvent[]): string | null {
  const head = events.slice(0, HEAD_EVENTS);
  const started = head.find(({ kind }) => kind === 'run_started');
  const context = head.find(({ kind }) => kind === 'context_set');
  if (started?.kind !== 'run_started' || context?.kind !== 'context_set') return null;
  const { run } = context.data.context;
  if (typeof run !== 'string' || started.scope.runId !== factoryRunId(run)) return null;
  return context.scope.runId === started.scope.runId ? run : null;
}

/** Within so many events a factory's session has said what it is. */
const HEAD_EVENTS = 4;

/** The workflows of one compiled factory, made when they are first needed. */
export class FactoryComposer implements Composer {
  readonly sizes = new Map<string, number>();
  private made: Composer['factory'] | null = null;
  private readonly blocks = new Map<string, PinnedBlock>();

  constructor(
    private readonly compiled: CompiledFactory,
    private readonly factoryHash: string,
    private readonly agents: AgentWorkflows,
    private readonly minting: Minting,
  ) {}

  get factory(): Composer['factory'] {
    this.made ??= withHash(factoryWorkflow(this.compiled, this.factoryHash, this.agents));
    return this.made;
  }

  mint() {
    return this.minting.eventId();
  }

  pinned(id: string): PinnedBlock {
    const known = this.blocks.get(id);
    if (known) return known;
    const block = this.compiled.blocks.find((one) => one.id === id);
    if (!block) throw new Error(`Bug: the factory has no block ${id}`);
    const workflow = blockWorkflow(block, this.agents[id] ?? null);
    const pinned = { ...withHash(workflow), stages: stagesOf(block, workflow) };
    this.blocks.set(id, pinned);
    return pinned;
  }

  sizeOf(digest: string): number {
    const size = this.sizes.get(digest);
    if (size === undefined) throw new Error(`Bug: nobody measured ${digest}`);
    return size;
  }
}

const withHash = (workflow: CompiledWorkflow): Composer['factory'] => ({
  workflow,
  hash: WorkflowHash.parse(digestOf(workflow)._unsafeUnwrap()),
});
