/** The codes of the WorkRail parts, joined into the one table of `errors.ts` (locks, sections 1.2, 1.3 and 12). */
import { type ErrorKind, type Retry } from './errors';

const never: Retry = { kind: 'not_retryable' };
const soon = (afterMs: number): Retry => ({ kind: 'retryable_after_ms', afterMs });

/** After this long a lock that was busy is worth another try. */
const LOCK_RETRY_MS = 1000;

export const WORKRAIL_ERRORS = {
  // Sessions and their store
  SESSION_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'List the sessions with `railyard sessions`.',
  },
  SESSION_EXISTS: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Use the session that is there, or another id.',
  },
  SESSION_LOCKED: {
    status: 503,
    exit: 5,
    retry: soon(LOCK_RETRY_MS),
    suggestion: 'Retry in a moment; if this persists, see which other process works on this session.',
  },
  SESSION_CORRUPT: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion:
      'Look at it with `railyard verify <session>`; `railyard repair` sets an unfinished append aside.',
  },
  SESSION_UNKNOWN_VERSION: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Use the Railyard version that wrote this session.',
  },
  BLOCK_CLOSED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Nothing was recorded. Find what is open with resume_session.',
  },
  SUPERSEDED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Nothing to do: another workflow drives this run now. See `railyard status <run>`.',
  },
  STORE_BEHIND: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion:
      'The store is an older copy than the run: bring the newer one back, or go on from this one with `railyard resume <run>`.',
  },
  STORE_PLAN_INVALID: {
    status: 500,
    exit: 1,
    retry: never,
    suggestion: 'Nothing was written. This is a bug in Railyard; please report it with the log.',
  },
  STORE_INVARIANT_VIOLATION: {
    status: 500,
    exit: 1,
    retry: never,
    suggestion: 'Nothing was written. This is a bug in Railyard; please report it with the log.',
  },
  STORE_WITNESS_INVALID: {
    status: 500,
    exit: 1,
    retry: never,
    suggestion: 'Nothing was written. Append only inside the gate that gave the witness.',
  },
  STORE_SNAPSHOT_MISSING: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Restore the snapshot from a backup, or import the session from a bundle.',
  },
  STORE_SNAPSHOT_CORRUPT: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Restore the snapshot from a backup, or import the session from a bundle.',
  },
  STORE_WORKFLOW_MISSING: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Restore the pinned workflow from a backup, or import the session from a bundle.',
  },
  STORE_WORKFLOW_CORRUPT: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Restore the pinned workflow from a backup, or import the session from a bundle.',
  },
  STORE_KEYRING_INVALID: {
    status: 500,
    exit: 1,
    retry: never,
    suggestion:
      'Restore workrail/keys/keyring.json, or remove it: tokens given out so far are then void, the truth is not.',
  },
  STORE_FULL: {
    status: 507,
    exit: 5,
    retry: soon(30_000),
    suggestion: 'Nothing was lost and nothing half written is counted. Make room on the disk, then retry.',
  },
  STORE_IO: {
    status: 500,
    exit: 5,
    retry: soon(1000),
    suggestion: 'Check the disk and the permissions of the data directory.',
  },
  // Bundles
  BUNDLE_INVALID_FORMAT: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Export the session again; the named place is not as a bundle has it.',
  },
  BUNDLE_UNSUPPORTED_VERSION: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Import it with the Railyard version that wrote it, or a newer one.',
  },
  BUNDLE_INTEGRITY_FAILED: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'The bundle was changed or damaged on its way; export and copy it again.',
  },
  BUNDLE_MISSING_SNAPSHOT: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'The bundle is not complete; export the session again.',
  },
  BUNDLE_MISSING_PINNED_WORKFLOW: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'The bundle is not complete; export the session again.',
  },
  BUNDLE_EVENT_ORDER_INVALID: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'The events of the bundle have a gap or are out of order; export the session again.',
  },
  BUNDLE_MANIFEST_ORDER_INVALID: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'The manifest of the bundle has a gap or is out of order; export the session again.',
  },
  // Tokens
  TOKEN_INVALID_FORMAT: {
    status: 400,
    exit: 2,
    retry: never,
    suggestion: 'Pass the token exactly as the last answer gave it, whole and unchanged.',
  },
  TOKEN_UNSUPPORTED_VERSION: {
    status: 400,
    exit: 2,
    retry: never,
    suggestion: 'Get fresh tokens with resume_session.',
  },
  TOKEN_BAD_SIGNATURE: {
    status: 403,
    exit: 3,
    retry: never,
    suggestion:
      'This store did not sign the token, or its key is gone; get fresh tokens with resume_session.',
  },
  TOKEN_SCOPE_MISMATCH: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Use two tokens that came together in one answer.',
  },
  TOKEN_UNKNOWN_NODE: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'This store does not have the node; get fresh tokens with resume_session.',
  },
  TOKEN_WORKFLOW_HASH_MISMATCH: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'The token is of another version of the workflow; get fresh tokens with resume_session.',
  },
  TOKEN_SESSION_LOCKED: {
    status: 503,
    exit: 5,
    retry: soon(LOCK_RETRY_MS),
    suggestion:
      'Retry in a moment with the same tokens; if this persists, see which other process works on it.',
  },
  // Workflows and their steps
  WORKFLOW_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'List the workflows with list_workflows.',
  },
  WORKFLOW_NOT_JSON: { status: 400, exit: 2, retry: never, suggestion: 'Mend the JSON at the named place.' },
  WORKFLOW_INVALID: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Apply the fix given with each problem.',
  },
  WORKFLOW_UNREADABLE: {
    status: 409,
    exit: 1,
    retry: never,
    suggestion: 'Check that the file is there and may be read.',
  },
  WORKFLOW_ID_TAKEN: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Give one of the two another id, or remove it.',
  },
  STEP_NOT_PENDING: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Nothing to do: the run is at its end.',
  },
  STEP_NEEDS_PERSON: {
    status: 403,
    exit: 3,
    retry: never,
    suggestion: 'Leave it to the person it waits for, and continue after that.',
  },
  // Input of the tools
  VALIDATION_ERROR: {
    status: 400,
    exit: 2,
    retry: never,
    suggestion: 'Correct the named fields and call again.',
  },
} as const satisfies Record<string, ErrorKind>;
