/**
 * The engine's door. A caller pins a compiled workflow, then:
 *
 * 1. `start(workflow)` gives the first snapshot and its trace;
 * 2. `renderPending(workflow, snapshot, {recap})` gives the text for the agent (an error once the run is complete);
 * 3. `advance(workflow, snapshot, acknowledgement)` gives `blocked` with reasons (the step stays pending), or `advanced`
 *    with the next snapshot, its trace, and the gaps that never-stop has to disclose. Its `findings` and `divergences`
 *    are facts to record in either case.
 *
 * Nothing here reads a clock, a file or the environment. Reasons are data (`code`, `about`, `found`, `fix`); mapping
 * them to blockers and gaps is the caller's table. A trace that needs several events goes through `splitTrace`.
 */
export { advance, start, type Acknowledgement, type Advance, type Started } from './advance';
export { knownCapabilities, type CapabilityFinding } from './capabilities';
export { checkContract, type ContractCheck } from './contract-check';
export { type Divergence } from './divergence';
export { readLoopControl, type LoopControl } from './loop-control';
export { compilePattern, MAX_PATTERN_LENGTH } from './pattern';
export { MAX_FUNCTIONS_BYTES } from './prompt-functions';
export { type Reason, type ReasonCode } from './reasons';
export {
  MAX_PROMPT_BYTES,
  MAX_RECAP_BYTES,
  renderPending,
  type Additions,
  type RenderedStep,
} from './render-prompt';
export { needsNotes, type StepOutput, type UserAnswer } from './requirements';
export { splitTrace } from './trace';
export { rulesOf } from './validation';
export { CAPABILITY_OBSERVATION, CAPABILITY_PROBE, LOOP_CONTROL, WORKFLOW_DIVERGENCE } from './well-known';
