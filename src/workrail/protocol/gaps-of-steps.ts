/** Gaps that an attempt leaves behind it, and those it closes (locks, section 3). */
import { type UserAnswer } from '../engine';
import { type CompiledStep, type GapRecorded, type Reason, reasonToGap } from '../model';
import { type Gap, openGapsOfNode, type Run, type RunNode } from '../projections';
import { type Place } from './place';

/** A gap before it has an id. */
export type NewGap = Pick<GapRecorded, 'severity' | 'reason' | 'summary'>;

/**
 * What blocked attempts at the same step have left open, wherever they stand below it: a later attempt at the step answers
 * for them, by mending them or by saying anew what is missing.
 */
export function openGapsOfStep({ view, run, node }: Pick<Place, 'view' | 'run' | 'node'>): Gap[] {
  const found: Gap[] = [];
  const open: RunNode[] = [beginningOfStep(run, node)];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.nodeKind === 'blocked_attempt') found.push(...openGapsOfNode(view.gaps, next.nodeId));
    for (const child of next.children) {
      const below = run.nodes.get(child);
      if (below && below.nodeKind !== 'step') open.push(below);
    }
  }
  return found.sort((a, b) => a.recordedAt - b.recordedAt);
}

/** The node that the step was first pending at: attempts that were blocked and checkpoints lead back to it. */
function beginningOfStep(run: Run, node: RunNode): RunNode {
  const parent = node.parentNodeId === null ? undefined : run.nodes.get(node.parentNodeId);
  return node.nodeKind === 'step' || !parent ? node : beginningOfStep(run, parent);
}

/** Where nobody could be asked, the agent's word counts: disclosed, so that whoever reads the run can see it. */
export function claimsOf(step: CompiledStep, answeredBy: UserAnswer | null): NewGap[] {
  if (answeredBy !== 'agent_claim') return [];
  const about = { kind: 'workflow_step' as const, stepId: step.stepId };
  const found = 'No person could be asked here: the agent says that the person agreed.';
  const claimed: Reason[] = [
    ...(step.nonAssumableChoice
      ? [
          {
            code: 'user_only_dependency:needs_user_choice' as const,
            about,
            choice: step.nonAssumableChoice,
            found,
          },
        ]
      : []),
    ...(step.requireConfirmation
      ? [{ code: 'user_only_dependency:needs_user_approval' as const, about, found }]
      : []),
  ];
  return claimed.map((reason) => ({ ...reasonToGap(reason), severity: 'warning' as const }));
}
