/** A sender of signed calls. */
import { signCall } from '../../../api/webhooks/signature';
import { type Webhook } from '../../../api/webhooks';
import { type RailyardError } from '../../../src/errors';
import { type Block } from '../../../src/factory/schema';
import { scripted } from '../../yard/templates';

/** A block that waits for its webhook. */
export const hooked = (id: string, path: string, more: Partial<Block> = {}): Block => ({
  ...scripted(id),
  trigger: { type: 'webhook', webhook: path },
  ...more,
});

/** One call, signed. Sent again it is the same call. */
export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sign a call of a webhook, now or some seconds from now. */
export function signed(
  root: string,
  run: string,
  { path, url, secret }: Webhook,
  body: string,
  by = 0,
): Call {
  const timestamp = String(Math.floor(Date.now() / 1_000) + by);
  const signature = signCall(secret, timestamp, { run, path }, Buffer.from(body));
  return {
    url: new URL(url, root).href,
    headers: { 'railyard-timestamp': timestamp, 'railyard-signature': signature },
    body,
  };
}

/** Send a call; answers with the status and what is said. */
export async function post({ url, headers, body }: Call): Promise<readonly [number, unknown]> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return [response.status, await response.json()];
}

/** The same for a refusal: the status and the code. */
export async function refused(call: Call): Promise<readonly [number, string]> {
  const [status, body] = await post(call);
  return [status, (body as RailyardError).code];
}
