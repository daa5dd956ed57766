import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type * as SdkWay from '../../../worker/temporal/sdk-way';
import { type DevServer, type DevServerOptions } from '../../../worker/temporal';
import { processMark } from '../../../worker/temporal/process-mark';
import { terminate, type MarkedProcess } from '../../../worker/temporal/terminate';
import { compileTemporal, PROGRAM_CACHE, type Compiled } from './compiled';
import { fakeTemporal, removeFolder, script, temporaryFolder } from './fake-programs';
import { temporalSettings } from './settings';
import { startOwner, untilGone, type Owner } from './owner';

// Everything here needs the real program, which is fetched the first time.

let compiled: Compiled;
let program: string;
let dataDir: string;
let said: string[];
let running: DevServer[];
let owned: MarkedProcess[];

const say = (line: string): void => void said.push(line);
const env = process.env;

beforeAll(async () => {
  compiled = await compileTemporal();
  const found = await compiled.temporal.findTemporalProgram({
    cacheDir: PROGRAM_CACHE,
    env,
    cli: null,
    say: (line) => console.log(line),
  });
  program = found._unsafeUnwrap().path;
}, 600_000);
afterAll(() => compiled.remove());
beforeEach(() => {
  dataDir = temporaryFolder();
  said = [];
  running = [];
  owned = [];
});
afterEach(async () => {
  for (const server of running) await server.stop();
  for (const one of owned) await terminate(one);
  removeFolder(dataDir);
});

const tryToStart = (more: Partial<DevServerOptions> = {}) =>
  compiled.temporal.startDevServer({ program, dataDir, env, say, ...more });

async function start(more: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const server = (await tryToStart(more))._unsafeUnwrap();
  running.push(server);
  return server;
}

/** A Railyard of its own with a server; what a failing test leaves of it is ended. */
async function own(): Promise<Owner> {
  const owner = await startOwner(compiled.folder, program, dataDir);
  for (const pid of [owner.process.pid ?? 0, owner.server.pid]) {
    owned.push({ pid, mark: processMark(pid) ?? '' });
  }
  return owner;
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

const ps = (field: string, pid: number): number =>
  Number(execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }));

const pidFile = (): string => join(dataDir, 'temporal.pid');

describe('a dev server', () => {
  it('answers on loopback, and leaves no process and no pid file when it is stopped, even twice', async () => {
    const server = await start();
    expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
    await withClient(server.address, (client) => client.workflow.count());
    const guard = ps('ppid', server.pid);
    expect(existsSync(pidFile())).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect([processMark(server.pid), processMark(guard)]).toEqual([null, null]);
    expect(existsSync(pidFile())).toBe(false);
  });

  it('keeps its runs in the data directory', async () => {
    const first = await start();
    await withClient(first.address, (client) =>
      client.workflow.start('noWorkerKnowsIt', { workflowId: 'kept', taskQueue: 'nobody' }),
    );
    await first.stop();
    const second = await start();
    const found = await withClient(second.address, (client) => client.workflow.getHandle('kept').describe());
    expect(found.status.name).toBe('RUNNING');
  });

  it('works in a data directory whose name has spaces and signs', async () => {
    dataDir = join(dataDir, 'a b?c#d%41');
    await start();
    expect(existsSync(join(dataDir, 'temporal.db'))).toBe(true);
    for (const server of running) await server.stop();
    dataDir = join(dataDir, '..');
  });

  it('is out of reach of the terminal that its Railyard runs in', async () => {
    const server = await start();
    expect(ps('pgid', server.pid)).not.toBe(ps('pgid', process.pid));
  });

  it('tells how it ended when it is killed', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await server.stop();
  });

  it('is not started beside one that is in use', async () => {
    const server = await start();
    const error = (await tryToStart())._unsafeUnwrapErr();
    expect(error).toMatchObject({ code: 'HOME_IN_USE', details: { pid: process.pid } });
    expect(processMark(server.pid)).not.toBeNull();
  });
});

