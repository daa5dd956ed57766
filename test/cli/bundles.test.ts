import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Home } from './railyard';
import { keepSession } from './stored-session';

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

describe('railyard export and import', () => {
  it('bring a session with its artifacts into another data directory, where it is healthy', async () => {
    const id = await keepSession(home.root);
    const there = await Home.make();
    try {
      const file = join(home.root, 'one.bundle');
      const exported = await home.json('export', id, '-o', file, '--artifacts');
      expect(exported).toMatchObject({ events: 9, artifacts: 1, salvaged: false, file });
      expect(await there.json('import', file)).toEqual({
        ...{ sessionId: id, exportedSessionId: id, events: 9, missingArtifacts: [] },
        ...{ fresh: true, run: null },
      });
      expect((await there.run('verify', id)).code).toBe(0);
      const events = async (at: Home) => (await at.json<{ events: unknown }>('inspect', id)).events;
      expect(await events(there)).toEqual(await events(home));
    } finally {
      await there.remove();
    }
  });

  it('make a new session of a bundle whose id is taken', async () => {
    const id = await keepSession(home.root);
    const file = join(home.root, 'one.bundle');
    await home.json('export', id, '-o', file);
    const again = await home.json<{ sessionId: string }>('import', file);
    expect(again).toMatchObject({ exportedSessionId: id });
    expect(again.sessionId).not.toBe(id);
    expect((await home.run('verify', again.sessionId)).code).toBe(0);
    expect((await home.json<{ sessions: unknown[] }>('sessions')).sessions).toHaveLength(2);
  });

  it('write the same bundle to standard output, and the rest elsewhere', async () => {
    const id = await keepSession(home.root);
    const { code, out, err } = await home.run('export', id);
    expect([code, err]).toEqual([0, expect.stringContaining('9 events')]);
    const file = join(home.root, 'piped.bundle');
    await writeFile(file, out);
    expect((await home.run('import', file)).code).toBe(0);
  });

  it('leave no file of an export that failed, and what was there before', async () => {
    const file = join(home.root, 'out', 'x.bundle');
    await mkdir(join(home.root, 'out'));
    await writeFile(file, 'before');
    const { code } = await home.run('export', 'sess_nobody', '-o', file);
    expect([code, await readdir(join(home.root, 'out'))]).toEqual([4, ['x.bundle']]);
    expect(await readFile(file, 'utf8')).toBe('before');
  });

  it('name the artifacts that did not come along', async () => {
    const id = await keepSession(home.root);
    const there = await Home.make();
    try {
      const file = join(home.root, 'bare.bundle');
      await home.json('export', id, '-o', file);
      const { missingArtifacts } = await there.json<{ missingArtifacts: string[] }>('import', file);
      expect(missingArtifacts).toEqual([expect.stringMatching(/^sha256:/)]);
    } finally {
      await there.remove();
    }
  });

  it('refuse a bundle that was changed or cut off, and store nothing', async () => {
    const id = await keepSession(home.root);
    const text = (await home.run('export', id)).out;
    const file = join(home.root, 'bad.bundle');
    for (const [bad, code] of [
      [text.replace('Looked at it.', 'Looked at IT.'), 'BUNDLE_INTEGRITY_FAILED'],
      [text.slice(0, -200), 'BUNDLE_INVALID_FORMAT'],
    ] as const) {
      await writeFile(file, bad);
      const done = await home.run('import', file);
      expect([done.code, done.err]).toEqual([2, expect.stringContaining(code)]);
    }
    expect((await home.json<{ sessions: unknown[] }>('sessions')).sessions).toHaveLength(1);
  });

  it.each([
    ['a file that is not there', ['import', '/nowhere/at/all']],
    ['a folder', ['import', '/']],
    ['a place that cannot be written', ['export', 'sess_one', '-o', '/nowhere/x']],
    ['--json without a file', ['export', 'sess_one', '--json']],
  ])('refuse %s with exit code 2', async (_what, args) => {
    await keepSession(home.root);
    expect((await home.run(...args)).code).toBe(2);
  });
});
