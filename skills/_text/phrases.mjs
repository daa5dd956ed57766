import { byteOrder } from './artifact.mjs';
import { isFunctionWord, words } from './tokens.mjs';

const JOINING = 'of|the|in|it|a|an|and|for|to|is|as|with|by';
const WORD = "\\p{Lu}[\\p{L}'’-]*";
const NAME = new RegExp(`${WORD}(?:\\s+(?:(?:${JOINING})\\s+){0,2}${WORD})+`, 'gu');
// A capital at the start of a sentence proves nothing about these words.
const OPENERS = new Set(
  (
    'the a an i my we our you your he she they it this that these those if when then so but and or in on at by as for ' +
    'from with what who why how where read first second third fourth fifth next not no one two every each ask by'
  ).split(' '),
);

/** Runs of capitalised words ("Clear the Bench"), with sentence openers taken off the front. */
export function capitalisedPhrases(text) {
  const found = [];
  for (const match of text.matchAll(NAME)) {
    const parts = match[0].split(/\s+/u);
    while (parts.length > 0 && (OPENERS.has(parts[0].toLowerCase()) || !/^\p{Lu}/u.test(parts[0])))
      parts.shift();
    while (parts.length > 0 && !/^\p{Lu}/u.test(parts.at(-1))) parts.pop();
    const last = parts.at(-1)?.replace(/['’]s$/u, '');
    if (parts.length >= 2) found.push([...parts.slice(0, -1), last].join(' '));
  }
  return found;
}

/** Groups (phrase, sentence) pairs by phrase: occurrences and the sources they are in. */
function gather(pairs) {
  const groups = new Map();
  for (const [phrase, sentence] of pairs) {
    const group = groups.get(phrase) ?? { phrase, count: 0, sources: new Set(), sentences: [] };
    group.count += 1;
    group.sources.add(sentence.source);
    group.sentences.push(sentence);
    groups.set(phrase, group);
  }
  return [...groups.values()];
}

const mostUsed = (a, b) =>
  b.sources.size - a.sources.size || b.count - a.count || byteOrder(a.phrase, b.phrase);

/** Capitalised phrases that come back: the names an expert gives to things. */
export function recurringNames(sentences, { minCount = 2, minSources = 1 } = {}) {
  const pairs = sentences.flatMap((s) => capitalisedPhrases(s.text).map((phrase) => [phrase, s]));
  return gather(pairs)
    .filter((group) => group.count >= minCount && group.sources.size >= minSources)
    .sort(mostUsed);
}

const NO_START = new Set(['and', 'or', 'but', 'because', 'so', 'that', 'then']);
const NO_END = new Set(
  'a an and as at but for from in into is my of on or our that the their to which with your'.split(' '),
);

/** A run that starts or ends in the middle of something is a fragment; the whole of it is found as well. */
function isWhole(run) {
  return !NO_START.has(run[0]) && !NO_END.has(run.at(-1));
}

/**
 * Word runs that come back in several sources: what an expert keeps saying. The longest form wins, so "the bench
 * tells" disappears behind "the bench tells the truth".
 */
export function recurringPhrases(sentences, { longest = 12, shortest = 3, minSources = 2 } = {}) {
  const pairs = [];
  for (const sentence of sentences) {
    const list = words(sentence.text);
    for (let size = shortest; size <= longest; size += 1) {
      for (let at = 0; at + size <= list.length; at += 1) {
        const run = list.slice(at, at + size);
        const weight = run.filter((word) => !isFunctionWord(word)).length;
        if (weight >= 2 && isWhole(run)) pairs.push([run.join(' '), sentence]);
      }
    }
  }
  const groups = gather(pairs).filter((group) => group.sources.size >= minSources);
  const kept = [];
  for (const group of groups.sort(
    (a, b) => b.phrase.length - a.phrase.length || byteOrder(a.phrase, b.phrase),
  )) {
    const inside = kept.some(
      (longer) => ` ${longer.phrase} `.includes(` ${group.phrase} `) && longer.count >= group.count - 1,
    );
    if (!inside) kept.push(group);
  }
  return kept.sort(mostUsed);
}
