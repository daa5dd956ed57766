import { round } from './artifact.mjs';
import { FUNCTION_WORDS, words } from './tokens.mjs';

/** Upper bounds of the sentence-length classes, in words. */
export const LENGTH_CLASSES = [4, 8, 13, 19, 27, Infinity];
const MARKS = [',', ';', ':', '—', '?', '!', '"', '('];

function syllables(word) {
  const groups = word.replace(/e$/u, '').match(/[aeiouyáéíóúäöü]+/gu);
  return Math.max(1, groups?.length ?? 1);
}

export function lengthClass(length) {
  return LENGTH_CLASSES.findIndex((bound) => length <= bound);
}

function shares(counts, total) {
  return counts.map((count) => (total === 0 ? 0 : round(count / total, 4)));
}

/** The measurable side of a voice. All rates are shares, so texts of different length compare. */
export function styleProfile(sentences) {
  const texts = sentences.map((sentence) => sentence.text ?? sentence);
  const lists = texts.map(words).filter((list) => list.length > 0);
  const all = lists.flat();
  const lengths = lists.map((list) => list.length).sort((a, b) => a - b);
  const count = (set) => all.filter((word) => set.includes(word)).length;
  const joined = texts.join(' ').replace(/[“”]/gu, '"');
  const classes = LENGTH_CLASSES.map(
    (_, at) => lengths.filter((length) => lengthClass(length) === at).length,
  );
  const meanLength = all.length / Math.max(1, lists.length);
  const meanSyllables = all.reduce((sum, word) => sum + syllables(word), 0) / Math.max(1, all.length);
  return {
    sentences: lists.length,
    words: all.length,
    mean_sentence_words: round(meanLength),
    median_sentence_words: lengths[Math.floor(lengths.length / 2)] ?? 0,
    length_classes: shares(classes, lists.length),
    first_person_singular: round(
      count(['i', 'me', 'my', 'mine', "i'm", "i've"]) / Math.max(1, all.length),
      4,
    ),
    first_person_plural: round(count(['we', 'us', 'our', 'ours']) / Math.max(1, all.length), 4),
    second_person: round(count(['you', 'your', 'yours', "you're"]) / Math.max(1, all.length), 4),
    contractions: round(
      all.filter((word) => /'(?:t|re|ve|ll|d|m)$/u.test(word)).length / Math.max(1, all.length),
      4,
    ),
    questions: round(texts.filter((text) => /\?["”']?$/u.test(text)).length / Math.max(1, texts.length), 4),
    marks_per_sentence: Object.fromEntries(
      MARKS.map((mark) => [mark, round((joined.split(mark).length - 1) / Math.max(1, texts.length), 3)]),
    ),
    reading_ease: round(206.835 - 1.015 * meanLength - 84.6 * meanSyllables, 1),
  };
}

function cosine(a, b) {
  const dot = a.reduce((sum, value, at) => sum + value * b[at], 0);
  const size = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return size(a) === 0 || size(b) === 0 ? 0 : dot / (size(a) * size(b));
}

function functionWordShares(sentences) {
  const all = sentences.flatMap((sentence) => words(sentence.text ?? sentence));
  return FUNCTION_WORDS.map((word) => all.filter((other) => other === word).length / Math.max(1, all.length));
}

/** How alike two bodies of sentences sound, 0..1 each: function words, lengths of sentences, and who speaks to whom. */
export function voiceSimilarity(a, b) {
  const [first, second] = [styleProfile(a), styleProfile(b)];
  if (first.sentences === 0 || second.sentences === 0)
    return { function_words: 0, sentence_lengths: 0, address: 0 };
  const overlap = first.length_classes.reduce(
    (sum, share, at) => sum + Math.min(share, second.length_classes[at]),
    0,
  );
  const address = (p) => [p.first_person_singular, p.first_person_plural, p.second_person];
  return {
    function_words: round(cosine(functionWordShares(a), functionWordShares(b)), 4),
    sentence_lengths: round(Math.min(1, overlap), 4),
    address: round(cosine(address(first), address(second)), 4),
  };
}
