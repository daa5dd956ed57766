/**
 * Replay (locks, section 1.2): an attempt that has been recorded is answered from what was recorded. Nothing is judged or chosen
 * again, whatever the caller hands in this time, and what is recorded by half is an error, never made good.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { type NodeId } from '../model';
import { type Session, type TokenSigner } from '../ports';
import { advanceOf, type Run, sessionView } from '../projections';
import { answerOfFacts } from './answer';
import { type AttemptKey, derived } from './derived-ids';
import { placeAt } from './place';
import { type Reading } from './ports';
import { type StepOutput } from './tools';

/** Where a recorded attempt led; null: nobody has recorded it. */
export function recordedTarget(session: Session, key: AttemptKey): Result<NodeId | null, RailyardError> {
  const view = session.project(sessionView);
  const run = view.dag.runs.get(key.runId);
  const recorded = advanceOf(view.advances, key.nodeId, key.attemptId);
  const ours = derived.node(key);
  if (!recorded) {
    // The attempt and its node are of one plan: one without the other cannot be.
    return run?.nodes.has(ours) ? err(halfRecorded(key, 'its node is there, its outcome is not')) : ok(null);
  }
  const target = recorded.outcome.kind === 'advanced' ? recorded.outcome.toNodeId : ours;
  const fault = run ? targetFault(run, key.nodeId, target) : 'its run is not there';
  return fault === null ? ok(target) : err(halfRecorded(key, fault));
}

function targetFault(run: Run, from: NodeId, to: NodeId): string | null {
  const node = run.nodes.get(to);
  if (!node) return `the node ${to} is not there`;
  if (node.parentNodeId !== from) return `the node ${to} is of another place`;
  const isLed = run.edges.findLast(({ fromNodeId, toNodeId }) => fromNodeId === from && toNodeId === to);
  return isLed ? null : `no edge leads to the node ${to}`;
}

/** The answer of an attempt that is recorded. */
export async function replay(
  reading: Reading,
  session: Session,
  key: AttemptKey,
  target: NodeId,
  signer: TokenSigner,
): Promise<Result<StepOutput, RailyardError>> {
  const run = session.project(sessionView).dag.runs.get(key.runId);
  const node = run?.nodes.get(target);
  if (!run || !node) return err(halfRecorded(key, `the node ${target} is not there`));
  const place = await placeAt(reading, session, run, node);
  if (place.isErr()) {
    const isGone = MISSING.some((code) => code === place.error.code);
    return err(isGone ? halfRecorded(key, place.error.message) : place.error);
  }
  return answerOfFacts(place.value, signer);
}

const MISSING = ['STORE_SNAPSHOT_MISSING', 'STORE_WORKFLOW_MISSING'] as const;

function halfRecorded({ runId, nodeId, attemptId }: AttemptKey, what: string): RailyardError {
  return problem(
    'STORE_INVARIANT_VIOLATION',
    `The attempt ${attemptId} has been recorded, but not whole: ${what}. It is not done again.`,
    {
      suggestion:
        'Look at the session with `railyard verify`. To go on from the same step, call continue_workflow with the stateToken alone.',
      details: { reason: 'unexpected:invariant_violation', runId, nodeId, attemptId },
    },
  );
}
