import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tryLock } from 'fs-native-extensions';
import { Metrics } from '../../../api/metrics';
import { type WorkrailStore } from '../../../src/workrail/local';
import { append, birth, codeOf, note, openStore, SESSION, workflow } from '../../workrail/local/fixtures';
import { parse, valueOf } from './prometheus-text';

let root: string;
let metrics: Metrics;
let store: WorkrailStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'railyard-store-metrics-'));
  metrics = new Metrics();
  store = await openStore({ root, observer: metrics.store });
  await store.workflows.put(workflow());
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const appends = async (outcome: string): Promise<number | null> =>
  valueOf(parse(await metrics.text()), 'railyard_store_appends_total', { outcome });
const locks = async (outcome: string): Promise<number | null> =>
  valueOf(parse(await metrics.text()), 'railyard_store_lock_wait_seconds_count', { outcome });

describe('the metrics of the store', () => {
  it('count appends by what became of them, and how long each took', async () => {
    await append(store, [birth()]);
    await append(store, [note(1)]);
    await append(store, [note(1)]);
    const tooLong = note(2, SESSION, 'x'.repeat(100_000));
    expect(codeOf(await append(store, [tooLong]))).not.toBe('ok');
    expect([await appends('written'), await appends('known'), await appends('refused')]).toEqual([2, 1, 1]);
    const took = parse(await metrics.text());
    expect(valueOf(took, 'railyard_store_append_duration_seconds_count', { outcome: 'written' })).toBe(2);
  });

  it('count locks that were got, and those that somebody else kept', async () => {
    await append(store, [birth()]);
    // There was nothing to lock before it was born.
    expect(await locks('held')).toBeNull();
    await append(store, [note(1)]);
    expect(await locks('held')).toBe(1);
    const file = await open(join(root, 'sessions', SESSION, '.lock'), 'a');
    try {
      expect(tryLock(file.fd)).toBe(true);
      expect(codeOf(await append(store, [note(2)]))).toBe('SESSION_LOCKED');
    } finally {
      await file.close();
    }
    expect([await locks('held'), await locks('busy')]).toEqual([1, 1]);
  });

  it('are not there where no store was opened', async () => {
    expect(await new Metrics().text()).not.toContain('railyard_store');
  });
});
