/** Names that the engine acts on; their schemas are the compiler's. */
import { type ContractRef } from '../model';

// Literals of the closed set of contract packs: each is a well-formed reference.
export const LOOP_CONTROL = 'wr.contracts.loop_control' as ContractRef;
export const CAPABILITY_OBSERVATION = 'wr.contracts.capability_observation' as ContractRef;
export const WORKFLOW_DIVERGENCE = 'wr.contracts.workflow_divergence' as ContractRef;
/** What an observation by a probe names as its origin. */
export const CAPABILITY_PROBE = 'wr.templates.capability_probe';
