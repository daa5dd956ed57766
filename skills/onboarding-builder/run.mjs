import { contradicted } from '../_text/contradictions.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { quotesIn } from '../_text/evidence.mjs';
import { runSkill } from '../_text/request.mjs';
import { page } from '../_text/report.mjs';
import { intakeQuestions } from './intake.mjs';
import { messages } from './messages.mjs';

// Two days lie between messages: long enough to try something.
const DAYS_BETWEEN = 2;
const FEWEST_MESSAGES = 2;

runSkill('onboarding-builder', (request) => {
  const gaps = request.json('gap-report', 'gaps');
  const isContradicted = contradicted(gaps);
  const usable = (evidence) => evidence.filter((entry) => !isContradicted(entry));
  const material = {
    expert: request.expertName ?? 'the expert',
    framework: request.json('expert-framework', 'name', 'phases'),
    soul: request.json('soul', 'origin', 'beliefs'),
    voice: request.json('voice', 'questions', 'signature_phrases'),
    resources: request.json('resources', 'books', 'links'),
    offers: request.json('offers', 'offers').offers,
    usable,
  };
  // Reviewers' terms are looked up in what the extractors brought along; the sources themselves are no input here.
  const quotes = quotesIn([
    material.framework,
    material.soul,
    material.voice,
    material.resources,
    material.offers,
  ]);
  const sentences = quotes.map((entry) => ({
    ...entry,
    id: `${entry.source}:${entry.quote}`,
    text: entry.quote,
  }));
  const asked = answerFeedback(request.feedback, sentences);

  const sequence = messages(material, asked);
  if (sequence.length < FEWEST_MESSAGES) {
    throw new SkillFailure(
      'the extractions have no origin, beliefs, phases, resources or offers to write messages from',
      'ask the expert the questions of gap-questions.md and run the extractors again',
    );
  }
  const questions = intakeQuestions(material);

  request.writeText(
    'welcome-sequence',
    page(
      `# Welcome sequence: ${material.expert}`,
      `${sequence.length} messages, ${DAYS_BETWEEN} days apart. Quoted lines are ${material.expert}'s own; the rest may be reworded.`,
      sequence.map((message, at) =>
        page(`## ${at + 1}. ${message.subject}`, `_Day ${at * DAYS_BETWEEN}_`, message.parts),
      ),
    ),
  );
  request.writeJson('intake-questions', {
    questions: questions.map((question, at) => ({ id: `q-${at + 1}`, ...question })),
    do_not_promise: gaps.gaps.map((gap) => ({ about: gap.about, because: `${gap.kind}: ${gap.found}` })),
    asked_for: asked.map(({ term, status, mentions }) => ({ term, status, mentions })),
  });
  const missing = asked.filter((answer) => answer.status === 'not found').map((answer) => `"${answer.term}"`);
  return {
    metrics: { message_count: sequence.length, question_count: questions.length },
    notes:
      `${sequence.length} messages and ${questions.length} intake questions.` +
      (missing.length > 0 ? `\nAsked for and not found: ${missing.join(', ')}.` : ''),
  };
});
