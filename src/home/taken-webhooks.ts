/**
 * Calls of webhooks that were taken: an empty file for each, `webhooks/<until>-<id>`, for as long as the same call could be
 * sent again. A call is written here after the run has it, never before: one that is lost on the way can be sent again, and
 * one that the run has twice it knows by its id.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { isMissing } from '../errno';
import { writeOnce } from './atomic-file';
import { type Home } from './home';

/** How often what is past is looked for. */
const SWEEP_EVERY_MS = 60_000;

/** A call: its id, and until when (epoch milliseconds) it could be sent again. */
export interface WebhookCall {
  readonly id: string;
  readonly until: number;
}

export class TakenWebhooks {
  private sweptAt = 0;

  constructor(private readonly home: Home) {}

  /** Was this call taken before? */
  async has(call: WebhookCall): Promise<boolean> {
    try {
      await stat(this.pathOf(call));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Remember a call that was taken. */
  async add(call: WebhookCall, now: number): Promise<void> {
    await mkdir(this.home.path('webhooks'), { recursive: true, mode: 0o700 });
    await writeOnce(this.pathOf(call), '', 0o600);
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    await this.sweep(now);
  }

  private async sweep(now: number): Promise<void> {
    for (const name of await readdir(this.home.path('webhooks'))) {
      if (Number.parseInt(name, 10) < now) await rm(this.home.path('webhooks', name), { force: true });
    }
  }

  private pathOf({ id, until }: WebhookCall): string {
    return this.home.path('webhooks', `${until}-${id}`);
  }
}
