import { round } from '../_text/artifact.mjs';
import { voiceSimilarity } from '../_text/style.mjs';
import { contentStems, words } from '../_text/tokens.mjs';
import { quotations } from './clone.mjs';
import { STRANGERS } from './strangers.mjs';

// "It took twenty minutes" could stand anywhere; a question needs something to be looked up by.
const TERMS_TO_ASK = 3;
// With fewer questions the answers prove less, and count for less, in proportion.
export const ENOUGH_QUESTIONS = 30;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const distinctStems = (text) => [...new Set(contentStems(text))];

/** One unseen sentence put to the clone: what it reads, whether that is of the right source, which words it lacks. */
function ask(sentence, clone, known) {
  const stems = distinctStems(sentence.text);
  const hits = clone.search(sentence.text, clone.limit);
  const passages = new Map(clone.passages.map((passage) => [passage.id, passage]));
  const best = hits[0] ? nearestLine(passages.get(hits[0].id).text, stems) : null;
  return {
    sentence: sentence.id,
    text: sentence.text,
    expected: { source: sentence.source, passage: sentence.chunk },
    asked: stems.length >= TERMS_TO_ASK,
    found_source: hits.some((hit) => passages.get(hit.id).source === sentence.source),
    passage_rank: hits.findIndex((hit) => hit.id === sentence.chunk) + 1 || null,
    read: hits,
    would_answer_with: best,
    missing_terms: stems.filter((term) => !known.has(term)),
    term_count: stems.length,
  };
}

/** The line of a passage that shares most with the question. */
function nearestLine(text, stems) {
  const lines = text.split('\n').filter((line) => words(line).length > 0);
  const shared = (line) => distinctStems(line).filter((term) => stems.includes(term)).length;
  return (
    lines.map((line) => ({ line, weight: shared(line) })).sort((a, b) => b.weight - a.weight)[0]?.line ?? null
  );
}

/** How likely it is that `limit` passages drawn blindly include one of the source. */
function luck(clone, source) {
  const all = clone.passages.length;
  const others = clone.passages.filter((passage) => passage.source !== source).length;
  let miss = 1;
  for (let drawn = 0; drawn < Math.min(clone.limit, all); drawn += 1) {
    miss *= Math.max(0, others - drawn) / (all - drawn);
  }
  return 1 - miss;
}

/** Share of right sources beyond what luck gives: 0 is a blind draw, 1 is always right. */
function lookup(answers, clone) {
  const asked = answers.filter((answer) => answer.asked);
  const right = asked.filter((answer) => answer.found_source).length;
  const lucky = asked.reduce((sum, answer) => sum + luck(clone, answer.expected.source), 0);
  const beyond = asked.length - lucky;
  return {
    value: beyond <= 1e-9 ? 0 : Math.max(0, (right - lucky) / beyond),
    detail: {
      asked: asked.length,
      right_source: right,
      by_luck: round(lucky, 1),
      right_passage: asked.filter((answer) => answer.passage_rank !== null).length,
    },
  };
}

/** How strongly the knowledge answers to a sentence, for each of its terms. */
function familiarity(clone, text) {
  const hits = clone.search(text, clone.limit);
  return hits.reduce((sum, hit) => sum + hit.score, 0) / Math.max(1, distinctStems(text).length);
}

/** Of all pairs (unseen sentence of the expert, sentence of a stranger), how many the clone sorts rightly; 0 is a coin. */
function recognition(sentences, clone) {
  const own = sentences.map((sentence) => familiarity(clone, sentence.text));
  const foreign = STRANGERS.map((text) => familiarity(clone, text));
  let won = 0;
  for (const one of own) for (const other of foreign) won += one > other ? 1 : one === other ? 0.5 : 0;
  const share = own.length === 0 ? 0.5 : won / (own.length * foreign.length);
  return {
    value: Math.max(0, 2 * share - 1),
    detail: { pairs: own.length * foreign.length, sorted_rightly: round(share, 4) },
  };
}

function vocabulary(answers) {
  const all = answers.reduce((sum, answer) => sum + answer.term_count, 0);
  const missing = answers.reduce((sum, answer) => sum + answer.missing_terms.length, 0);
  return {
    value: all === 0 ? 0 : (all - missing) / all,
    detail: { terms: all, unknown_to_the_clone: missing },
  };
}

/** The lines the prompt gives as examples against the unseen sentences, both of the length that was held out. */
function voice(sentences, clone, shortest) {
  const quotes = [...new Set(quotations(clone.prompt).map((entry) => entry.quote))];
  const lines = quotes.filter((quote) => words(quote).length >= shortest);
  const alike = voiceSimilarity(lines, sentences);
  return {
    value: mean(Object.values(alike)),
    // English is English: what strangers get says how much of the value is this expert's.
    detail: {
      lines: lines.length,
      ...alike,
      strangers_get: round(mean(Object.values(voiceSimilarity(lines, STRANGERS))), 4),
    },
  };
}

/** The part of the test that puts unseen sentences to the clone. */
export function examine(heldOut, clone) {
  const known = new Set(contentStems([clone.prompt, ...clone.passages.map((p) => p.text)].join('\n')));
  const answers = heldOut.sentences.map((sentence) => ask(sentence, clone, known));
  return {
    answers,
    weight: Math.min(1, heldOut.sentences.length / ENOUGH_QUESTIONS),
    dimensions: {
      lookup: lookup(answers, clone),
      recognition: recognition(heldOut.sentences, clone),
      vocabulary: vocabulary(answers),
      voice: voice(heldOut.sentences, clone, heldOut.shortest_words),
    },
  };
}
