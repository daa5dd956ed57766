/**
 * The one error table. Every error that leaves a boundary (HTTP, MCP, CLI, files) is an envelope built here: a code
 * of this closed set, a message that says what is wrong, a suggestion that says what to do, and retry advice.
 */
import { WORKRAIL_ERRORS } from './workrail-errors';

/** Retry advice; clients act on this, never on prose. */
export type Retry =
  | { readonly kind: 'not_retryable' }
  | { readonly kind: 'retryable_immediate' }
  | { readonly kind: 'retryable_after_ms'; readonly afterMs: number };

/** A row of the table. */
export interface ErrorKind {
  /** HTTP status of an answer that carries it. */
  readonly status: number;
  /** Exit code of a command that ends with it: 2 usage, 3 refused, 4 not found, 5 service away, 1 the rest. */
  readonly exit: number;
  readonly retry: Retry;
  /** What to do next, where the place that fails has nothing better to say. */
  readonly suggestion: string;
}

const never: Retry = { kind: 'not_retryable' };
const soon = (afterMs: number): Retry => ({ kind: 'retryable_after_ms', afterMs });

export const ERRORS = {
  // Input
  INPUT_INVALID: {
    status: 400,
    exit: 2,
    retry: never,
    suggestion: 'Correct the named fields and send it again.',
  },
  TEMPLATE_NOT_JSON: { status: 400, exit: 2, retry: never, suggestion: 'Mend the JSON at the named place.' },
  TEMPLATE_INVALID: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Apply the fix given with each problem.',
  },
  TEMPLATE_NOT_FOUND: { status: 404, exit: 4, retry: never, suggestion: 'Check the path of the template.' },
  PARAMETERS_MISSING: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Pass each missing parameter with -p key=value.',
  },
  SKILL_NOT_FOUND: {
    status: 422,
    exit: 4,
    retry: never,
    suggestion: 'Add the skill folder, or correct the name in the block.',
  },
  PATH_OUTSIDE_WORKSPACE: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Keep every path inside the workspace.',
  },
  WORKSPACE_BUSY: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Wait for that run to end, cancel it, or use another workspace.',
  },
  // Who is asking
  UNAUTHENTICATED: {
    status: 401,
    exit: 3,
    retry: never,
    suggestion: 'Send the key as "Authorization: Bearer <key>"; `railyard up` prints it.',
  },
  FORBIDDEN: { status: 403, exit: 3, retry: never, suggestion: 'Ask for a key with the role this needs.' },
  KEY_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'List the keys with `railyard keys list`.',
  },
  RATE_LIMITED: { status: 429, exit: 5, retry: soon(1000), suggestion: 'Wait as long as the answer says.' },
  // Runs
  RUN_NOT_FOUND: { status: 404, exit: 4, retry: never, suggestion: 'List the runs with `railyard status`.' },
  RUN_EXISTS: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Choose another run id, or read the run that has it.',
  },
  RUN_ENDED: { status: 409, exit: 3, retry: never, suggestion: 'Start a new run.' },
  RUN_STUCK: {
    status: 503,
    exit: 5,
    retry: soon(5000),
    suggestion:
      'Look at the log of the service and at the run in Temporal; after an upgrade, go back to the version that ' +
      'started the run.',
  },
  RUN_ORPHANED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Go on with it by `railyard resume <run>`, or start it again under the same id.',
  },
  RUN_MOVED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion:
      'Import the bundle of where it is now, or resume it here with --take-over if it is nowhere else.',
  },
  // Schedules
  SCHEDULE_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'List the schedules with `railyard schedule list`.',
  },
  SCHEDULE_EXISTS: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Choose another name, or delete that schedule first.',
  },
  SCHEDULE_ORPHANED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Create it again as it was, or delete it.',
  },
  // Blocks
  BLOCK_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'Use one of the block ids that `railyard status <run>` shows.',
  },
  BLOCK_NOT_FAILED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Only a failed block can be retried; `railyard status <run>` shows the states.',
  },
  WEBHOOK_REPLAYED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion:
      'Nothing to do: nothing was lost. Sign every new call anew, with a new timestamp or another body.',
  },
  // Gates
  GATE_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'Name a block that has a gate; `railyard status <run>` shows them.',
  },
  GATE_UNREACHABLE: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Retry the block first; its gate opens when it gets there.',
  },
  GATE_ALREADY_DECIDED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Nothing to do: read the outcome in the details.',
  },
  GATE_ATTEMPT_STALE: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Look at the current attempt and decide again.',
  },
  GATE_EVIDENCE_STALE: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'The artifacts changed since they were shown; look again and decide again.',
  },
  GATE_ROLE_REFUSED: {
    status: 403,
    exit: 3,
    retry: never,
    suggestion: 'Let a person with one of the named roles decide.',
  },
  GATE_SELF_APPROVAL: {
    status: 403,
    exit: 3,
    retry: never,
    suggestion: 'Let another person decide, or set "self_approval": true on the gate.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Use a key of its own for each decision.',
  },
  GATE_VOTE_REPEATED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Your vote counts once; the others must come from other people.',
  },
  OVERRIDE_NOT_ALLOWED: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Retry the block, or set "override_allowed": true on its threshold for the next run.',
  },
  OVERRIDE_NOT_POSSIBLE: {
    status: 409,
    exit: 3,
    retry: never,
    suggestion: 'Override only a block that failed its threshold.',
  },
  JUSTIFICATION_REQUIRED: {
    status: 422,
    exit: 2,
    retry: never,
    suggestion: 'Say in "justification" why the missed threshold is acceptable.',
  },
  // Artifacts
  ARTIFACT_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'Read the run: it lists the artifacts of each block with their keys and digests.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    exit: 2,
    retry: never,
    suggestion: 'Ask for a range within it, or for all of it.',
  },
  // The service and its ground
  ROUTE_NOT_FOUND: { status: 404, exit: 4, retry: never, suggestion: 'Check the method and the path.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    exit: 2,
    retry: never,
    suggestion: 'Use a method that the Allow header names.',
  },
  MCP_SESSION_NOT_FOUND: {
    status: 404,
    exit: 4,
    retry: never,
    suggestion: 'Begin anew with initialize; the workflows go on where they are, with the tokens you have.',
  },
  NOT_READY: {
    status: 503,
    exit: 5,
    retry: soon(2000),
    suggestion: 'Look at what is missing; the log of the service says more.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    exit: 2,
    retry: never,
    suggestion: 'Send a smaller body; refer to large things by path or digest.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    exit: 2,
    retry: never,
    suggestion: 'Send JSON with "Content-Type: application/json".',
  },
  SERVICE_AWAY: {
    status: 503,
    exit: 5,
    retry: soon(2000),
    suggestion: 'Start it with `railyard up`, or set RAILYARD_URL to where it runs.',
  },
  TEMPORAL_AWAY: {
    status: 503,
    exit: 5,
    retry: soon(2000),
    suggestion: 'Check that the Temporal server is up and TEMPORAL_ADDRESS is right.',
  },
  TEMPORAL_PROGRAM_MISSING: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Install the Temporal CLI and put it on PATH, or set TEMPORAL_CLI to it.',
  },
  TEMPORAL_START_FAILED: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Read the server log named above.',
  },
  PORT_BUSY: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Stop what listens there, or choose another port with --port.',
  },
  HOME_UNUSABLE: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Set RAILYARD_HOME to a directory you may write to.',
  },
  HOME_IN_USE: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Use the one that is running, stop it first, or set another RAILYARD_HOME.',
  },
  HOME_FORMAT_UNKNOWN: {
    status: 500,
    exit: 5,
    retry: never,
    suggestion: 'Use the Railyard version that wrote it, or set another RAILYARD_HOME.',
  },
  BUILD_STALE: { status: 500, exit: 5, retry: never, suggestion: 'Build it with `npm run build`.' },
  CONFIG_INVALID: { status: 500, exit: 2, retry: never, suggestion: 'Correct the named setting.' },
  ...WORKRAIL_ERRORS,
  INTERNAL: {
    status: 500,
    exit: 1,
    retry: never,
    suggestion: 'This is a bug in Railyard; please report it with the log.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** The envelope, the same everywhere. JSON all through. */
export interface RailyardError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly suggestion: string;
  readonly retry: Retry;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Build an envelope; `more` replaces the table's general suggestion and adds structured details. */
export function problem(
  code: ErrorCode,
  message: string,
  more: { suggestion?: string; details?: Readonly<Record<string, unknown>> } = {},
): RailyardError {
  const kind: ErrorKind = ERRORS[code];
  return {
    code,
    message,
    suggestion: more.suggestion ?? kind.suggestion,
    retry: kind.retry,
    ...(more.details ? { details: more.details } : {}),
  };
}

export const httpStatus = (error: RailyardError): number => ERRORS[error.code].status;
export const exitCode = (error: RailyardError): number => ERRORS[error.code].exit;
