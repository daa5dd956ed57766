/** Failures and gates in the words of the one reason table. */
import { type FailureClass, type GateState } from '../factory/run-state';
import { reasonToGap, StepId, type Reason } from '../workrail/model';
import { BLOCK_RESULT, PERFORM } from './pinned';

/** Why an attempt was missed. */
export function failureReason(failure: FailureClass, found: string): Reason {
  const contract = { kind: 'output_contract' as const, contractRef: BLOCK_RESULT };
  switch (failure) {
    case 'missing_artifact':
    case 'metric_missing':
      return { code: 'contract_violation:missing_required_output', about: contract, found };
    case 'threshold_not_met':
    case 'gate_rejected':
      return { code: 'contract_violation:invalid_required_output', about: contract, found };
    case 'error':
    case 'timeout':
    case 'cancelled':
      return {
        code: 'unexpected:invariant_violation',
        about: { kind: 'workflow_step', stepId: PERFORM },
        found: `${failure}: ${found}`,
        fix: 'Look at the logs of the attempt, mend what is wrong, and retry the block.',
      };
  }
}

/** A gate waits for a person. */
export const gateReason = ({ block, gate, attempt }: GateState) =>
  reasonToGap({
    code: 'user_only_dependency:needs_user_approval',
    about: { kind: 'workflow_step', stepId: StepId.parse(`gate_${gate}`) },
    found: `The gate ${gate} "${block}", attempt ${attempt}, waits for a decision.`,
  });
