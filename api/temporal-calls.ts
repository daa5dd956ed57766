/** Calls to Temporal, bounded in time, with its errors as ours. */
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';

/** Reads and decisions answer at once or not at all; a caller is told to come back rather than kept waiting. */
export const CALL_TIMEOUT_MS = 2_000;

/** gRPC's own numbers; the package that names them is a dependency of a dependency. */
const GrpcStatus = { CANCELLED: 1, DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, UNAVAILABLE: 14 };

/** Make a call with a deadline. Bugs still throw. */
export async function callTemporal<T>(
  client: Client,
  run: string,
  call: () => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Result<T, RailyardError>> {
  try {
    return ok(await client.connection.withDeadline(Date.now() + timeoutMs, call));
  } catch (error) {
    const known = asProblem(error, run);
    if (known) return err(known);
    throw error;
  }
}

function asProblem(error: unknown, run: string): RailyardError | null {
  if (error instanceof WorkflowNotFoundError) {
    return problem('RUN_ENDED', `The run "${run}" is over, or Temporal does not have it any more.`);
  }
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return problem('RUN_EXISTS', `There is a run "${run}" already.`);
  }
  if (error instanceof WorkflowUpdateFailedError) return refusalIn(error.cause);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return away('did not answer in time');
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) return null;
  switch (cause.code) {
    case GrpcStatus.DEADLINE_EXCEEDED:
    case GrpcStatus.CANCELLED:
      return away('did not answer in time');
    case GrpcStatus.UNAVAILABLE:
      return away('cannot be reached');
    case GrpcStatus.NOT_FOUND:
      return problem('RUN_ENDED', `The run "${run}" is over, or Temporal does not have it any more.`);
    default:
      return null;
  }
}

/** The envelope that a validator in the workflow threw. */
function refusalIn(cause: Error | undefined): RailyardError | null {
  if (!(cause instanceof ApplicationFailure)) return null;
  const [envelope] = cause.details ?? [];
  // Our own workflow made it; nothing else throws ApplicationFailures out of an update.
  return (envelope ?? null) as RailyardError | null;
}

const away = (what: string): RailyardError =>
  problem('TEMPORAL_AWAY', `Temporal, or the worker of this store, ${what}.`);

/** Did nobody answer, as opposed to a refusal? */
export const isAway = (error: RailyardError): boolean => error.code === 'TEMPORAL_AWAY';
