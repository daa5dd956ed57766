/** How a benchmark reports: ratios to a floor taken in the same run, since times alone say little on a busy machine. */

/** Times of single operations, beside those of the floor. */
export interface LatencyLine {
  readonly bench: string;
  readonly case: string;
  readonly n: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly floor_p50_ms: number;
  readonly ratio: number;
}

/** Operations a second, beside those of the floor. */
export interface ThroughputLine {
  readonly bench: string;
  readonly case: string;
  readonly n: number;
  readonly per_s: number;
  readonly floor_per_s: number;
  readonly ratio: number;
}

/** Kilobytes for each of many, beside those of the floor. */
export interface MemoryLine {
  readonly bench: string;
  readonly case: string;
  readonly n: number;
  readonly kb: number;
  readonly floor_kb: number;
  readonly ratio: number;
}

export type Line = LatencyLine | ThroughputLine | MemoryLine;

/** Compare times in milliseconds with the floor's; a ratio above 1 is slower. */
export function latency(
  bench: string,
  name: string,
  times: readonly number[],
  floor: readonly number[],
): LatencyLine {
  const [p50, floorP50] = [percentile(times, 50), percentile(floor, 50)];
  return {
    bench,
    case: name,
    n: times.length,
    p50_ms: round(p50),
    p95_ms: round(percentile(times, 95)),
    floor_p50_ms: round(floorP50),
    ratio: round(p50 / floorP50),
  };
}

/** Compare rates with the floor's; a ratio below 1 is slower. */
export function throughput(
  bench: string,
  name: string,
  n: number,
  perS: number,
  floorPerS: number,
): ThroughputLine {
  return {
    bench,
    case: name,
    n,
    per_s: round(perS),
    floor_per_s: round(floorPerS),
    ratio: round(perS / floorPerS),
  };
}

/** Compare kilobytes for each with the floor's. */
export function memory(bench: string, name: string, n: number, kb: number, floorKb: number): MemoryLine {
  return { bench, case: name, n, kb: round(kb), floor_kb: round(floorKb), ratio: round(kb / floorKb) };
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle of a few rates. */
export const median = (values: readonly number[]): number => percentile(values, 50);

/** Milliseconds that something took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
