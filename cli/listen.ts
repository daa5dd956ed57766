/** Listening for HTTP, with a clear word where the port is taken. */
import { createServer } from 'node:net';
import { type FastifyInstance } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';

/** Is the port free? Asked first, since a busy port is found out in no time and a Temporal server takes two seconds. */
export function probePort(host: string, port: number): Promise<Result<void, RailyardError>> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(err(cannotListen(host, port, error))));
    probe.listen(port, host, () => probe.close(() => resolve(ok())));
  });
}

/** Listen; answers with the URL. */
export async function listen(
  server: FastifyInstance,
  host: string,
  port: number,
): Promise<Result<string, RailyardError>> {
  try {
    return ok(await server.listen({ host, port }));
  } catch (error) {
    return err(cannotListen(host, port, error));
  }
}

function cannotListen(host: string, port: number, error: unknown): RailyardError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return problem('PORT_BUSY', `Something else listens on ${host}:${port}.`);
  const why = error instanceof Error ? error.message : String(error);
  return problem('PORT_BUSY', `The service cannot listen on ${host}:${port}: ${why}.`, {
    suggestion: 'Choose another address with --host and --port.',
  });
}
