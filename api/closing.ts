/** How the HTTP service ends: nothing new is taken, answers under way are finished, and connections go with them. */
import { type FastifyInstance } from 'fastify';

/** Connections that stay open after their answer would keep a server that closes. */
export function closeConnectionsWhenClosing(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done();
  });
}

/** Close a server; answers that take longer than this are cut off. */
export async function closeServer(server: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
}
