import { cite, findSentences, mentions } from './evidence.mjs';

// An apostrophe inside a word opens no quotation: "it's 'Hat Debate' we miss" quotes two words, not five.
const QUOTED =
  /(?<![\p{L}\p{N}])(?:"([^"]{2,80})"|“([^”]{2,80})”|'([^']{2,80})'|‘([^’]{2,80})’)(?![\p{L}\p{N}])/gu;

/** What reviewers put in quotation marks, in order, once each. */
export function quotedTerms(feedback) {
  const terms = [];
  for (const { text } of feedback) {
    for (const match of text.matchAll(QUOTED)) {
      const term = (match[1] ?? match[2] ?? match[3] ?? match[4]).trim().replace(/[.,;:]$/u, '');
      if (!terms.some((known) => known.toLowerCase() === term.toLowerCase())) terms.push(term);
    }
  }
  return terms;
}

/** Each quoted term with what the sources say about it; a term without evidence is reported, never invented. */
export function answerFeedback(feedback, sentences, limit = 5) {
  return quotedTerms(feedback).map((term) => {
    const found = findSentences(sentences, (text) => mentions(text, term));
    return {
      term,
      status: found.length > 0 ? 'found' : 'not found',
      mentions: found.length,
      evidence: found.slice(0, limit).map(cite),
    };
  });
}
