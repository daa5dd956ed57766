import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FastifyInstance } from 'fastify';
import { buildServer } from '../../api/server';
import { ERRORS, type RailyardError } from '../../src/errors';
import { type RunView } from '../../api/run-view';
import { factory, gateAfter, scripted } from '../yard/templates';
import { decision, Yard } from '../yard/yard';

let yard: Yard;
let server: FastifyInstance;
let url: string;
const faults: string[] = [];

beforeAll(async () => {
  yard = await Yard.open({ updateTimeoutMs: 5_000 });
  server = buildServer({ key: yard.home.key, runs: yard.runs, log: (line) => faults.push(line) });
  url = `${await server.listen({ host: '127.0.0.1', port: 0 })}/api/a360`;
});
afterAll(async () => {
  await server.close();
  await yard.close();
  expect(faults).toEqual([]);
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${yard.home.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** A refusal: its status and code, and the envelope whole. */
function refusal({ status, body }: Answer): [number, string] {
  const error = body as RailyardError;
  expect(Object.keys(ERRORS)).toContain(error.code);
  expect(error).toMatchObject({
    message: expect.any(String),
    suggestion: expect.any(String),
    retry: { kind: expect.any(String) },
  });
  return [status, error.code];
}

const LONGEST_ID = 'x'.repeat(120);
const gated = factory([scripted('a'), scripted('b', { needs: ['a'] })], { human_gates: [gateAfter('a')] });

describe('a run over HTTP', () => {
  it('is started, read, decided as the Block document shows, and listed', async () => {
    const started = await call('POST', '/factory-run', {
      template: gated,
      started_by: 'sam',
      run_id: 'http-run',
    });
    expect(started).toEqual({
      status: 201,
      body: { run_id: 'http-run', url: '/api/a360/factory-run/http-run', warnings: [] },
    });
    await yard.untilBlock('http-run', 'a', 'waiting');
    const rejected = await call('POST', '/factory-run/http-run/gate/a/reject', {
      approver: 'samuel@example.org',
      role: 'editor',
      action: 'retry',
      feedback: 'Missing the Hat Debate pattern.',
    });
    expect(rejected).toMatchObject({
      status: 200,
      body: { kind: 'decided', decision: 'rejected', attempt: 1 },
    });
    await yard.until('http-run', ({ gates }) =>
      gates.some(({ attempt, outcome }) => attempt === 2 && outcome === null),
    );
    const view = (await call('GET', '/factory-run/http-run')).body as RunView;
    const digests = view.blocks[0]?.artifacts.map(({ digest }) => digest);
    const approved = await call(
      'POST',
      '/factory-run/http-run/gate/a/approve',
      { approver: 'will@example.org', role: 'editor', notes: 'Looks solid.', attempt: 2, digests },
      { 'idempotency-key': 'once' },
    );
    expect(approved).toMatchObject({
      status: 200,
      body: { kind: 'decided', decision: 'approved', attempt: 2 },
    });
    await yard.untilStatus('http-run', 'completed');
    const list = await call('GET', '/factory-run?limit=1');
    expect(list).toMatchObject({
      status: 200,
      body: { runs: [{ run_id: 'http-run', status: 'completed', done: 2, total: 2 }] },
    });
  });

  it('is not started twice under one id', async () => {
    const again = await call('POST', '/factory-run', { template: gated, run_id: 'http-run' });
    expect(refusal(again)).toEqual([409, 'RUN_EXISTS']);
  });

  it('is paused, resumed, retried and cancelled', async () => {
    const failing = factory([scripted('a', { script: [{ fail: 'x' }, {}], execution: { max_retries: 0 } })]);
    await call('POST', '/factory-run', { template: failing, run_id: 'http-control' });
    await yard.untilStatus('http-control', 'failed');
    expect(refusal(await call('POST', '/factory-run/http-control/pause', {}))).toEqual([409, 'RUN_ENDED']);
    expect(await call('POST', '/factory-run/http-control/block/a/retry', {})).toMatchObject({
      status: 200,
      body: { kind: 'retrying', attempt: 2 },
    });
    await yard.untilStatus('http-control', 'completed');
    expect(refusal(await call('POST', '/factory-run/http-control/cancel', {}))).toEqual([409, 'RUN_ENDED']);
  });
});

describe('what is wrong with a request', () => {
  it('is said in the one envelope', async () => {
    const start = (body: unknown): Promise<Answer> => call('POST', '/factory-run', body);
    const template = factory([scripted('a')]);
    const cases: [Promise<Answer>, [number, string]][] = [
      [start('{'), [400, 'INPUT_INVALID']],
      [start({}), [400, 'INPUT_INVALID']],
      [start({ template, extra: 1 }), [400, 'INPUT_INVALID']],
      [start({ template, run_id: '../x' }), [400, 'INPUT_INVALID']],
      [start({ template: { ...template, blocks: [] } }), [422, 'TEMPLATE_INVALID']],
      [start({ template: factory([{ ...scripted('a'), skill: 'nobody' }]) }), [422, 'SKILL_NOT_FOUND']],
      [start({ template: { ...template, config: { x: '{{y}}' } } }), [422, 'PARAMETERS_MISSING']],
      [start({ template, parameters: { workspace_path: 'relative' } }), [400, 'INPUT_INVALID']],
      [call('GET', '/factory-run/nobody'), [404, 'RUN_NOT_FOUND']],
      [call('GET', '/factory-run/..%2f..%2fx'), [404, 'RUN_NOT_FOUND']],
      [call('GET', '/factory-run?limit=0'), [400, 'INPUT_INVALID']],
      [call('GET', `/factory-run/${LONGEST_ID}`), [404, 'RUN_NOT_FOUND']],
      [call('GET', `/factory-run/${'x'.repeat(201)}`), [404, 'ROUTE_NOT_FOUND']],
      [call('GET', '/%zz'), [400, 'INPUT_INVALID']],
      [call('GET', '/nothing'), [404, 'ROUTE_NOT_FOUND']],
      [call('DELETE', '/factory-run/http-run'), [405, 'METHOD_NOT_ALLOWED']],
      [
        call('POST', '/factory-run/nobody/gate/a/approve', { approver: 'x', role: 'y' }),
        [404, 'RUN_NOT_FOUND'],
      ],
      [call('POST', '/factory-run/http-run/gate/a/approve', { approver: '' }), [400, 'INPUT_INVALID']],
      [
        call('POST', '/factory-run', 'a=b', { 'content-type': 'text/plain' }),
        [415, 'UNSUPPORTED_MEDIA_TYPE'],
      ],
      [start({ template, parameters: { x: 'y'.repeat(9_000_000) } }), [413, 'BODY_TOO_LARGE']],
    ];
    for (const [answer, expected] of cases) expect(refusal(await answer)).toEqual(expected);
  });

  it('is said in the one envelope even where the request is not HTTP', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write('nonsense\r\n\r\n');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toContain('400 Bad Request');
    expect(refusal({ status: 400, body: JSON.parse(body) })).toEqual([400, 'INPUT_INVALID']);
  });

  it('is a text with half a character, at its place', async () => {
    for (const [body, pointer] of [
      [{ template: gated, started_by: 'sam\ud83d' }, '/started_by'],
      [{ template: { ...gated, factory: { id: 'test', name: '\udc00' } } }, '/template/factory/name'],
      [{ template: gated, parameters: { a: [{ b: '\ud83d' }] } }, '/parameters/a/0/b'],
    ] as const) {
      const answer = await call('POST', '/factory-run', body);
      expect(refusal(answer)).toEqual([400, 'INPUT_INVALID']);
      expect(answer.body).toMatchObject({
        message: expect.stringContaining(pointer),
        details: { problems: [{ pointer }] },
      });
    }
  });

  it('is that it is nested deeper than anything here reads', async () => {
    const deep = `{"template":{},"parameters":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expect(refusal(await call('POST', '/factory-run', deep))).toEqual([400, 'INPUT_INVALID']);
  });

  it('leaves nothing behind: a refused run has no record and no workspace', async () => {
    const { runs } = (await call('GET', '/factory-run')).body as { runs: { run_id: string }[] };
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual(['http-control', 'http-run']);
  });

  it('is that it carries no key, or a wrong one', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${yard.home.key}`]) {
      expect(refusal(await call('GET', '/factory-run', undefined, { authorization }))).toEqual([
        401,
        'UNAUTHENTICATED',
      ]);
    }
  });
});

