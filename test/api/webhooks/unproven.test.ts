import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Scene } from '../auth-scene';

const PATH = '/api/a360/factory-run/r1/webhook/x';
let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(async () => {
  await scene.close();
  expect(scene.faults).toEqual([]);
});

it('a call that proves nothing is in the log like a wrong key, without its headers and its query', async () => {
  const signature = `v1=${'ab'.repeat(32)}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const response = await fetch(`${scene.url}${PATH}?token=hush`, {
    method: 'POST',
    headers: { 'railyard-timestamp': timestamp, 'railyard-signature': signature },
    body: '{}',
  });
  expect(response.status).toBe(401);
  expect(scene.audited).toEqual([
    {
      event: 'unauthenticated',
      request: expect.any(String),
      why: 'No webhook is called with this path and this signature.',
      ...{ method: 'POST', path: PATH, address: '127.0.0.1', caller: null },
    },
  ]);
});
