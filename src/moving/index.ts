/** Runs that move house: from one data directory to another, in any state; and what became of them, told from a store alone. */
export { auditRun, ledgerOf, noRun } from './audit-run';
export { exportFrom, type ExportOptions } from './export-run';
export { fenceRun } from './fence-run';
export { findSession, type FoundSession } from './find-session';
export { importInto, type ImportedBundle, type ImportGround, type ImportedRun } from './import-run';
export { putArtifacts } from './put-artifacts';
