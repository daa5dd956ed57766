import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SessionId } from '../../src/workrail/model';
import { Home } from './railyard';
import { filesBelow, flip, keepSession, lastSegment, sessionFolder } from './stored-session';

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

describe('railyard verify', () => {
  it('ends with 0 where everything is healthy, for a session and for the store', async () => {
    const id = await keepSession(home.root);
    expect(await home.run('verify', id)).toMatchObject({ code: 0, out: expect.stringContaining('healthy') });
    expect(await home.json('verify')).toMatchObject({ healthy: true, sessions: [{ sessionId: id }] });
  });

  it.each([
    ['a segment', (id: SessionId) => lastSegment(home.root, id), 'segment_digest_mismatch'],
    ['a snapshot', () => contentIn('workrail', 'snapshots'), 'snapshot_corrupt'],
    ['a workflow', () => contentIn('workrail', 'workflows', 'pinned'), 'workflow_corrupt'],
    ['an artifact', () => contentIn('artifacts'), 'missing or damaged'],
  ])('ends with 1 and names it after one byte of %s changed', async (_what, place, named) => {
    const id = await keepSession(home.root);
    await flip(await place(id));
    for (const args of [['verify', id], ['verify']]) {
      const { code, out } = await home.run(...args);
      expect([code, out]).toEqual([1, expect.stringContaining(named)]);
      expect(out).toContain(id);
    }
    const { code, out } = await home.run('verify', id, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { healthy: false }]);
  });

  it('names what an append that came to nothing left, and does not mind it', async () => {
    const id = await keepSession(home.root);
    await writeFile(join(sessionFolder(home.root, id), 'events', '00000009-00000009.jsonl'), '{"v":1');
    const { code, out } = await home.run('verify');
    expect([code, out]).toEqual([0, expect.stringContaining('events/00000009-00000009.jsonl')]);
  });
});

/** Some file of content below a folder. */
async function contentIn(...parts: readonly string[]): Promise<string> {
  const folder = join(home.root, ...parts);
  const name = (await readdir(folder, { recursive: true })).find((one) => /[0-9a-f]{64}/.test(one));
  return join(folder, name ?? 'nothing');
}

describe('railyard repair', () => {
  it('does nothing to a healthy session', async () => {
    const id = await keepSession(home.root);
    const before = await filesBelow(sessionFolder(home.root, id));
    expect(await home.json('repair', id, '--yes')).toEqual({ sessionId: id, kind: 'nothing_to_do' });
    expect(await filesBelow(sessionFolder(home.root, id))).toEqual(before);
  });

  it('sets an unfinished append aside, once it is told to', async () => {
    const id = await keepSession(home.root);
    const manifest = join(sessionFolder(home.root, id), 'manifest.jsonl');
    const whole = await readFile(manifest, 'utf8');
    await appendFile(manifest, '{"v":1,"manif');
    expect((await home.run('verify')).code).toBe(1);
    const asked = await home.run('repair', id);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(await readFile(manifest, 'utf8')).not.toBe(whole);
    const done = await home.json<{ setAside: string; files: string[] }>('repair', id, '--yes');
    expect(done).toMatchObject({ kind: 'repaired', validEvents: 9 });
    const [tail = ''] = done.files;
    expect(await readFile(join(sessionFolder(home.root, id), done.setAside, tail), 'utf8')).toBe(
      '{"v":1,"manif',
    );
    expect(await readFile(manifest, 'utf8')).toBe(whole);
    expect((await home.run('verify')).code).toBe(0);
  });

  it('refuses damage to what was acknowledged', async () => {
    const id = await keepSession(home.root);
    await flip(await lastSegment(home.root, id));
    const { code, err } = await home.run('repair', id, '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('SESSION_CORRUPT')]);
  });
});
