const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time as people type it (90m, 12h, 30d), in milliseconds; null: it is none. */
export function durationMs(text: string): number | null {
  const { count, unit } = /^(?<count>\d{1,6})(?<unit>[mhd])$/.exec(text)?.groups ?? {};
  return unit === 'm' || unit === 'h' || unit === 'd' ? Number(count) * UNIT_MS[unit] : null;
}
