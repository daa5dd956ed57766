/**
 * Facts as artifacts. Each fact is carried by one small JSON artifact (a block result, a gate decision or a control)
 * that an event refers to by digest; the artifact says what WorkRail's own events have no word for. Paths in it are
 * relative to the run's workspace, so that a run can move to another machine.
 */
import { isAbsolute, join, relative } from 'node:path/posix';
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, type JsonObject, type JsonValue } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { type AttemptOutcome, type GateState } from '../factory/run-state';
import { type WalkEvent } from '../factory/walk/events';
import { type FactoryControl } from '../workrail/compiler';

/** The content type of an artifact that carries a fact; nothing an agent hands in gets it. */
export const FACT_TYPE = 'application/vnd.railyard.fact+json';
/** Of an artifact that tells of a consequence, for audits. */
export const NOTE_TYPE = 'application/vnd.railyard.note+json';

type Finished = Extract<WalkEvent, { type: 'attempt-finished' }>;

/** What an attempt came to, with its artifacts by key, place and digest. */
export function blockResult(event: Finished, workspace: string): JsonObject {
  const { block, attempt, outcome } = event;
  const told =
    outcome.kind === 'succeeded'
      ? { notes: outcome.notes, recordCounts: outcome.recordCounts }
      : { failure: outcome.failure, error: outcome.error };
  return json({
    kind: 'wr.block_result',
    block,
    attempt,
    outcome: outcome.kind,
    ...told,
    ...(outcome.standIn ? { standIn: outcome.standIn } : {}),
    metrics: outcome.metrics,
    records: [],
    artifacts:
      outcome.kind === 'succeeded'
        ? outcome.artifacts.map((one) => ({ ...one, path: relative(workspace, one.path) }))
        : [],
  });
}

/** How a gate opening ended; with the request that ended it, where one did. */
export function gateDecision(opening: GateState, fact: WalkEvent | null): JsonObject {
  const { block, gate, attempt, outcome } = opening;
  if (!outcome) throw new Error(`Bug: the gate ${gate} of ${block} is open`);
  const { decision, via, by, role, action, notes, feedback, justification, evidence } = outcome;
  return json({
    kind: 'wr.gate_decision',
    block,
    attempt,
    gate,
    decision,
    via,
    person: by,
    role,
    ...(action === null ? {} : { action }),
    ...(notes === '' ? {} : { notes }),
    ...(feedback === '' ? {} : { feedback }),
    ...(justification === '' ? {} : { justification }),
    ...(via === 'override' ? { override: true } : {}),
    shown: [...new Set(evidence.flatMap((line) => /=(sha256:[0-9a-f]{64})$/.exec(line)?.[1] ?? []))],
    evidence,
    ...(fact ? { fact } : {}),
  });
}

/** A request to the factory, or something that fired in it. */
export function control(
  name: FactoryControl,
  key: string,
  block: string | null,
  fact: WalkEvent,
): JsonObject {
  const by = 'by' in fact ? fact.by : fact.type === 'gate-decision' ? fact.decision.approver : null;
  return json({
    kind: 'wr.factory_control',
    control: name,
    key,
    ...(block === null ? {} : { block }),
    ...(by === null ? {} : { by }),
    data: {},
    fact,
  });
}

/** Something to keep beside the facts. */
export const note = (name: FactoryControl, key: string, block: string, data: JsonObject): JsonObject =>
  json({ kind: 'wr.factory_control', control: name, key, block, data });

/** The bytes of an artifact. What a skill wrote may hold halves of characters, which no JSON text can keep. */
export function bytesOf(content: JsonObject): Uint8Array {
  const text = canonicalJson(content).unwrapOr(null) ?? canonicalJson(wellFormed(content))._unsafeUnwrap();
  return new TextEncoder().encode(text);
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((one: JsonValue) => wellFormed(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}

/** What a fact's artifact names of a block's artifacts; those of its bytes that are no block result name none. */
export function artifactsNamedIn(bytes: Uint8Array): readonly { digest: string; format: string }[] {
  const content = parse(bytes);
  // As below: by the one writer of this type of content.
  return content?.kind === 'wr.block_result' ? (content as unknown as Stored).artifacts : [];
}

/** The event that an artifact carries. */
export function factIn(bytes: Uint8Array, workspace: string): Result<WalkEvent, RailyardError> {
  const content = parse(bytes);
  if (content?.kind === 'wr.block_result') return finishedIn(content, workspace);
  // What carries a fact was written by `bytesOf`, and its digest was checked: the shape is its writer's.
  const fact = content?.fact as WalkEvent | undefined;
  return fact ? ok(fact) : err(problem('STORE_INVARIANT_VIOLATION', 'An artifact of a fact carries none.'));
}

function finishedIn(content: JsonObject, workspace: string): Result<WalkEvent, RailyardError> {
  // As above: by the one writer of this type of content.
  const { block, attempt, outcome, metrics, notes, recordCounts, failure, error, standIn, artifacts } =
    content as unknown as Stored;
  if (artifacts.some(({ path }) => isAbsolute(path))) {
    return err(problem('STORE_INVARIANT_VIOLATION', 'A block result names an absolute path.'));
  }
  const more = standIn ? { standIn } : {};
  const found: AttemptOutcome =
    outcome === 'succeeded'
      ? {
          kind: 'succeeded',
          artifacts: artifacts.map((one) => ({ ...one, path: join(workspace, one.path) })),
          metrics,
          notes: notes ?? '',
          recordCounts: recordCounts ?? {},
          ...more,
        }
      : { kind: 'failed', failure: failure ?? 'error', error: error ?? '', metrics, ...more };
  return ok({ type: 'attempt-finished', block, attempt, outcome: found });
}

type Succeeded = Extract<AttemptOutcome, { kind: 'succeeded' }>;
type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

interface Stored {
  readonly block: string;
  readonly attempt: number;
  readonly outcome: AttemptOutcome['kind'];
  readonly metrics: Succeeded['metrics'];
  readonly notes?: string;
  readonly recordCounts?: Succeeded['recordCounts'];
  readonly failure?: Failed['failure'];
  readonly error?: string;
  readonly standIn?: AttemptOutcome['standIn'];
  readonly artifacts: Succeeded['artifacts'];
}

function parse(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

/** Facts travel through Temporal and are JSON; only their types say less. */
const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
