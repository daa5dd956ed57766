import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentSigner } from '../../src/workrail/local';
import { type SessionId } from '../../src/workrail/model';
import { decodeToken, encodeToken } from '../../src/workrail/tokens';
import { state } from '../workrail/tokens/tokens';
import { Home } from './railyard';
import { filesBelow, flip, keepSession, lastSegment, storeIn, unwrap } from './stored-session';

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

describe('railyard gc', () => {
  const LONG_AGO = new Date('2020-01-01');
  /** A session that was last touched long ago, with all its content. */
  async function keepOld(): Promise<SessionId> {
    const id = await keepSession(home.root, { timestampMs: LONG_AGO.getTime() });
    for (const part of ['workrail', 'artifacts']) {
      for (const name of await readdir(join(home.root, part), { recursive: true }))
        await utimes(join(home.root, part, name), LONG_AGO, LONG_AGO);
    }
    return id;
  }
  const kept = async () => (await home.json<{ sessions: unknown[] }>('sessions')).sessions.length;

  it('says in a dry run what would go, and deletes nothing', async () => {
    const id = await keepOld();
    const before = await filesBelow(home.root);
    expect(await home.json('gc', '--dry-run')).toMatchObject({
      ...{ mode: 'dry_run', safeMode: [], sessions: [id], artifacts: 'swept' },
    });
    expect(await filesBelow(home.root)).toEqual(before);
  });

  it('deletes what is old, content last', async () => {
    const id = await keepOld();
    const report = await home.run('gc');
    expect([report.code, report.out]).toEqual([0, expect.stringContaining(`deleted: session ${id}`)]);
    expect(report.out).toContain('1 artifacts');
    expect(await kept()).toBe(0);
    expect(await readdir(join(home.root, 'workrail', 'snapshots'))).toEqual([]);
  });

  it('keeps what is young, what the time given spares, and what the keep list names', async () => {
    await keepOld();
    expect(await home.json('gc', '--ttl', '36500d')).toMatchObject({ sessions: [] });
    const list = join(home.root, 'workrail', 'retention.json');
    await writeFile(list, '{"version":1,"keep":["sess_one"]}');
    expect(await home.json('gc')).toMatchObject({ sessions: [], retained: 1 });
    await rm(list);
    expect(await kept()).toBe(1);
  });

  it('leaves artifacts alone where factory runs are, and says so', async () => {
    await keepOld();
    await mkdir(join(home.root, 'runs', 'run-1'), { recursive: true });
    const before = await filesBelow(join(home.root, 'artifacts'));
    const { code, out } = await home.run('gc');
    expect([code, out]).toEqual([0, expect.stringContaining('artifacts: left alone')]);
    expect(await filesBelow(join(home.root, 'artifacts'))).toEqual(before);
    expect(await kept()).toBe(0);
  });

  it('deletes nothing while a session is not healthy, and ends with 1', async () => {
    const id = await keepOld();
    await flip(await lastSegment(home.root, id));
    const before = await filesBelow(join(home.root, 'workrail'));
    const { code, out } = await home.run('gc');
    expect([code, out]).toEqual([1, expect.stringContaining('safe mode')]);
    expect(await filesBelow(join(home.root, 'workrail'))).toEqual(before);
  });

  it.each(['0d', '60', 'soon'])('refuses a time of %s with exit code 2', async (ttl) => {
    expect((await home.run('gc', '--ttl', ttl)).code).toBe(2);
  });
});

describe('railyard keyring', () => {
  interface Shown {
    readonly file: string;
    readonly current: string;
    readonly previous: string | null;
  }

  it('shows fingerprints, and never a key', async () => {
    const shown = await home.json<Shown>('keyring', 'show');
    expect(shown).toMatchObject({ previous: null, current: expect.stringMatching(/^[0-9a-f]{12}$/) });
    const { current } = JSON.parse(await readFile(shown.file, 'utf8')) as { current: string };
    const { out } = await home.run('keyring', 'show');
    expect(out).not.toContain(current);
    expect(out).not.toContain(Buffer.from(current, 'base64url').toString('hex').slice(0, 12));
  });

  it('keeps tokens good through one rotation, and not through two', async () => {
    const { keyring } = await storeIn(home.root);
    const token = encodeToken(state, unwrap(await currentSigner(keyring)));
    const read = async () => decodeToken('state', token, unwrap(await currentSigner(keyring))).isOk();
    const before = await home.json<Shown>('keyring', 'show');
    expect(await home.json('keyring', 'rotate')).toMatchObject({ previous: before.current });
    expect(await read()).toBe(true);
    await home.json('keyring', 'rotate');
    expect(await read()).toBe(false);
  });
});
