/** The join of factory runs and WorkRail sessions: a run is a session, its facts are events (design, section 4). */
export type * from './facts';
export type * from './run-activities';
export type * from './audit';
export { artifactsNamedIn, FACT_TYPE } from './carrier';
export { FactoryIds, factoryRunId } from './ids';
export { isLost } from './lost';
export { RunLedger, type NewDriver, type RunStart } from './run-ledger';
export { runIn, RunShelf, type LedgerPorts, type Read } from './run-shelf';
export { type AgentHost, type Delivery, type HandedIn } from './agent-host';
export { FactorySteward } from './factory-steward';
export { OWN_STEPS, skillWorkflow, type AgentWorkflows } from './pinned';
