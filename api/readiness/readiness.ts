/** Can the service do its work now, and if not, what is missing? */
import { setTimeout as pause } from 'node:timers/promises';

/** A part that the service needs. */
export interface Check {
  readonly part: string;
  /** Null: all is well; else what is missing, in a few words that anyone may read. */
  readonly look: () => Promise<string | null>;
}

/** A part that is missing. */
export interface Missing {
  readonly part: string;
  readonly why: string;
}

/** Whoever asks is answered within two seconds. */
const LOOK_MS = 1_500;
/** So long an answer is given again: anyone may ask, and each look costs a call and a write. */
const FRESH_MS = 500;

export class Readiness {
  private last: { readonly at: number; readonly missing: Promise<readonly Missing[]> } | null = null;

  constructor(private readonly checks: readonly Check[]) {}

  /** What is missing now; nothing: the service is ready. */
  missing(): Promise<readonly Missing[]> {
    const now = performance.now();
    if (!this.last || now - this.last.at > FRESH_MS) this.last = { at: now, missing: this.look() };
    return this.last.missing;
  }

  private async look(): Promise<readonly Missing[]> {
    const found = await Promise.all(this.checks.map((check) => lookAt(check)));
    return found.filter((one) => one !== null);
  }
}

async function lookAt({ part, look }: Check): Promise<Missing | null> {
  const over = new AbortController();
  const late = pause(LOOK_MS, 'it did not answer in time', { signal: over.signal }).catch(() => null);
  const why = await Promise.race([look().catch(() => 'it cannot be looked at'), late]);
  over.abort();
  return why === null ? null : { part, why };
}
