import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { refuse } from '../../../api/answers';
import { holdAnswers } from '../../../api/openapi';
import { problem } from '../../../src/errors';

interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly faults: readonly string[];
}

/** Answer a documented route with something, and see what leaves. */
async function answered(path: string, send: () => object): Promise<Answered> {
  const faults: string[] = [];
  const server = fastify();
  server.setErrorHandler((error: Error, _request, reply) => {
    faults.push(error.message);
    return refuse(reply, problem('INTERNAL', 'The service failed on this request.'));
  });
  holdAnswers(server, (line) => faults.push(line));
  server.get(path, (_request, reply) => {
    const answer = send();
    return 'code' in answer ? reply.code(409).send(answer) : answer;
  });
  const { statusCode: status, body } = await server.inject(path.replace(/:\w+/, 'x'));
  await server.close();
  return { status, body: JSON.parse(body) as unknown, faults };
}

describe('an answer', () => {
  it('that is as documented leaves as it is', async () => {
    expect(await answered('/healthz', () => ({ status: 'ok' }))).toEqual({
      ...{ status: 200, body: { status: 'ok' }, faults: [] },
    });
  });

  it('that is not never reaches the caller, and the log says what is wrong with it', async () => {
    for (const wrong of [{}, { status: 'ill' }, { status: 'ok', secret: 'x' }]) {
      const { status, body, faults } = await answered('/healthz', () => wrong);
      expect([status, body]).toEqual([500, expect.objectContaining({ code: 'INTERNAL' })]);
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(faults).toEqual([expect.stringContaining('get /healthz answered 200')]);
    }
  });

  it('that refuses with a code that is not documented leaves, and is logged', async () => {
    const path = '/api/a360/factory-run/:run';
    const known = await answered(path, () => problem('RUN_ORPHANED', 'Gone.'));
    expect([known.status, known.faults]).toEqual([409, []]);
    const other = await answered(path, () => problem('RUN_EXISTS', 'There.'));
    expect([other.status, other.body]).toEqual([409, expect.objectContaining({ code: 'RUN_EXISTS' })]);
    expect(other.faults).toEqual([expect.stringContaining('RUN_EXISTS is not documented')]);
  });

  it('of a route that is not in the table is nobody’s business here', async () => {
    expect((await answered('/other', () => ({ free: true }))).faults).toEqual([]);
  });
});
