/**
 * The protocol's door: the use cases behind the six tools (locks, sections 1.2, 2.3, 3 to 5, 16.3.1 and 18).
 *
 * `createProtocol(ports)` on a store, its keys and a catalog of workflows gives one function for each tool. Input has been read
 * by the tool's schema (`TOOLS[name].input`); an answer satisfies `TOOLS[name].output`, and an error is the one envelope.
 */
export { createProtocol } from './create';
export { type CurrentSigner, type ProtocolPorts } from './ports';
export {
  type AskPerson,
  type KnownWorkflow,
  type Protocol,
  type UnusableWorkflow,
  type WorkflowCatalog,
} from './protocol';
export {
  TOOLS,
  type StepOutput,
  type Tool,
  type ToolHints,
  type ToolInput,
  type ToolName,
  type ToolOutput,
} from './tools';
export { type Steward, type Tended, type TendedAttempt } from './steward';
