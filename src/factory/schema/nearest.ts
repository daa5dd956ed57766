/** Longer words are no slips of the pen, and the distance costs the product of the lengths. */
const MAX_LENGTH = 64;

/** The candidate a misspelt word most likely meant, or null where none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Math.ceil(word.length / 3) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `Use "x".` where something is near, else the whole choice (cut short), else `otherwise`. */
export function suggest(word: string, candidates: Iterable<string>, otherwise: string): string {
  const all = [...candidates];
  const near = nearest(word, all);
  if (near !== null) return `Use "${near}".`;
  if (all.length === 0) return otherwise;
  const shown = all.slice(0, 12).map((one) => `"${one}"`);
  return `Use one of ${shown.join(', ')}${all.length > shown.length ? ', …' : ''}.`;
}
