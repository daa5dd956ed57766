/** Retention and garbage collection: what goes, when, and what must not. */
export { collectGarbage, type RetentionReport, type RetentionRun, type RetentionStores } from './collect';
export { factsOf, rootsOf, type SessionFacts } from './facts';
export {
  DEFAULT_POLICY,
  expiredSessions,
  safeModeWarnings,
  unreachable,
  type RetentionPolicy,
  type SafeModeWarning,
} from './plan';
