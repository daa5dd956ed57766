import { randomBytes } from 'node:crypto';
import { readOrMake, type Home } from './home';

/** What the secrets of this store's webhooks are made from; made when it is first asked for, and kept with mode 600. */
export async function readWebhookSecret(home: Home): Promise<string> {
  const text = await readOrMake(home.path('webhook-secret'), () => randomBytes(32).toString('base64url'));
  return text.trim();
}
