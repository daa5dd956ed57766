import { byteOrder } from './artifact.mjs';
import { contentStems, tally, words, stem, isFunctionWord } from './tokens.mjs';

/** The terms that set each document apart from the others (tf-idf), shown as the word they were most often written as. */
export function keyTerms(documents, limit) {
  const spelling = new Map();
  const frequency = new Map();
  const bags = documents.map((document) => {
    const list = words(document.text).filter(
      (word) => !isFunctionWord(word) && word.length > 2 && !/\d/u.test(word),
    );
    for (const word of list) {
      const forms = spelling.get(stem(word)) ?? new Map();
      forms.set(word, (forms.get(word) ?? 0) + 1);
      spelling.set(stem(word), forms);
    }
    const bag = tally(list.map(stem));
    for (const [term] of bag) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    return bag;
  });
  const written = (term) => [...spelling.get(term)].sort(([a, m], [b, n]) => n - m || byteOrder(a, b))[0][0];
  return bags.map((bag, at) => ({
    source: documents[at].id,
    terms: bag
      .map(([term, count]) => ({
        term,
        count,
        weight: count * Math.log(1 + documents.length / frequency.get(term)),
      }))
      .sort((a, b) => b.weight - a.weight || byteOrder(a.term, b.term))
      .slice(0, limit)
      .map(({ term, count, weight }) => ({
        term: written(term),
        count,
        weight: Math.round(weight * 100) / 100,
      })),
  }));
}

// The usual constants of BM25: how soon repetition stops counting, and how much long passages are discounted.
const SATURATION = 1.2;
const LENGTH_DISCOUNT = 0.75;

/** A search over passages `{ id, text }`: give it a question, get the nearest passages, best first. */
export function passageSearch(passages) {
  const bags = passages.map((passage) => new Map(tally(contentStems(passage.text))));
  const sizes = bags.map((bag) => [...bag.values()].reduce((sum, count) => sum + count, 0));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  const rarity = new Map();
  for (const bag of bags) for (const term of bag.keys()) rarity.set(term, (rarity.get(term) ?? 0) + 1);
  const idf = (term) => Math.log(1 + (bags.length - rarity.get(term) + 0.5) / (rarity.get(term) + 0.5));

  return (question, limit) => {
    const terms = [...new Set(contentStems(question))].filter((term) => rarity.has(term));
    return passages
      .map((passage, at) => {
        let score = 0;
        for (const term of terms) {
          const count = bags[at].get(term) ?? 0;
          const norm = SATURATION * (1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * sizes[at]) / mean);
          score += (idf(term) * count * (SATURATION + 1)) / (count + norm);
        }
        return { id: passage.id, score: Math.round(score * 1000) / 1000 };
      })
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || byteOrder(a.id, b.id))
      .slice(0, limit);
  };
}
