/** What the service does while Temporal is away: it says so, with advice, and what can be read without it still is. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { type FastifyInstance } from 'fastify';
import { closeClient } from '../../api/temporal-calls';
import { FactoryRuns } from '../../api/factory-runs';
import { buildServer } from '../../api/server';
import { type RailyardError } from '../../src/errors';
import { until } from '../cli/railyard';
import { factory, gateAfter, scripted } from '../yard/templates';
import { blockOf, SKILLS, Yard } from '../yard/yard';
import { CutLine } from './cut-line';

let yard: Yard;
let line: CutLine;
let client: Client;
let server: FastifyInstance;
let root: string;
const faults: string[] = [];

beforeAll(async () => {
  yard = await Yard.open();
  line = await CutLine.to(process.env.RAILYARD_TEST_TEMPORAL ?? '');
  client = new Client({ connection: await Connection.connect({ address: line.address }) });
  const { home, taskQueue } = yard.runs;
  const { ledger } = yard;
  const runs = new FactoryRuns({ home, client, ledger, taskQueue, skillDirs: SKILLS });
  server = buildServer({ key: home.key, runs, log: (text) => faults.push(text) });
  root = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await closeClient(client);
  await line.cut();
  await yard.close();
  expect(faults).toEqual([]);
});

const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${root}/api/a360${path}`, {
    method,
    headers: { authorization: `Bearer ${yard.home.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('while Temporal is away', () => {
  it('changes are refused with 503 and when to come back, everything is read, and then all goes on', async () => {
    const over = await yard.start(factory([scripted('a')]));
    const open = await yard.start(factory([scripted('a')], { human_gates: [gateAfter('a')] }));
    await yard.untilStatus(over, 'completed');
    await yard.untilBlock(open, 'a', 'waiting');
    const completed = await (await call('GET', `/factory-run/${over}`)).json();
    expect((await call('GET', `/factory-run/${open}`)).status).toBe(200);
    const { digest = '' } = blockOf(await yard.view(over), 'a').artifacts[0] ?? {};

    await line.cut();
    const changes: [string, string, object?][] = [
      ['POST', '/factory-run', { template: factory([scripted('a')]) }],
      ['POST', `/factory-run/${open}/gate/a/approve`, { approver: 'ann', role: 'editor' }],
      ['POST', `/factory-run/${open}/gate/a/reject`, { approver: 'ann', role: 'editor' }],
      ['POST', `/factory-run/${open}/pause`, {}],
      ['POST', `/factory-run/${open}/cancel`, {}],
      ['POST', `/factory-run/${open}/event`, { name: 'x' }],
    ];
    const refused = await Promise.all(changes.map((change) => call(...change)));
    const errors = await Promise.all(refused.map(async (one) => (await one.json()) as RailyardError));
    for (const [index, change] of changes.entries()) {
      const answer = refused[index];
      const said = [answer?.status, errors[index]?.code, Number(answer?.headers.get('retry-after')) > 0];
      expect([change[1], ...said]).toEqual([change[1], 503, 'TEMPORAL_AWAY', true]);
    }
    for (const path of [
      ...['/factory-run', '/template', '/schedule', '/key', `/factory-run/${open}/webhooks`],
      ...[`/artifact/${digest}`, `/factory-run/${over}`, `/factory-run/${over}/artifact/a/out`],
      // The store knows what they do, as it ever does.
      ...[`/factory-run/${open}`, '/gate', '/factory-run?status=running'],
    ]) {
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    }
    expect(await (await call('GET', `/factory-run/${over}`)).json()).toEqual(completed);
    const events = await call('GET', `/factory-run/${open}/events`);
    expect(events.status).toBe(200);
    await events.body?.cancel();

    await line.mend();
    // Reads say nothing of Temporal; a service that is ready has it again.
    await until(async () => (await fetch(`${root}/readyz`)).status === 200);
    const approved = await call('POST', `/factory-run/${open}/gate/a/approve`, {
      approver: 'ann',
      role: 'editor',
    });
    // Decided, or kept by Temporal where the answer took too long: either way the run goes on.
    expect([200, 202]).toContain(approved.status);
    await yard.untilStatus(open, 'completed');
  });
});
