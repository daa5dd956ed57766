/** What keeps a step from being left: outputs, capabilities, people (locks, sections 3, 9 and 18). */
import { type Capability, type CapabilityStatus, type CompiledStep, type EmbeddedContract } from '../model';
import { missingCapabilities } from './capabilities';
import { checkContract } from './contract-check';
import { readLoopControl } from './loop-control';
import { reason, type Reason } from './reasons';
import { unmet } from './validation';
import { type WorkflowIndex } from './workflow-index';

/** What was handed in for the pending step. */
export interface StepOutput {
  /** Fresh notes on this step alone; empty: none. */
  readonly notesMarkdown: string;
  readonly artifacts: readonly unknown[];
}

/** Who answered what a step asks of a person. An agent's claim passes where nobody can be asked, and stays a claim. */
export type UserAnswer = 'person' | 'agent_claim' | 'none';

/** Does the step need notes? Where a contract asks for an artifact, that is the output. */
export const needsNotes = ({ outputContract, performedBy }: CompiledStep): boolean =>
  outputContract === undefined && performedBy === 'agent';

/** Why the outputs of a step are not enough. A contract goes before criteria. */
export function lackingOutputs(index: WorkflowIndex, step: CompiledStep, output: StepOutput): Reason[] {
  const ref = step.outputContract?.contractRef;
  const contract = ref === undefined ? undefined : index.contracts.get(ref);
  if (contract) return contractReasons(index, step, contract, output.artifacts);
  return notesReasons(step, output.notesMarkdown);
}

function contractReasons(
  index: WorkflowIndex,
  { stepId }: CompiledStep,
  contract: EmbeddedContract,
  artifacts: readonly unknown[],
): Reason[] {
  const loopId = index.decides.get(stepId);
  const checked = loopId ? readLoopControl(contract, artifacts, loopId) : checkContract(contract, artifacts);
  if (checked.kind === 'found') return [];
  const { contractRef, artifactKind, example } = contract;
  const about = { kind: 'output_contract' as const, contractRef };
  const fix = `Put an artifact like this into output.artifacts: ${JSON.stringify(example)}`;
  if (checked.kind === 'invalid') {
    const message = `The artifact "${artifactKind}" does not satisfy ${contractRef}: ${checked.faults.join('; ')}`;
    return [reason({ code: 'contract_violation:invalid_required_output', about }, message, fix)];
  }
  const instead = checked.submitted.length > 0 ? ` Submitted were: ${checked.submitted.join(', ')}.` : '';
  const message = `Step "${stepId}" needs an artifact of kind "${artifactKind}" under ${contractRef}.${instead}`;
  return [reason({ code: 'contract_violation:missing_required_output', about }, message, fix)];
}

function notesReasons(step: CompiledStep, notes: string): Reason[] {
  const { stepId, validationCriteria } = step;
  const about = { kind: 'workflow_step' as const, stepId };
  if (notes.trim() === '') {
    if (!needsNotes(step) && !validationCriteria) return [];
    return [
      reason(
        { code: 'contract_violation:missing_required_output', about },
        `Step "${stepId}" needs notes.`,
        'Write output.notesMarkdown: what you did in this step, what you produced, what is open.',
      ),
    ];
  }
  const broken = validationCriteria ? unmet(validationCriteria, notes) : [];
  if (broken.length === 0) return [];
  return [
    reason(
      { code: 'contract_violation:invalid_required_output', about },
      `The notes of step "${stepId}" do not show what they must: ${broken.join('; ')}`,
      `Do what is missing and show it in output.notesMarkdown: ${broken.join('; ')}`,
    ),
  ];
}

/** What only a person can give. A choice is asked for only where the workflow says that nobody may assume it. */
export function lackingAnswers(step: CompiledStep, answer: UserAnswer): Reason[] {
  if (answer !== 'none') return [];
  const { stepId, nonAssumableChoice, requireConfirmation } = step;
  const about = { kind: 'workflow_step' as const, stepId };
  const choice = nonAssumableChoice
    ? [
        reason(
          { code: 'user_only_dependency:needs_user_choice', about, choice: nonAssumableChoice },
          `Step "${stepId}" holds a choice that nobody may assume (${nonAssumableChoice}).`,
          'Ask the user to choose, and continue with the answer.',
        ),
      ]
    : [];
  const approval = requireConfirmation
    ? [
        reason(
          { code: 'user_only_dependency:needs_user_approval', about },
          `Step "${stepId}" goes on only after the user has confirmed it.`,
          'Show the user the result of this step, and continue once it is confirmed.',
        ),
      ]
    : [];
  return [...choice, ...approval];
}

/** Required capabilities that are missing, as far as this step is the one to say so. */
export function lackingCapabilities(
  index: WorkflowIndex,
  step: CompiledStep,
  known: ReadonlyMap<Capability, CapabilityStatus>,
  neverStops: boolean,
): Reason[] {
  // Without stopping, the probe step discloses it once; repeating it at every step would say nothing new.
  const disclosed =
    neverStops && step.probes === undefined && index.workflow.steps.some(({ probes }) => probes);
  return disclosed ? [] : missingCapabilities(index, step, known);
}
