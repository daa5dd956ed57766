import { allSentences, cite } from '../_text/evidence.mjs';
import { completeness } from '../_text/completeness.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { linksIn } from '../_text/figures.mjs';
import { recurringPhrases } from '../_text/phrases.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { LENGTH_CLASSES, lengthClass, styleProfile } from '../_text/style.mjs';
import { tally, words } from '../_text/tokens.mjs';

const LINES = 60;

/** Things said again in other places that are no names of the framework: catchphrases. */
function signatures(prose, framework) {
  const names = [framework.name, ...framework.phases.map((phase) => phase.name)]
    .filter(Boolean)
    .map((n) => n.toLowerCase());
  return recurringPhrases(prose, { shortest: 4 })
    .filter((group) => !names.some((name) => group.phrase.includes(name) || name.includes(group.phrase)))
    .slice(0, 15)
    .map((group) => ({ phrase: group.phrase, times: group.count, evidence: group.sentences.map(cite) }));
}

/** Lines that stand for the whole: as many from each class of length as the class has in the corpus, evenly spread. */
function representativeLines(prose) {
  return LENGTH_CLASSES.flatMap((_, at) => {
    const group = prose.filter((sentence) => lengthClass(words(sentence.text).length) === at);
    const wanted = Math.min(group.length, Math.round((LINES * group.length) / prose.length));
    const step = group.length / Math.max(1, wanted);
    return Array.from({ length: wanted }, (_unused, n) => cite(group[Math.floor(n * step)]));
  });
}

runSkill('voice-extractor', (request) => {
  const framework = request.json('expert-framework', 'name', 'phases');
  const sentences = allSentences(readRawSources(request));
  const prose = sentences.filter((s) => s.kind === 'paragraph' && linksIn(s.text).length === 0);
  const spoken = prose.length > 0 ? prose : sentences;
  const profile = styleProfile(spoken);
  const found = signatures(spoken, framework);
  const openings = tally(
    spoken.map((s) => words(s.text).slice(0, 2).join(' ')).filter((o) => o.includes(' ')),
  );
  const questions = spoken.filter((sentence) => /\?["”']?$/u.test(sentence.text)).map(cite);
  const shortLines = spoken.filter((sentence) => words(sentence.text).length <= 5).map(cite);
  const fields = {
    sentences: { found: profile.sentences, target: 150 },
    signatures: { found: found.length, target: 5 },
    questions: { found: questions.length, target: 5 },
    short_lines: { found: shortLines.length, target: 8 },
  };
  const score = completeness(fields);
  request.writeJson('voice', {
    profile,
    length_classes: LENGTH_CLASSES.map((bound) => (bound === Infinity ? 'longer' : `up to ${bound} words`)),
    signature_phrases: found,
    openings: openings
      .filter(([, count]) => count > 1)
      .slice(0, 15)
      .map(([opening, count]) => ({ opening, count })),
    questions: questions.slice(0, 15),
    short_lines: shortLines.slice(0, 15),
    representative_lines: representativeLines(spoken),
    feedback: answerFeedback(request.feedback, sentences),
    completeness: { score, fields },
    modules: { M2_voice_style: [...found.flatMap((entry) => entry.evidence), ...questions, ...shortLines] },
  });
  return {
    metrics: { extraction_completeness: score, signature_count: found.length },
    notes: `${found.length} signature phrases; ${profile.mean_sentence_words} words a sentence, reading ease ${profile.reading_ease}.`,
  };
});