describe('the end of a dev server', () => {
  it('follows when its Railyard is killed', async () => {
    const owner = await own();
    const guard = ps('ppid', owner.server.pid);
    owner.process.kill('SIGKILL');
    await untilGone(owner.server.pid);
    await untilGone(guard);
    expect(existsSync(pidFile())).toBe(false);
  });

  it('follows when its guard is killed', async () => {
    const server = await start();
    process.kill(ps('ppid', server.pid), 'SIGKILL');
    expect((await server.exited).signal).toMatch(/SIGTERM|SIGKILL/);
    expect(processMark(server.pid)).toBeNull();
    await server.stop();
  });

  it('comes with the next start when Railyard and guard were killed together', async () => {
    const owner = await own();
    const { pid } = owner.server;
    // Stopped first, so that it cannot see its guard die.
    owner.process.kill('SIGSTOP');
    process.kill(ps('ppid', pid), 'SIGKILL');
    owner.process.kill('SIGKILL');
    await untilGone(owner.process.pid ?? 0);
    expect(processMark(pid)).not.toBeNull();
    const next = await start();
    expect(said).toEqual([`Ending the Temporal server of an earlier Railyard (process ${pid}).`]);
    expect(processMark(pid)).toBeNull();
    expect(next.pid).not.toBe(pid);
  });

  it('is not brought upon a process that merely has the pid of an old server', async () => {
    const other = { pid: process.pid, mark: 'of an earlier boot' };
    writeFileSync(pidFile(), JSON.stringify({ server: other, owner: other, program }));
    await start();
    expect(said).toEqual([]);
  });
});

describe('a dev server that does not start', () => {
  it('shows the end of its log and where the log is', async () => {
    const broken = script(join(dataDir, 'broken'), 'echo "first words"; echo "last words" >&2; exit 3');
    const error = (await tryToStart({ program: broken }))._unsafeUnwrapErr();
    const log = join(dataDir, 'logs', 'temporal.log');
    expect(error.code).toBe('TEMPORAL_START_FAILED');
    expect(error.message).toContain('exit code 3');
    expect(error.message).toContain('first words');
    expect(error.message).toContain('last words');
    expect(error.message).toContain(log);
    expect(error.details).toMatchObject({ log });
  });

  it('is told when the program cannot be run at all', async () => {
    const error = (await tryToStart({ program: join(dataDir, 'nowhere') }))._unsafeUnwrapErr();
    expect(error.code).toBe('TEMPORAL_START_FAILED');
    expect(error.message).toContain('ENOENT');
  });

  it('is ended when it does not get ready in time', async () => {
    const silent = script(join(dataDir, 'silent'), `echo $$ > "${dataDir}/silent.pid"`, 'exec sleep 600');
    const error = (await tryToStart({ program: silent, readyWithinMs: 1000 }))._unsafeUnwrapErr();
    expect(error.message).toContain('was not ready within 1 s: Nothing listens at 127.0.0.1:');
    expect(processMark(Number(readFileSync(join(dataDir, 'silent.pid'), 'utf8')))).toBeNull();
  });

  it('says what to do about a damaged database and leaves it as it is', async () => {
    const database = join(dataDir, 'temporal.db');
    const bytes = Buffer.alloc(20_000, 'not a database ');
    writeFileSync(database, bytes);
    const error = (await tryToStart())._unsafeUnwrapErr();
    expect(error.code).toBe('TEMPORAL_START_FAILED');
    expect(error.message).toContain(`cannot read its database ${database}`);
    expect(error.suggestion).toContain('move it');
    expect(readFileSync(database).equals(bytes)).toBe(true);
  });

  it('is tried again on another port when its port was taken meanwhile', async () => {
    const unlucky = script(
      join(dataDir, 'unlucky'),
      `[ -e "${dataDir}/once" ] && exec "${program}" "$@"`,
      `: > "${dataDir}/once"`,
      'echo "Error: listen tcp: bind: address already in use" >&2; exit 1',
    );
    const server = await start({ program: unlucky });
    await withClient(server.address, (client) => client.workflow.count());
    expect(said).toEqual([expect.stringMatching(/^Port \d+ is taken; trying another one\.$/)]);
  });

  it('is not mistaken for a server of someone else on its port', async () => {
    const other = await start();
    const port = Number(other.address.split(':')[1]);
    const elsewhere = join(dataDir, 'elsewhere');
    const error = (await tryToStart({ dataDir: elsewhere, port }))._unsafeUnwrapErr();
    expect(error.message).toContain('address already in use');
  });
});

