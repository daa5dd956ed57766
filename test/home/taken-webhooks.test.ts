import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { openHome, TakenWebhooks } from '../../src/home';
import { temporary } from '../sandbox/places';

const HOUR_MS = 3_600_000;

it('a call that was taken is known, also by the next service, until it could not be sent again', async () => {
  const home = (await openHome(temporary()))._unsafeUnwrap();
  const [early, late] = [
    { id: 'webhook-a', until: 10 * HOUR_MS },
    { id: 'webhook-b', until: 20 * HOUR_MS },
  ];
  const taken = new TakenWebhooks(home);
  expect(await taken.has(early)).toBe(false);
  await taken.add(early, 9 * HOUR_MS);
  await taken.add(early, 9 * HOUR_MS);
  const next = new TakenWebhooks(home);
  expect(await next.has(early)).toBe(true);
  expect(await next.has(late)).toBe(false);
  await next.add(late, 11 * HOUR_MS);
  expect(readdirSync(home.path('webhooks'))).toEqual([`${late.until}-${late.id}`]);
});
