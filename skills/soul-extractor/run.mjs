import { allSentences, cite, findSentences } from '../_text/evidence.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { completeness } from '../_text/completeness.mjs';
import { linksIn } from '../_text/figures.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { contentStems, words } from '../_text/tokens.mjs';

/** What makes a sentence evidence for each side of a character, and how many of them are a fair picture. */
const ASPECTS = {
  beliefs: { target: 5, cue: /\bI (?:believe|think|am convinced|hold that)\b/u },
  commitments: {
    target: 6,
    cue: /\b(?:I|we) (?:\w+ )?(?:never|always|would rather|refuse)\b|^(?:Never|Always)\b/iu,
  },
  contrasts: {
    target: 5,
    cue: /\bis not (?:the same|a|an|there|your|for|my)\b|\bnot because\b|\brather than\b|\binstead of\b|, and not\b|\bnot .+[;,] (?:it|but)\b/iu,
  },
  origin: {
    target: 4,
    cue: /\bI (?:grew up|began|started|opened|founded|was born|learned|learnt)\b|\b[Mm]y (?:father|mother|parents|first)\b|\b[Ss]ince (?:19|20)\d{2}\b|^In (?:19|20)\d{2},? I\b/u,
  },
  admissions: {
    target: 3,
    cue: /\bI (?:believed|used to (?:think|believe)|got wrong|was wrong|made the same mistake|was frightened|lost|failed|break)\b|\bmy mistake\b|\bI am sorry\b/iu,
  },
  patterns: {
    target: 4,
    cue: /\b(?:whenever|every time|each time|usually|nearly always|in every|this pattern)\b|\bI (?:can tell|see this)\b/iu,
  },
};
const LIMITS =
  /\b(?:(?:does|will) not (?:work|help) (?:for|if|when|in)|fails? (?:when|for|if)|is not for (?:you|everyone|every))\b/iu;
// "Always." answers a question; on its own it commits to nothing.
const SHORTEST = 3;

/** "Always" here and "never" there about the same things: a person should look at it. */
function tensions(sentences) {
  const always = sentences.filter((sentence) => /\balways\b/iu.test(sentence.text));
  const never = sentences.filter(
    (sentence) => /\bnever\b/iu.test(sentence.text) && !/\balways\b/iu.test(sentence.text),
  );
  return always.flatMap((one) => {
    const topic = new Set(contentStems(one.text));
    return never
      .map((other) => ({
        other,
        shared: [...new Set(contentStems(other.text))].filter((term) => topic.has(term)),
      }))
      .filter(({ shared }) => shared.length >= 3)
      .map(({ other, shared }) => ({ about: shared, always: cite(one), never: cite(other) }));
  });
}

runSkill('soul-extractor', (request) => {
  const framework = request.json('expert-framework', 'name');
  // A sentence with a link in it points somewhere; it does not confess.
  const sentences = allSentences(readRawSources(request)).filter((s) => linksIn(s.text).length === 0);
  const soul = Object.fromEntries(
    Object.entries(ASPECTS).map(([aspect, { cue }]) => [
      aspect,
      findSentences(sentences, (t) => words(t).length >= SHORTEST && cue.test(t)).map(cite),
    ]),
  );
  const fields = Object.fromEntries(
    Object.entries(ASPECTS).map(([aspect, { target }]) => [aspect, { found: soul[aspect].length, target }]),
  );
  const score = completeness(fields);
  request.writeJson('soul', {
    framework: framework.name,
    ...soul,
    limits: findSentences(sentences, (text) => LIMITS.test(text)).map(cite),
    tensions: tensions(sentences),
    feedback: answerFeedback(request.feedback, sentences),
    completeness: { score, fields },
    modules: {
      M1_thinking_structures: [...soul.beliefs, ...soul.contrasts],
      M7_pattern_recognition: [...soul.patterns, ...soul.commitments],
    },
  });
  return {
    metrics: { extraction_completeness: score },
    notes: `${Object.entries(fields)
      .map(([name, f]) => `${f.found} ${name}`)
      .join(', ')}; complete to ${score}%.`,
  };
});