describe('a dev server that is kept', () => {
  const ground = (cli: string) => ({ dataDir, settings: temporalSettings({ TEMPORAL_CLI: cli }), env, say });

  it('comes back at its address with its runs when it is killed', async () => {
    const temporal = (await compiled.temporal.temporalFor(ground(program)))._unsafeUnwrap();
    const kept = compiled.temporal.keepServer(temporal, ground(program));
    try {
      await withClient(temporal.address, async (client) => {
        await client.workflow.start('noWorkerKnowsIt', { workflowId: 'kept', taskQueue: 'nobody' });
        process.kill(temporal.server?.pid ?? 0, 'SIGKILL');
        await temporal.server?.exited;
        const found = await client.workflow.getHandle('kept').describe();
        expect(found.status.name).toBe('RUNNING');
      });
    } finally {
      await kept.stop();
    }
    expect(said).toEqual(['The Temporal server ended (SIGKILL); starting it again.']);
    expect(existsSync(pidFile())).toBe(false);
  });

  it('is given up when it does not come back, with the reason', async () => {
    const wrapper = script(join(dataDir, 'wrapper'), `exec "${program}" "$@"`);
    const temporal = (await compiled.temporal.temporalFor(ground(wrapper)))._unsafeUnwrap();
    const kept = compiled.temporal.keepServer(temporal, ground(wrapper));
    fakeTemporal(wrapper);
    process.kill(temporal.server?.pid ?? 0, 'SIGKILL');
    expect((await kept.broken).code).toBe('TEMPORAL_START_FAILED');
    await kept.stop();
  });
});

describe('TEMPORAL_ADDRESS', () => {
  it('is used as it is, and no server is started', async () => {
    const server = await start();
    const other = join(dataDir, 'other');
    const ask = (namespace: string) =>
      compiled.temporal.temporalFor({
        dataDir: other,
        settings: temporalSettings({ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: namespace }),
        env,
        say,
      });
    const { address } = server;
    expect((await ask(''))._unsafeUnwrap()).toEqual({
      ...{ address, namespace: 'default', connection: { address }, server: null },
    });
    expect((await ask('nobodys'))._unsafeUnwrapErr()).toMatchObject({
      code: 'TEMPORAL_AWAY',
      message: `The Temporal server at ${address} has no namespace "nobodys".`,
    });
    expect(existsSync(other)).toBe(false);
  });

  it('may be absent: then TEMPORAL_NAMESPACE is made on the dev server', async () => {
    const settings = temporalSettings({ TEMPORAL_CLI: program, TEMPORAL_NAMESPACE: 'yard' });
    const temporal = (await compiled.temporal.temporalFor({ dataDir, settings, env, say }))._unsafeUnwrap();
    if (temporal.server) running.push(temporal.server);
    expect(temporal).toMatchObject({ namespace: 'yard', server: { address: temporal.address } });
  });
});

describe("the SDK's downloader", () => {
  it('leaves a program that is kept in the cache', async () => {
    const cacheDir = join(dataDir, 'programs');
    const folder = join(cacheDir, 'fetch');
    mkdirSync(folder, { recursive: true });
    // The SDK does not download what is there already; the rest of its way is the same.
    copyFileSync(program, join(folder, 'temporal-v1.9.1'));
    const way = (await import(join(compiled.folder, 'sdk-way.js'))) as typeof SdkWay;
    const kept = (await way.downloadBySdk(folder, { cacheDir, env, cli: null, say }))._unsafeUnwrap();
    expect(kept).toMatchObject({ from: 'sdk', version: expect.stringMatching(/^1\./) });
    const again = await compiled.temporal.findTemporalProgram({
      ...{ cacheDir, say, cli: null, env: { ...env, PATH: dataDir } },
    });
    expect(again._unsafeUnwrap()).toMatchObject({ path: kept.path, from: 'cache' });
  });
});
