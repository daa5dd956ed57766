/** Calls to Temporal, bounded in time, with its errors as ours. */
import {
  isGrpcServiceError,
  QueryNotRegisteredError,
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

/**
 * Reads and decisions answer at once or not at all: while Temporal is away, a caller is told within two seconds to come back,
 * and this leaves the rest of a request its share of them.
 */
export const CALL_TIMEOUT_MS = 1_800;

/** What a worker must answer: longer than the time after which Temporal gives a dead worker's task to the next one. */
export const ANSWER_TIMEOUT_MS = 5_000;

/** gRPC's own numbers; the package that names them is a dependency of a dependency. */
const GRPC = {
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unavailable: 14,
};

/** Calls that are not answered yet, by their client. */
const underWay = new WeakMap<Client, Set<Promise<unknown>>>();

/** Make a call with a deadline. Bugs still throw. */
export async function callTemporal<T>(
  client: Client,
  run: string,
  call: () => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Result<T, RailyardError>> {
  const calls = underWay.get(client) ?? new Set();
  underWay.set(client, calls);
  const made = client.connection.withDeadline(Date.now() + timeoutMs, call);
  calls.add(made);
  try {
    return ok(await made);
  } catch (error) {
    const known = asProblem(error, run);
    if (known) return err(known);
    throw error;
  } finally {
    calls.delete(made);
  }
}

/**
 * Close the connection of a client when its calls are answered, which all have a deadline. The SDK tries a call again from a
 * timer, and one that comes upon a closed connection throws where nobody can catch it.
 */
export async function closeClient(client: Client): Promise<void> {
  const calls = underWay.get(client);
  while (calls && calls.size > 0) await Promise.allSettled(calls);
  await client.connection.close();
}

function asProblem(error: unknown, run: string): RailyardError | null {
  if (error instanceof WorkflowNotFoundError) return ended(run);
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return problem('RUN_EXISTS', `There is a run "${run}" already.`);
  }
  if (error instanceof WorkflowUpdateFailedError) return refusalIn(error.cause);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return away('did not answer in time');
  // The SDK's name for every query that the worker failed: the run's code does not fit its history.
  if (error instanceof QueryNotRegisteredError) return stuck(run, error.message);
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? asRefusal(cause, run) : null;
}

function asRefusal({ code, details }: { code: number; details: string }, run: string): RailyardError | null {
  switch (code) {
    case GRPC.deadlineExceeded:
    case GRPC.cancelled:
      return away('did not answer in time');
    case GRPC.unavailable:
      return away('cannot be reached');
    case GRPC.resourceExhausted:
      return away(`has too much to do: ${details}`);
    // So the server answers queries and updates of a run whose workflow task failed several times.
    case GRPC.failedPrecondition:
      return stuck(run, details);
    case GRPC.notFound:
      return ended(run);
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

const ended = (run: string): RailyardError =>
  problem('RUN_ENDED', `The run "${run}" is over, or Temporal does not have it any more.`);

const away = (what: string): RailyardError =>
  problem('TEMPORAL_AWAY', `Temporal, or the worker of this store, ${asSentence(what)}`);

const stuck = (run: string, why: string): RailyardError =>
  problem('RUN_STUCK', `The run "${run}" does not go on: ${asSentence(why)}`);

const asSentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Did nobody answer, as opposed to a refusal? */
export const isAway = (error: RailyardError): boolean => error.code === 'TEMPORAL_AWAY';
