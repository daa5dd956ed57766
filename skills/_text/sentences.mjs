import { sha256 } from './artifact.mjs';
import { words } from './tokens.mjs';

// "Mr. Pell" and "e.g. this" do not end a sentence.
const ABBREVIATION = /(?:^|[\s("“])(?:Mr|Mrs|Ms|Dr|St|Prof|No|vs|etc|e\.g|i\.e|P\.S|[A-Z])\.$/u;
const BOUNDARY = /[.!?…]+["'”’)\]]*\s+(?=["'“‘(*]?[\p{Lu}\p{N}£$€])/gu;

/** Splits running text; each piece comes with its offset, so that a caller can tell the line it starts on. */
export function splitSentences(text) {
  const pieces = [];
  let start = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    const piece = text.slice(start, end).trimEnd();
    if (ABBREVIATION.test(piece)) continue;
    pieces.push({ text: piece, offset: start });
    start = end;
  }
  const rest = text.slice(start).trimEnd();
  if (rest !== '') pieces.push({ text: rest, offset: start });
  return pieces;
}

/** The same words are the same sentence wherever they stand: punctuation and case do not count. A bare link is itself. */
export function sentenceId(text) {
  const spoken = words(text).join(' ');
  return `s-${sha256(spoken === '' ? text : spoken).slice(0, 12)}`;
}
