import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer } from '../caller';
import { QUICK, RARELY, Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(async () => {
  await scene.close();
  expect(scene.caller.faults).toEqual([]);
});

const post = (path: string, body: object, key: string): Promise<Answer> =>
  scene.caller.call('POST', path, body, { 'idempotency-key': key });

describe('with an Idempotency-Key', () => {
  it('a pause that comes again does not undo what was done since', async () => {
    await scene.create('paused');
    const pause = (): Promise<Answer> => post('/schedule/paused/pause', { by: 'ann', reason: 'x' }, 'p');
    expect((await pause()).body).toMatchObject({ state: 'paused' });
    expect((await pause()).body).toMatchObject({ state: 'paused' });
    expect((await post('/schedule/paused/resume', { by: 'ann' }, 'r')).body).toMatchObject({
      state: 'active',
    });
    expect(await pause()).toMatchObject({ status: 200, body: { state: 'active' } });
    for (const [path, body] of [
      ['pause', { by: 'ann', reason: 'y' }],
      ['resume', { by: 'ann' }],
      ['run', {}],
    ] as const) {
      const answer = await post(`/schedule/paused/${path}`, body, 'p');
      expect([answer.status, answer.body]).toEqual([
        409,
        expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }),
      ]);
    }
    expect((await scene.read('paused')).state).toBe('active');
  });

  it('a creation that comes again finds what it made, and makes nothing anew once that is deleted', async () => {
    const create = (more: object = {}, key = 'c'): Promise<Answer> =>
      post('/schedule', { name: 'made', template: QUICK, cron: RARELY, started_by: 'sam', ...more }, key);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(200);
    expect((await create({ overlap: 'allow_all' })).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await create({ overlap: 'allow_all' }, 'd')).body).toMatchObject({ code: 'SCHEDULE_EXISTS' });
    await scene.caller.call('DELETE', '/schedule/made');
    expect(await create()).toMatchObject({ status: 404, body: { code: 'SCHEDULE_NOT_FOUND' } });
    expect((await create({}, 'e')).status).toBe(201);
  });
});
