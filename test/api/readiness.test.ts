import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataIsWritable, Readiness } from '../../api/readiness';
import { Scene } from './auth-scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

describe('readiness', () => {
  it('without Temporal is refused with the part that is missing and no word more', async () => {
    const { status, headers, body } = await scene.call('GET', '/readyz', null);
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    expect(body).toMatchObject({ code: 'NOT_READY', details: { missing: [{ part: 'temporal' }] } });
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
    expect(JSON.stringify(body)).not.toContain(scene.home.root);
  });

  it('sees a disk that is full and a data directory that is gone', async () => {
    expect(await dataIsWritable(scene.home, 0).look()).toBeNull();
    expect(await dataIsWritable(scene.home, Number.MAX_SAFE_INTEGER).look()).toBe('the disk is full');
    const { root } = scene.home;
    await rename(root, `${root}.away`);
    expect(await dataIsWritable(scene.home, 0).look()).toBe('it cannot be written to');
    await rename(`${root}.away`, root);
  });

  it('does not wait for a part that hangs, and takes one that throws for missing', async () => {
    const hanging = { part: 'hangs', look: () => new Promise<never>(() => undefined) };
    const throwing = { part: 'throws', look: () => Promise.reject(new Error('secret')) };
    const well = { part: 'well', look: () => Promise.resolve(null) };
    expect(await new Readiness([hanging, throwing, well]).missing()).toEqual([
      { part: 'hangs', why: 'it did not answer in time' },
      { part: 'throws', why: 'it cannot be looked at' },
    ]);
  });
});
