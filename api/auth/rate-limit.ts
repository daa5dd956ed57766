/** Token buckets in memory: so many requests at once, then so many a second. */
import { performance } from 'node:perf_hooks';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** More callers than this are not told apart for long: the one that was quiet longest begins anew. */
const MAX_BUCKETS = 10_000;
const ROUNDING = 1e-9;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

export class RateLimit {
  /** The one that was quiet longest first. */
  private readonly buckets = new Map<string, Bucket>();

  /** `now` is in milliseconds and never goes back. */
  constructor(
    private readonly rate: Rate,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Take a token; answers with the milliseconds until there is one, and 0 where it was taken. */
  take(who: string): number {
    const { perSecond, burst } = this.rate;
    const at = this.now();
    const before = this.buckets.get(who) ?? { tokens: burst, at };
    const tokens = Math.min(burst, before.tokens + ((at - before.at) / 1_000) * perSecond);
    // Sums of fractions miss the whole by a little; who waited as long as they were told has waited long enough.
    const taken = tokens >= 1 - ROUNDING;
    this.buckets.delete(who);
    this.buckets.set(who, { tokens: taken ? Math.max(0, tokens - 1) : tokens, at });
    this.forget();
    return taken ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000);
  }

  private forget(): void {
    if (this.buckets.size <= MAX_BUCKETS) return;
    for (const oldest of this.buckets.keys()) {
      this.buckets.delete(oldest);
      return;
    }
  }
}
