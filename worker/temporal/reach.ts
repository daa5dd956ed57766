import { setTimeout as pause } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { type ConnectionSettings } from './connection-settings';
import { reasonOf } from './ways';

/** Why a Temporal server cannot be used, as a sentence. */
export interface Unreachable {
  readonly sentence: string;
  /** A passing reason may be gone a moment later; silence is one that says the least. */
  readonly lasts: 'lasting' | 'passing' | 'silence';
}

/** gRPC status codes that tell something apart. */
const GRPC = {
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

const AGAIN_AFTER_MS = 100;

/** Wait until the server answers and has the namespace, for at most `withinMs`. A lasting reason ends the wait. */
export async function reach(
  settings: ConnectionSettings,
  namespace: string,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal },
): Promise<Result<undefined, Unreachable>> {
  const deadline = Date.now() + withinMs;
  let reason: Unreachable | null = null;
  for (;;) {
    const answer = await ask(settings, namespace, deadline);
    if (answer.isOk() || answer.error.lasts === 'lasting') return answer;
    // The last try may be cut off by the deadline; what an earlier one found out is worth more.
    if (reason === null || answer.error.lasts === 'passing') reason = answer.error;
    if (signal?.aborted === true || Date.now() + AGAIN_AFTER_MS >= deadline) return err(reason);
    await pause(AGAIN_AFTER_MS);
  }
}

async function ask(
  settings: ConnectionSettings,
  namespace: string,
  deadline: number,
): Promise<Result<undefined, Unreachable>> {
  let connection: Connection | null = null;
  try {
    // Without interceptors there are no retries, which would hide the reason until the deadline.
    const asking = (connection = Connection.lazy({ ...settings, interceptors: [] }));
    await asking.withDeadline(deadline, () => asking.workflowService.getSystemInfo({}));
    await asking.withDeadline(deadline, () => asking.workflowService.describeNamespace({ namespace }));
    return ok(undefined);
  } catch (error) {
    return err(explain(error, settings.address, namespace));
  } finally {
    await connection?.close();
  }
}

/** One sentence that names the address and what is wrong with it. */
function explain(error: unknown, address: string, namespace: string): Unreachable {
  const lasting = (sentence: string): Unreachable => ({ sentence, lasts: 'lasting' });
  const passing = (sentence: string): Unreachable => ({ sentence, lasts: 'passing' });
  if (!isGrpcServiceError(error)) {
    return lasting(`"${address}" is not the address of a Temporal server: ${reasonOf(error)}.`);
  }
  const { details } = error;
  const code: number = error.code;
  if (details.includes('ERR_SOCKET_BAD_PORT')) return lasting(`"${address}" has no valid port.`);
  if (details.includes('ECONNREFUSED')) return passing(`Nothing listens at ${address} (connection refused).`);
  if (details.includes('Name resolution failed')) {
    return passing(`The host name in "${address}" does not resolve.`);
  }
  if (details.includes('Protocol error') || code === GRPC.UNIMPLEMENTED) {
    return lasting(`Something answers at ${address}, but it is not a Temporal server.`);
  }
  switch (code) {
    case GRPC.DEADLINE_EXCEEDED:
      return { sentence: `The Temporal server at ${address} does not answer.`, lasts: 'silence' };
    case GRPC.NOT_FOUND:
      return lasting(`The Temporal server at ${address} has no namespace "${namespace}".`);
    case GRPC.UNAUTHENTICATED:
    case GRPC.PERMISSION_DENIED:
      return lasting(
        `The Temporal server at ${address} refused the credentials for "${namespace}": ${details}.`,
      );
    default:
      return passing(`The Temporal server at ${address} cannot be used: ${details}`);
  }
}
