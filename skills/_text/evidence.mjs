/** Where a claim was found. Every claim in an artifact carries at least one of these. */
export function cite(sentence) {
  return { source: sentence.source, line: sentence.line, sentence: sentence.id, quote: sentence.text };
}

/** The same in running text: `(method.md:23)`. */
export function reference({ source, line }) {
  return `(${source}:${line})`;
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
