import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RailyardError } from '../../src/errors';
import { parse, valueOf, type Sample } from '../api/metrics/prometheus-text';
import { skillPid } from '../yard/skill-process';
import { factory, scripted } from '../yard/templates';
import { Home, isAlive, until, type Running } from './railyard';

type Line = Readonly<Record<string, unknown>>;

const logOf = async (home: Home): Promise<Line[]> =>
  (await readFile(join(home.root, 'logs', 'railyard.log'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const ready = async (home: Home): Promise<[number, RailyardError]> => {
  const answer = await fetch(`${(await home.endpoint()).url}/readyz`);
  return [answer.status, (await answer.json()) as RailyardError];
};

describe('a service that is up', () => {
  let home: Home;
  let up: Running;
  beforeAll(async () => {
    home = await Home.make({ RAILYARD_SLOTS: '3', RAILYARD_LOG_LEVEL: 'debug' });
    const file = { http: { cors_origins: ['https://app.example.org'] }, worker: { slots: 9 } };
    await writeFile(join(home.root, 'railyard.json'), JSON.stringify(file));
    up = await home.up();
  });
  afterAll(() => home.remove());

  it('is set up by its file, and by its environment before that', async () => {
    expect(up.out).toContain('3 slots');
    const { settings } = await home.json<{ settings: Line[] }>('config');
    expect(settings.find(({ key }) => key === 'worker.slots')).toMatchObject({
      ...{ value: 3, source: 'environment', env: 'RAILYARD_SLOTS' },
    });
    expect(settings.find(({ key }) => key === 'http.cors_origins')).toMatchObject({ source: 'file' });
    const { url } = await home.endpoint();
    const origin = 'https://app.example.org';
    const answer = await fetch(`${url}/healthz`, { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  });

  it('shows metrics of its own, of the process and of the Temporal SDK, to those with a key', async () => {
    const template = join(home.root, 'two.json');
    const blocks = [scripted('a'), scripted('b', { needs: ['a'] })];
    await writeFile(template, JSON.stringify(factory(blocks)));
    expect((await home.run('run', template, '--id', 'counted')).code).toBe(0);
    const { url, key } = await home.endpoint();
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const scrape = async (): Promise<Sample[]> => {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
      return parse(await answer.text());
    };
    await until(async () => valueOf(await scrape(), 'railyard_runs', { status: 'completed' }) === 1);
    const samples = await scrape();
    expect(valueOf(samples, 'railyard_attempts_total', { outcome: 'succeeded', type: 'build' })).toBe(2);
    expect(valueOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    const activities = { activity_type: 'runAttempt' };
    expect(valueOf(samples, 'temporal_activity_execution_latency_seconds_count', activities)).toBe(2);
    expect(JSON.stringify(samples)).not.toContain('counted');
  });

  it('logs requests and attempts with their run and block, and no secret', async () => {
    const lines = await logOf(home);
    const attempt = { run: 'counted', block: 'a', attempt: 1 };
    expect(lines).toContainEqual(expect.objectContaining({ message: 'An attempt began', ...attempt }));
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'An attempt ended', outcome: 'succeeded', ...attempt }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ level: 'info', method: 'POST', route: '/api/a360/factory-run', status: 201, principal: 'local' },
        ...{ request: expect.any(String), ms: expect.any(Number) },
      }),
    );
    const read = { level: 'debug', route: '/api/a360/factory-run/:run', run: 'counted' };
    expect(lines).toContainEqual(expect.objectContaining(read));
    expect(JSON.stringify(lines)).not.toContain((await home.endpoint()).key);
  });

  it('is not ready while Temporal is away, says so, and is ready again when it is back', async () => {
    expect(await ready(home)).toEqual([200, { status: 'ready' }]);
    const note = JSON.parse(await readFile(join(home.root, 'temporal.pid'), 'utf8')) as {
      server: { pid: number };
    };
    process.kill(note.server.pid, 'SIGSTOP');
    try {
      await until(async () => (await ready(home))[0] === 503);
      const [, error] = await ready(home);
      expect(error).toMatchObject({ code: 'NOT_READY', details: { missing: [{ part: 'temporal' }] } });
    } finally {
      process.kill(note.server.pid, 'SIGCONT');
    }
    await until(async () => (await ready(home))[0] === 200);
    process.kill(note.server.pid, 'SIGKILL');
    await until(() => !isAlive(note.server.pid));
    await until(async () => (await ready(home))[0] === 200);
  });
});

/** A request whose body has not all come: its answer is under way. */
async function halfRequest(home: Home): Promise<{ socket: Socket; finish: () => Promise<string> }> {
  const { url, key } = await home.endpoint();
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ template: {} });
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (data: Buffer) => (heard += data.toString()));
  await once(socket, 'connect');
  const head = [
    ...['POST /api/a360/template/validate HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${key}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue'],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The service has the request, and waits for its body.
  await until(() => heard.includes('100 Continue'));
  const ended = once(socket, 'close');
  const finish = async (): Promise<string> => {
    socket.write(body);
    await ended;
    return heard;
  };
  return { socket, finish };
}

