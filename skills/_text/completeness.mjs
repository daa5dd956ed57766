import { round } from './artifact.mjs';

/**
 * How much of what an extractor looks for it has found, 0..100: each field counts up to its target, and all fields
 * count the same. Twenty beliefs do not make up for a missing origin.
 */
export function completeness(fields) {
  const shares = Object.values(fields).map(({ found, target }) => Math.min(1, found / target));
  return round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length, 1);
}
