/**
 * How a call of a webhook proves where it comes from: `Railyard-Signature: v1=<hex>` is the HMAC-SHA256, under the webhook's
 * secret, of `<timestamp>.<run>.<path>.<body>`, and `Railyard-Timestamp` is when it was signed, in Unix seconds. No part
 * before the body can have a full stop in it, so no two calls have the same text.
 *
 * Each webhook of each run has a secret of its own, made from the store's. So a secret opens one webhook, and nothing has to
 * be looked up to check a call: a run or a path that does not exist is refused exactly as a wrong signature is.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import { sha256Hex } from '../../src/canonical';
import { type WebhookCall } from '../../src/home';

/** How far the timestamp may be from our clock, each way. */
export const WINDOW_MS = 5 * 60_000;
/** A clock that is set back must not bring a call back. */
const REMEMBERED_MS = 2 * WINDOW_MS;

export const TIMESTAMP_HEADER = 'railyard-timestamp';
export const SIGNATURE_HEADER = 'railyard-signature';

const TIMESTAMP = /^\d{1,11}$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/i;

/** Which webhook is called. The path is the one of the template, and begins with a slash. */
export interface WebhookRef {
  readonly run: string;
  readonly path: string;
}

/** The headers that prove a call, as they came. */
export interface Proof {
  readonly timestamp: unknown;
  readonly signature: unknown;
}

/** The secret of one webhook: its text is the key, as it is shown. */
export function secretOf(storeSecret: string, { run, path }: WebhookRef): string {
  const made = createHmac('sha256', storeSecret).update(`railyard webhook ${run} ${path}`);
  return `ryw_${made.digest('base64url')}`;
}

/** The value of the signature's header. */
export function signCall(secret: string, timestamp: string, { run, path }: WebhookRef, body: Buffer): string {
  return `v1=${hmacOf(secret, timestamp, { run, path }, body).toString('hex')}`;
}

/** Is the call genuine? Then it has an id, which is the same whenever it is sent; else the reason, in words for anybody. */
export function checkCall(
  secret: string,
  { timestamp, signature }: Proof,
  webhook: WebhookRef,
  body: Buffer,
  now: number,
): Result<WebhookCall, string> {
  const given = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined;
  if (given === undefined || typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) {
    return err('The call is not signed: it needs the headers Railyard-Timestamp and Railyard-Signature.');
  }
  const signedAt = Number(timestamp) * 1_000;
  if (Math.abs(now - signedAt) > WINDOW_MS) {
    return err(`The timestamp of the call is more than ${WINDOW_MS / 60_000} minutes from our clock.`);
  }
  const expected = hmacOf(secret, timestamp, webhook, body);
  // Both have 32 bytes, so the comparison takes the same time for every wrong signature.
  if (!timingSafeEqual(expected, Buffer.from(given, 'hex'))) {
    return err('No webhook is called with this path and this signature.');
  }
  const { run, path } = webhook;
  const id = `webhook-${sha256Hex(JSON.stringify([run, path, given.toLowerCase()])).slice(0, 40)}`;
  return ok({ id, until: signedAt + REMEMBERED_MS });
}

function hmacOf(secret: string, timestamp: string, { run, path }: WebhookRef, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.${run}.${path}.`).update(body).digest();
}
