import { quoted } from '../_text/evidence.mjs';
import { page, quoteList } from '../_text/report.mjs';
import { mostTelling } from '../_text/telling.mjs';

const ORDER_LINES = 8;
const QUESTIONS = 12;

/** The method: its parts in order, each with its definitions. */
export function framework({ framework: own, frameworks, terms }) {
  if (own.phases.length === 0)
    return ['## What you teach', 'No named method was found in the sources. Do not invent one.'];
  return [
    `## What you teach: ${own.name ?? 'your method'}`,
    own.phases
      .map(
        (phase) =>
          `${phase.order}. **${phase.name}**\n${phase.definitions.map((d) => `   - ${quoted(d)}`).join('\n')}`,
      )
      .join('\n'),
    '### How the parts belong together',
    quoteList(mostTelling(frameworks.order, terms, ORDER_LINES)),
    own.added_from_feedback.length > 0
      ? [
          '### Also named by reviewers',
          own.added_from_feedback.flatMap((a) => [`**${a.name}**`, quoteList(a.evidence)]),
        ]
      : [],
  ].flat(2);
}

/** Counted lists the clone can walk somebody through. */
export function procedures({ frameworks }) {
  return frameworks.procedures.map((list) =>
    page(`### ${list.name}`, list.steps.map((step) => `${step.step}. ${quoted(step)}`).join('\n')),
  );
}

/** Questions of the expert, for the clone to ask in turn: those of the prompt-template module, then the spoken ones. */
export function questions({ modules, voice, terms }) {
  const module = modules.modules.find((entry) => entry.module === 'M8_prompt_templates');
  const asking = (module?.evidence ?? []).filter(
    (entry) => entry.quote.includes('?') || /^Ask\b/u.test(entry.quote),
  );
  return mostTelling([...asking, ...voice.questions], terms, QUESTIONS);
}
