/** The activities: what runs outside of workflows. */
export { agentWorkflows, isAgentRuntime } from './agent-skill';
export { createAgentActivities } from './agent-host';
export { createLedgerActivities } from './ledger';
export { createLocalProgram, type LocalProgramOptions } from './local-program';
export { createNoopRuntime } from './noop-runtime';
export { reapOrphans } from './reap';
export { createAttemptActivities, type AttemptHost } from './run-attempt';
export { findMissingSkills } from './skill-folder';
export { watchAttempts, type AttemptEnd, type AttemptWatch } from './watch-attempts';
export { type SkillJob, type SkillOutcome, type SkillRequest, type SkillRuntime } from './skill-runtime';
export { agentHostOf, openLedgerOf, type HomeLedger, type LedgerOptions } from './open-ledger';