describe('a run with the longest id', () => {
  it('is read and decided like any other', async () => {
    await call('POST', '/factory-run', { template: gated, run_id: LONGEST_ID, started_by: 'sam' });
    await yard.untilBlock(LONGEST_ID, 'a', 'waiting');
    expect((await call('GET', `/factory-run/${LONGEST_ID}`)).status).toBe(200);
    const approval = { approver: 'ann', role: 'editor' };
    expect((await call('POST', `/factory-run/${LONGEST_ID}/gate/a/approve`, approval)).status).toBe(200);
    await yard.untilStatus(LONGEST_ID, 'completed');
  });
});

describe('while no worker is there', () => {
  it('runs are still read, and a decision is stored until one is back', async () => {
    await call('POST', '/factory-run', { template: gated, run_id: 'http-away', started_by: 'sam' });
    await yard.untilBlock('http-away', 'a', 'waiting');
    await yard.stopWorker();
    const known = await call('GET', '/factory-run/http-away');
    expect([known.status, known.body]).toMatchObject([200, { status: 'running' }]);
    const decided = await call('POST', '/factory-run/http-away/gate/a/approve', {
      approver: 'ann',
      role: 'editor',
    });
    expect(decided).toEqual({ status: 202, body: { kind: 'stored', block: 'a' } });
    const read = await call('GET', '/factory-run/http-away');
    expect([read.status, read.body]).toMatchObject([200, { gates: [{ outcome: null }] }]);
    await yard.startWorker();
    await yard.untilStatus('http-away', 'completed');
  });

  it('and a signal without our signature decides nothing', async () => {
    await call('POST', '/factory-run', { template: gated, run_id: 'http-forged', started_by: 'sam' });
    await yard.untilBlock('http-forged', 'a', 'waiting');
    await yard.client.workflow.getHandle('http-forged').signal('gateDecision', forgedDecision());
    // An update is handled after the signal that came before it.
    await yard.control('http-forged', { type: 'pause', by: 'rob' });
    expect((await yard.view('http-forged')).blocks[0]?.status).toBe('waiting');
    await yard.control('http-forged', { type: 'cancel', by: 'rob' });
    await yard.untilStatus('http-forged', 'cancelled');
  });
});

const forgedDecision = (): object => ({
  decision: { ...decision('a'), id: 'forged', decision: 'reject', action: 'abort' },
  signature: 'x'.repeat(43),
});
