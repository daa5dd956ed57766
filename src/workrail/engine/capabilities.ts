/** Required capabilities: only strong observations count; what an agent claims unlocks nothing (locks, appendix). */
import {
  type Capability,
  type CapabilityObserved,
  type CapabilityStatus,
  type CompiledStep,
  type StepId,
} from '../model';
import { checkContract } from './contract-check';
import { reason, type Reason } from './reasons';
import { CAPABILITY_OBSERVATION, CAPABILITY_PROBE } from './well-known';
import { type WorkflowIndex } from './workflow-index';

/** An observation before it has an id. */
export type CapabilityFinding = Omit<CapabilityObserved, 'capObsId'>;

/** What is known of each capability: the last strong observation, in the order of their events. */
export function knownCapabilities(
  observations: readonly CapabilityFinding[],
): ReadonlyMap<Capability, CapabilityStatus> {
  return new Map(
    observations
      .filter(({ provenance }) => provenance.enforcementGrade === 'strong')
      .map(({ capability, status }) => [capability, status]),
  );
}

/** What a probe step found out; null: it is none, or its artifact says nothing. */
export function findingOf(
  { contracts }: WorkflowIndex,
  { stepId, probes }: CompiledStep,
  artifacts: readonly unknown[],
): CapabilityFinding | null {
  const contract = contracts.get(CAPABILITY_OBSERVATION);
  if (probes === undefined || !contract) return null;
  const mine = artifacts.filter((one) => isAbout(one, probes));
  const checked = checkContract(contract, mine);
  if (checked.kind !== 'found') return null;
  const available = checked.artifact.status === 'available';
  return {
    capability: probes,
    status: available ? 'available' : 'unavailable',
    provenance: {
      kind: 'probe_step',
      enforcementGrade: 'strong',
      detail: {
        probeTemplateId: CAPABILITY_PROBE,
        probeStepId: stepId,
        result: available ? 'success' : 'failure',
      },
    },
  };
}

const isAbout = (artifact: unknown, capability: Capability): boolean =>
  typeof artifact === 'object' &&
  artifact !== null &&
  'capability' in artifact &&
  artifact.capability === capability;

/** Required capabilities that are not known to be there. A probe step answers for its own only. */
export function missingCapabilities(
  { workflow }: WorkflowIndex,
  { stepId, probes }: CompiledStep,
  known: ReadonlyMap<Capability, CapabilityStatus>,
): Reason[] {
  return workflow.capabilities
    .filter(({ requirement }) => requirement === 'required')
    .filter(({ capability }) => probes === undefined || capability === probes)
    .flatMap(({ capability }) => {
      const status = known.get(capability) ?? 'unknown';
      return status === 'available' ? [] : [lacking(capability, status, stepId)];
    });
}

function lacking(
  capability: Capability,
  status: Exclude<CapabilityStatus, 'available'>,
  stepId: StepId,
): Reason {
  const about = { kind: 'capability' as const, capability };
  const details = { capability, status, stepId };
  return status === 'unknown'
    ? reason(
        { code: 'capability_missing:required_capability_unknown', about },
        `The workflow requires ${capability}; no probe has shown that it is there.`,
        `Try ${capability} once and submit what happened as an artifact under ${CAPABILITY_OBSERVATION}.`,
        details,
      )
    : reason(
        { code: 'capability_missing:required_capability_unavailable', about },
        `The workflow requires ${capability}, and a probe found it unavailable.`,
        `Make ${capability} available and submit a new observation, or use a workflow that does not require it.`,
        details,
      );
}
