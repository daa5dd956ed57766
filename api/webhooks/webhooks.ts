/** The webhooks of a store: which there are, whether a call is genuine, and what becomes of it. */
import { err, ok, type Result } from 'neverthrow';
import { findNotJson, type JsonValue } from '../../src/canonical';
import { problem, type RailyardError } from '../../src/errors';
import { readWebhookSecret, TakenWebhooks, type WebhookCall } from '../../src/home';
import { inTurn } from '../../src/sandbox';
import { type Fired, type FactoryRuns } from '../factory-runs';
import { checkCall, secretOf, type Proof, type WebhookRef } from './signature';

/** A webhook as an operator is shown it. */
export interface Webhook {
  readonly block: string;
  readonly path: string;
  /** Below the root of the service. */
  readonly url: string;
  readonly secret: string;
}

export class Webhooks {
  private readonly taken: TakenWebhooks;
  private secret: Promise<string> | null = null;

  constructor(private readonly runs: FactoryRuns) {
    this.taken = new TakenWebhooks(runs.home);
  }

  /** The webhooks of a run, in template order. */
  async list(run: string): Promise<Result<readonly Webhook[], RailyardError>> {
    const known = this.runs.reader.known(run);
    if (known.isErr()) return err(known.error);
    const secret = await this.storeSecret();
    return ok(
      known.value.compiled.blocks.flatMap(({ id, trigger }) => {
        if (trigger.type !== 'webhook' || trigger.webhook === null) return [];
        const path = trigger.webhook;
        const url = `/api/a360/factory-run/${run}/webhook${path}`;
        return [{ block: id, path, url, secret: secretOf(secret, { run, path }) }];
      }),
    );
  }

  /** Is a call genuine? Why not, where it is not. */
  async check(webhook: WebhookRef, proof: Proof, body: Buffer): Promise<Result<WebhookCall, string>> {
    const secret = secretOf(await this.storeSecret(), webhook);
    return checkCall(secret, proof, webhook, body, Date.now());
  }

  /**
   * Take a genuine call. The run has it before it is written down as taken: where anything fails on the way, the same call
   * may be sent again and counts once. The same call twice at once: the second one waits for what becomes of the first.
   */
  take(webhook: WebhookRef, call: WebhookCall, body: Buffer): Promise<Result<Fired, RailyardError>> {
    return inTurn(`webhook ${call.id}`, async () => {
      if (await this.taken.has(call)) return err(replayed());
      const block = this.blockOf(webhook);
      if (block.isErr()) return err(block.error);
      const payload = payloadOf(body);
      if (payload.isErr()) return err(payload.error);
      const fired = await this.runs.fire(webhook.run, {
        ...{ type: 'trigger', via: 'webhook', block: block.value, id: call.id },
        ...{ by: `webhook ${webhook.path}`, payload: payload.value },
      });
      if (fired.isOk()) await this.taken.add(call, Date.now());
      return fired;
    });
  }

  /** The block that a webhook sets off. Its secret may be older than the run that has the id today. */
  private blockOf({ run, path }: WebhookRef): Result<string, RailyardError> {
    return this.runs.reader.known(run).andThen(({ compiled }) => {
      const found = compiled.blocks.find(
        ({ trigger }) => trigger.type === 'webhook' && trigger.webhook === path,
      );
      return found
        ? ok(found.id)
        : err(problem('BLOCK_NOT_FOUND', `No block of the run "${run}" has the webhook ${path}.`));
    });
  }

  private async storeSecret(): Promise<string> {
    // One that cannot be read now may be readable at the next call.
    this.secret ??= readWebhookSecret(this.runs.home).catch((error: unknown) => {
      this.secret = null;
      throw error;
    });
    return this.secret;
  }
}

/** What the skill is handed: the body as JSON; null where there is none. */
function payloadOf(body: Buffer): Result<JsonValue, RailyardError> {
  if (body.length === 0) return ok(null);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return err(
      problem('INPUT_INVALID', 'The body of the call is not JSON in UTF-8.', { suggestion: 'Send JSON.' }),
    );
  }
  const fault = findNotJson(value);
  // It was parsed from JSON, and nothing in it is what JSON cannot say.
  if (!fault) return ok(value as JsonValue);
  return err(
    problem('INPUT_INVALID', `The body of the call has ${fault.reason} at ${fault.pointer}.`, {
      suggestion: 'Send JSON of whole Unicode characters that is not nested deeply.',
    }),
  );
}

const replayed = (): RailyardError => problem('WEBHOOK_REPLAYED', 'This call was taken before.');
