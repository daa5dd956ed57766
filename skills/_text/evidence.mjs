import { sentenceId } from './sentences.mjs';

/** Where a claim was found. Every claim in an artifact carries at least one of these. */
export function cite(sentence) {
  return { source: sentence.source, line: sentence.line, sentence: sentence.id, quote: sentence.text };
}

/** The same in running text: `(method.md:23)`. */
export function reference({ source, line }) {
  return `(${source}:${line})`;
}

/** A quotation with its place: `"A good name fits in one breath." (method.md:27)`. */
export function quoted(entry) {
  return `"${entry.quote}" ${reference(entry)}`;
}

/** All sentences of all sources, in reading order. */
export function allSentences(sources) {
  return sources.flatMap((source) => source.sentences);
}

export function distinctSources(evidence) {
  return new Set(evidence.map((entry) => entry.source)).size;
}

/** Sentences that match, once each: a sentence said twice is cited where it was said first. */
export function findSentences(sentences, matches) {
  const seen = new Set();
  return sentences.filter((sentence) => {
    if (seen.has(sentence.id) || !matches(sentence.text, sentence)) return false;
    seen.add(sentence.id);
    return true;
  });
}

/** True when the words of `phrase` stand in `text` in that order, whatever the case. */
export function mentions(text, phrase) {
  const escaped = phrase
    .trim()
    .split(/\s+/u)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'))
    .join('\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

/** The first entry for each key, in order. */
export function distinctBy(entries, keyOf) {
  const seen = new Set();
  return entries.filter((entry) => {
    const key = keyOf(entry);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Every quotation inside artifacts, wherever it hangs, once each and in order. */
export function quotesIn(value, found = new Map()) {
  if (Array.isArray(value)) value.forEach((entry) => quotesIn(entry, found));
  else if (value !== null && typeof value === 'object') {
    if (typeof value.quote === 'string') found.set(`${value.source}:${value.line}:${value.quote}`, value);
    Object.values(value).forEach((entry) => quotesIn(entry, found));
  }
  return [...found.values()];
}

/** The same artifacts without the evidence of these sentences, known by their id or, failing that, by their words. */
export function withoutSentences(value, ids) {
  if (Array.isArray(value)) {
    return value.filter((entry) => !isEvidenceOf(entry, ids)).map((entry) => withoutSentences(entry, ids));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutSentences(entry, ids)]));
}

function isEvidenceOf(entry, ids) {
  if (entry === null || typeof entry !== 'object') return false;
  return ids.has(entry.sentence) || (typeof entry.quote === 'string' && ids.has(sentenceId(entry.quote)));
}
