/** Counting approvals: distinct people, each in one role. */
import type { GateRule } from '../plan';
import type { GateState } from '../run-state';

export interface Tally {
  readonly have: number;
  readonly need: number;
}

/** How far the approvals are. A person votes once (the caller sees to that), so a vote is a person. */
export function tally({ quorum, approvers }: GateRule, votes: GateState['votes']): Tally {
  if (quorum === 'any') return { have: votes.length, need: 1 };
  if (quorum !== 'all') return { have: votes.length, need: quorum };
  // Without named roles there is no role to fill: one person is all of them.
  if (approvers.length === 0) return { have: votes.length, need: 1 };
  return { have: new Set(votes.map(({ role }) => role)).size, need: new Set(approvers).size };
}
