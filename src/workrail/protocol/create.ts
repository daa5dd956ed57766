import { listWorkflows, inspectWorkflow } from './catalog';
import { checkpointWorkflow } from './checkpoint';
import { Contents } from './contents';
import { continueWorkflow } from './continue';
import { type ProtocolPorts, type Reading, type Writing } from './ports';
import { type AskPerson, type Protocol } from './protocol';
import { resumeSession } from './resume';
import { startWorkflow } from './start';
import { nobody } from './steward';

const cannotAsk: AskPerson = () => Promise.resolve('cannot_ask');

/** The use cases behind the six tools, on a store. Several may be on one store, in one process or many. */
export function createProtocol(ports: ProtocolPorts): Protocol {
  const { sessions, snapshots, workflows, artifacts, minting, catalog, signer } = ports;
  const { steward = nobody } = ports;
  const contents = new Contents(snapshots, workflows);
  const reading: Reading = { sessions, contents, catalog, signer, minting, steward };
  const writing: Writing = { ...reading, sessions, minting, steward, workflows, artifacts };
  return {
    list_workflows: () => listWorkflows(catalog),
    inspect_workflow: (input) => inspectWorkflow(catalog, input),
    start_workflow: (input) => startWorkflow(writing, input),
    continue_workflow: (input, ask = cannotAsk) => continueWorkflow(writing, input, ask),
    checkpoint_workflow: (input) => checkpointWorkflow(writing, input),
    resume_session: (input) => resumeSession(reading, input),
  };
}
