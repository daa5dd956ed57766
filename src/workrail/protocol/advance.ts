/**
 * Advance (locks, section 1.2): the one use case that appends what becomes of a step. A recorded attempt is answered without
 * the lock. What can take time (asking a person, keeping artifacts) comes before the lock; under it the attempt is looked
 * for again, and what is new is one plan.
 */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type NodeId } from '../model';
import { type AppendWitness, type Session, type TokenSigner } from '../ports';
import { sessionView } from '../projections';
import { type AckPayload, asTokenProblem } from '../tokens';
import { contextAfter, jsonField, preferenceChanges } from './input';
import { judge } from './judgement';
import { keepArtifacts } from './outputs';
import { type Place } from './place';
import { type Attempt, planAdvance } from './plan-advance';
import { type Writing } from './ports';
import { type AskPerson } from './protocol';
import { recordedTarget, replay } from './replay';
import { type StepOutput, type ToolInput } from './tools';

type Input = ToolInput<'continue_workflow'>;

/** Acknowledge the pending step of a place. */
export async function advance(
  writing: Writing,
  place: Place,
  ack: AckPayload,
  input: Input,
  signer: TokenSigner,
  ask: AskPerson,
): Promise<Result<StepOutput, RailyardError>> {
  const known = recordedTarget(place.session, ack);
  if (known.isErr()) return err(known.error);
  if (known.value !== null) return replay(writing, place.session, ack, known.value, signer);
  if (place.tended?.refusal) return err(place.tended.refusal);
  const attempt = await prepare(writing, place, ack, input, ask);
  if (attempt.isErr()) return err(attempt.error);
  const recorded = await (place.tended
    ? recordTended(writing, place, attempt.value, input)
    : record(writing, place, attempt.value));
  if (recorded.isErr()) return err(asTokenProblem(recorded.error));
  const { session, target } = recorded.value;
  return replay(writing, session, ack, target, signer);
}

/** All that is done before the lock is taken. Whatever is refused here is not recorded. */
async function prepare(
  writing: Writing,
  place: Place,
  key: AckPayload,
  { output, context, preferences, fork }: Input,
  ask: AskPerson,
): Promise<Result<Attempt, RailyardError>> {
  const { notesMarkdown = '', artifacts = [] } = output ?? {};
  const stored = place.view.contexts.byRun.get(place.run.runId)?.context ?? {};
  const usable = jsonField('output', { notesMarkdown, artifacts }).andThen(() =>
    contextAfter(stored, context),
  );
  if (usable.isErr()) return err(usable.error);
  const changes = preferenceChanges(preferences);
  const judged = await judge(place, { notesMarkdown, artifacts }, changes, ask);
  if (judged.isErr()) return err(judged.error);
  const kept = await keepArtifacts(writing.artifacts, artifacts);
  if (kept.isErr()) return err(kept.error);
  return ok({
    ...{ key, judged: judged.value, notesMarkdown, artifacts: kept.value, changes, context },
    fork: fork === true,
  });
}

interface Recorded {
  readonly session: Session;
  readonly target: NodeId;
}

function record(
  { sessions, minting, contents }: Writing,
  place: Place,
  attempt: Attempt,
): Promise<Result<Recorded, RailyardError>> {
  return sessions.withSession(
    place.session.sessionId,
    async (session, witness): Promise<Result<Recorded, RailyardError>> => {
      // Somebody may have recorded the same attempt meanwhile.
      const known = recordedTarget(session, attempt.key);
      if (known.isErr()) return err(known.error);
      if (known.value !== null) return ok({ session, target: known.value });
      return appendAttempt(session, witness, { ...place, ...standing(session, place) }, attempt);
    },
  );

  async function appendAttempt(
    session: Session,
    witness: AppendWitness,
    now: Place,
    { judged, key }: Attempt,
  ): Promise<Result<Recorded, RailyardError>> {
    const plan = planAdvance(now, attempt, minting);
    if (plan.isErr()) return err(plan.error);
    const appended = await sessions.append(witness, [plan.value]);
    if (appended.isErr()) return err(appended.error);
    if (judged.kind === 'advanced') contents.remember(judged.snapshot);
    return recordedTarget(session, key).map((target) => {
      if (target === null) throw new Error(`Bug: the attempt ${key.attemptId} was appended and is not there`);
      return { session, target };
    });
  }
}

/** The same in a session that a factory runs too: it takes part. */
async function recordTended(
  { steward, minting, contents }: Writing,
  place: Place,
  attempt: Attempt,
  { output }: Input,
): Promise<Result<Recorded, RailyardError>> {
  const { session, run, node } = place;
  const recorded = await steward.record({
    ...{ session, runId: run.runId, nodeId: node.nodeId, judged: attempt.judged },
    notesMarkdown: attempt.notesMarkdown,
    artifacts: output?.artifacts ?? [],
    plan: (now, judged) => {
      const known = recordedTarget(now, attempt.key);
      if (known.isErr()) return err(known.error);
      if (judged.kind === 'advanced') contents.remember(judged.snapshot);
      return planAdvance({ ...place, ...standing(now, place) }, { ...attempt, judged }, minting);
    },
  });
  if (recorded.isErr()) {
    // Somebody may have recorded the same attempt meanwhile: then its answer is the answer.
    const known = recordedTarget(session, attempt.key);
    return known.isOk() && known.value !== null ? ok({ session, target: known.value }) : err(recorded.error);
  }
  return recordedTarget(recorded.value, attempt.key).map((target) => {
    if (target === null) throw new Error(`Bug: the attempt ${attempt.key.attemptId} is not there`);
    return { session: recorded.value, target };
  });
}

/** A place as the session under its lock has it: others may have left it meanwhile. */
function standing(session: Session, { run, node }: Place): Pick<Place, 'session' | 'view' | 'run' | 'node'> {
  const view = session.project(sessionView);
  const now = view.dag.runs.get(run.runId);
  const here = now?.nodes.get(node.nodeId);
  // A session only grows.
  if (!now || !here) throw new Error(`Bug: the node ${node.nodeId} has gone`);
  return { session, view, run: now, node: here };
}
