import { byteOrder } from './artifact.mjs';
import { distinctBy } from './evidence.mjs';
import { contentStems, isFunctionWord, stem, words } from './tokens.mjs';

/**
 * The terms an expert uses everywhere, most widely spread first: in how many sources, how often, and as which word they
 * were most often written. A term of one source is a topic of that source and no habit.
 */
export function spreadTerms(sentences, { minSources = 2 } = {}) {
  const terms = new Map();
  for (const sentence of sentences) {
    for (const word of words(sentence.text)) {
      if (isFunctionWord(word) || word.length < 3 || /\d/u.test(word)) continue;
      const entry = terms.get(stem(word)) ?? {
        stem: stem(word),
        count: 0,
        sources: new Set(),
        forms: new Map(),
      };
      entry.count += 1;
      entry.sources.add(sentence.source);
      entry.forms.set(word, (entry.forms.get(word) ?? 0) + 1);
      terms.set(entry.stem, entry);
    }
  }
  return [...terms.values()]
    .filter((entry) => entry.sources.size >= minSources)
    .sort((a, b) => b.sources.size - a.sources.size || b.count - a.count || byteOrder(a.stem, b.stem))
    .map(({ forms, sources, ...entry }) => ({
      ...entry,
      sources: sources.size,
      term: [...forms].sort(([a, m], [b, n]) => n - m || byteOrder(a, b))[0][0],
    }));
}

/**
 * Picks the quotations that say most in the expert's own terms, and keeps them in reading order. A quotation weighs the
 * spread of its terms, damped by its length, so that long sentences do not win by being long.
 */
export function mostTelling(evidence, terms, limit) {
  const spread = new Map(terms.map((entry) => [entry.stem, Math.log(entry.sources)]));
  const weigh = (quote) => {
    const stems = [...new Set(contentStems(quote))];
    const sum = stems.reduce((total, term) => total + (spread.get(term) ?? 0), 0);
    return stems.length === 0 ? 0 : sum / Math.sqrt(stems.length);
  };
  return distinctBy(evidence, (entry) => entry.quote)
    .map((entry, at) => ({ entry, at, weight: weigh(entry.quote) }))
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .slice(0, limit)
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