describe('a service that is told to stop', () => {
  let home: Home;
  beforeAll(async () => {
    home = await Home.make({ TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL });
  });
  afterAll(() => home.remove());

  it('takes nothing new, finishes the answer that is under way, sends streams away with a word, and ends', async () => {
    const up = await home.up();
    const { url, key } = await home.endpoint();
    const half = await halfRequest(home);
    const stream = await fetch(`${url}/api/a360/events`, { headers: { authorization: `Bearer ${key}` } });
    const story = stream.text();
    up.child.kill('SIGTERM');
    expect(await story).toMatch(/retry: 5000\n[^]*$/);
    await until(() =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    const answer = await half.finish();
    expect(answer).toContain('HTTP/1.1 422');
    expect(answer).toContain('TEMPLATE_INVALID');
    expect(answer.toLowerCase()).toContain('connection: close');
    expect((await up.ended).code).toBe(0);
  });

  it('hands a skill that runs back, and goes on with it at the next start', async () => {
    const [template, go] = [join(home.root, 'slow.json'), join(home.root, 'go')];
    await writeFile(template, JSON.stringify(factory([scripted('slow', { script: [{ until: go }] })])));
    const first = await home.up();
    await home.run('run', template, '--id', 'handed', '--detach');
    await skillPid(home.root, 'handed', 'slow');
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    expect(await logOf(home)).toContainEqual(
      expect.objectContaining({ run: 'handed', block: 'slow', attempt: 1, outcome: 'handed_back' }),
    );
    await writeFile(go, '');
    const second = await home.up();
    await until(async () =>
      (await home.run('status', 'handed', '--json')).out.includes('"status": "completed"'),
    );
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  it('waits no longer than it may for an answer', async () => {
    const hasty = await Home.make({
      TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL,
      RAILYARD_SHUTDOWN_GRACE_SECONDS: '1',
    });
    const up = await hasty.up();
    const half = await halfRequest(hasty);
    up.child.kill('SIGTERM');
    expect((await up.ended).code).toBe(0);
    half.socket.destroy();
    await hasty.remove();
  });

  it('leaves at once when it is told a second time', async () => {
    const up = await home.up();
    const half = await halfRequest(home);
    up.child.kill('SIGTERM');
    await up.untilOut('stopping (SIGTERM)');
    // One that comes right away is taken for the same one, passed on by a parent.
    await sleep(1_200);
    up.child.kill('SIGTERM');
    expect((await up.ended).code).toBe(130);
    half.socket.destroy();
  });
});

describe('a service in a container', () => {
  it('logs to standard output, and nothing else is there', async () => {
    const home = await Home.make({
      TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL,
      ...{ RAILYARD_LOG_STDOUT: 'true', RAILYARD_METRICS_OPEN: '1' },
    });
    const up = home.start(['up', '--port', '0']);
    await until(
      () => up.err.includes('Railyard is up.') || up.child.exitCode !== null,
      () => up.err,
    );
    const { url } = await home.endpoint();
    expect(parse(await (await fetch(`${url}/metrics`)).text()).length).toBeGreaterThan(10);
    up.child.kill('SIGTERM');
    const { code, out } = await up.ended;
    await home.remove();
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['The service is up', 'The service stops']),
    );
  });
});

describe('a configuration that cannot be', () => {
  it('is refused before anything is started, with every fault in it', async () => {
    const home = await Home.make({ RAILYARD_SLOTS: 'many' });
    await writeFile(join(home.root, 'railyard.json'), '{"http": {"prot": 1}}');
    for (const command of [['up', '--port', '0'], ['config']]) {
      const { code, err } = await home.run(...command);
      expect(code).toBe(2);
      for (const part of ['CONFIG_INVALID', '/http/prot', 'Use "port".', 'RAILYARD_SLOTS']) {
        expect(err).toContain(part);
      }
    }
    await home.remove();
  });
});
