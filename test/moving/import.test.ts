import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hasMoved, noteMoved, readRun } from '../../src/home';
import { fenceRun } from '../../src/moving';
import { block, decision, gate, NOON, plan, succeeded } from '../factory/walk/fixtures';
import { codeOf, unwrap } from '../workrail/local/fixtures';
import { bundleOf, house, importText, propose, RUN, startIn, type House, type Started } from './houses';

const clock = { now: NOON };
const done = (id: string) =>
  ({ type: 'attempt-finished', block: id, attempt: 1, outcome: succeeded(`${id}-out`) }) as const;
const approval = { type: 'gate-decision', decision: decision({ id: 'd1' }) } as const;

let from: House;
let there: House;
let started: Started;
beforeEach(async () => {
  clock.now = NOON;
  [from, there] = [await house(clock), await house(clock)];
  started = await startIn(from, plan([block('a', { after: gate() }), block('b', { needs: ['a'] })]));
  await propose(from, started, done('a'));
});
afterEach(() => {
  from.end();
  there.end();
});

describe('a run that is imported', () => {
  test('works in the folder that was named, and its files are there', async () => {
    const workspace = there.home.path('somewhere', 'else');
    unwrap(await importText(there, await bundleOf(from), workspace));
    expect(readRun(there.home, RUN)._unsafeUnwrap()).toMatchObject({
      workspace,
      parameters: { topic: 'railways' },
    });
    expect(existsSync(join(workspace, 'a', 'out'))).toBe(true);
    expect(unwrap(await there.ledger.standing(RUN)).state.blocks.a?.artifacts[0]?.path).toBe(
      join(workspace, 'a', 'out'),
    );
  });

  test('twice from the same bundle is there once', async () => {
    const bundle = await bundleOf(from);
    unwrap(await importText(there, bundle));
    const again = unwrap(await importText(there, bundle));
    expect(again).toMatchObject({ fresh: false, sessionId: RUN, run: { run: RUN } });
    expect(unwrap(await there.store.sessions.list())).toEqual([RUN]);
  });

  test('after an import that died before its record is found, and not imported anew', async () => {
    const bundle = await bundleOf(from);
    const { run: _run, ...before } = unwrap(await importText(there, bundle));
    rmSync(there.home.path('runs', RUN), { recursive: true });
    expect(unwrap(await importText(there, bundle))).toMatchObject({
      ...before,
      fresh: false,
      run: { run: RUN },
    });
    expect(unwrap(await there.ledger.standing(RUN)).seen).toBe(1);
  });

  test('is as it was where it came from, and does not take up what happens there afterwards', async () => {
    unwrap(await importText(there, await bundleOf(from)));
    await propose(from, started, approval);
    expect(unwrap(await there.ledger.standing(RUN)).state.blocks.a?.status).toBe('waiting');
  });

  test('may come home, further on, and is what it has become', async () => {
    unwrap(await fenceRun(from.ledger, RUN, 'olga'));
    unwrap(await importText(there, await bundleOf(from)));
    await noteMoved(from.home, RUN, new Date());
    await propose(there, { workspace: readRun(there.home, RUN)._unsafeUnwrap().workspace }, approval);
    const home = unwrap(await importText(from, await bundleOf(there)));
    expect(home.fresh).toBe(true);
    expect(home.sessionId).not.toBe(RUN);
    expect(hasMoved(from.home, RUN)).toBe(false);
    // In the place it had, and under the session that is further on.
    expect(readRun(from.home, RUN)._unsafeUnwrap()).toMatchObject({
      sessionId: home.sessionId,
      workspace: started.workspace,
    });
    expect(unwrap(await from.ledger.standing(RUN)).state.blocks.a?.status).toBe('done');
    await propose(from, started, done('b'));
    expect(unwrap(await from.ledger.standing(RUN)).state.status).toBe('completed');
  });

  test('is refused where the run has gone another way', async () => {
    unwrap(await importText(there, await bundleOf(from)));
    const workspace = readRun(there.home, RUN)._unsafeUnwrap().workspace;
    await propose(there, { workspace }, { type: 'pause', by: 'olga' });
    await propose(from, started, approval);
    expect(codeOf(await importText(there, await bundleOf(from)))).toBe('RUN_EXISTS');
    expect(unwrap(await there.ledger.standing(RUN)).state.status).toBe('paused');
  });

  test('leaves a run that it finds further on alone', async () => {
    const early = await bundleOf(from);
    unwrap(await importText(there, early));
    const workspace = readRun(there.home, RUN)._unsafeUnwrap().workspace;
    await propose(there, { workspace }, approval);
    expect(unwrap(await importText(there, early)).fresh).toBe(false);
    expect(unwrap(await there.ledger.standing(RUN)).seen).toBe(2);
  });
});

describe('a bundle that is not whole', () => {
  interface Bundle {
    readonly artifacts: Record<string, { contentType: string; byteLength: number; base64: string }>;
    readonly integrity: { entries: { path: string }[] };
    readonly session: { pinnedWorkflows: Record<string, object> };
  }
  /** The bundle with something changed by somebody who mends the table of contents too. */
  const without = (bundle: Bundle, digest: string): string => {
    const { [digest]: _gone, ...artifacts } = bundle.artifacts;
    const entries = bundle.integrity.entries.filter(({ path }) => path !== `artifacts/${digest}`);
    return JSON.stringify({ ...bundle, artifacts, integrity: { ...bundle.integrity, entries } });
  };

  test('is refused for every artifact that it lacks, and nothing is left of it', async () => {
    await propose(from, started, approval);
    await propose(from, started, { ...done('b'), outcome: succeeded('bb') });
    const bundle = JSON.parse(await bundleOf(from)) as Bundle;
    const digests = Object.keys(bundle.artifacts);
    // Of one block a file, of the other a directory of two: three of them, and its listing; and the facts.
    expect(digests.length).toBeGreaterThanOrEqual(7);
    for (const digest of digests) {
      const fresh = await house(clock);
      expect([digest, codeOf(await importText(fresh, without(bundle, digest)))]).toEqual([
        digest,
        'BUNDLE_INTEGRITY_FAILED',
      ]);
      expect(unwrap(await fresh.store.sessions.list())).toEqual([]);
      expect(readdirSync(fresh.home.path('runs'))).toEqual([]);
      fresh.end();
    }
  });

  test('is refused where a byte of an artifact is another one', async () => {
    const bundle = JSON.parse(await bundleOf(from)) as Bundle;
    const [first] = Object.values(bundle.artifacts);
    if (!first) throw new Error('no artifact');
    first.base64 = Buffer.from('other bytes').toString('base64');
    expect(codeOf(await importText(there, JSON.stringify(bundle)))).toBe('BUNDLE_INTEGRITY_FAILED');
  });

  test('is refused where it was cut off', async () => {
    const text = await bundleOf(from);
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const cut = await importText(there, text.slice(0, Math.floor(text.length * part)));
      expect(codeOf(cut)).toMatch(/^BUNDLE_/);
    }
    expect(unwrap(await there.store.sessions.list())).toEqual([]);
  });
});
