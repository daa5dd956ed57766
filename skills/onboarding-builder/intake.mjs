const OWN_QUESTIONS = 5;
const STANDING = ['not begun', 'begun', 'a habit'];

const WARNING = /\b(?:do not|don't|never) ask\b/iu;

/** The question inside a sentence: what stands between quotation marks or after a colon, else the sentence itself. */
function questionIn({ quote }) {
  const inner = /["“]([^"”]+\?)["”]/u.exec(quote)?.[1] ?? /:\s+([^:]+\?)$/u.exec(quote)?.[1] ?? quote;
  return inner.charAt(0).toUpperCase() + inner.slice(1);
}

const place = ({ source, line, quote }) => ({ source, line, quote });

/**
 * What to ask a newcomer: the expert's own questions as they are asked, where the newcomer stands with each phase, and
 * whether the people an offer is for are meant. Each question carries the sentence it rests on.
 */
export function intakeQuestions({ framework, voice, offers, usable }) {
  const own = usable(voice.questions)
    .filter((entry) => !WARNING.test(entry.quote))
    .slice(0, OWN_QUESTIONS)
    .map((entry) => ({
      kind: 'own words',
      ask: questionIn(entry),
      choices: null,
      leads_to: null,
      evidence: [place(entry)],
    }));
  const standing = framework.phases.map((phase) => ({
    kind: 'phase',
    ask: `How do things stand with ${phase.name}?`,
    choices: STANDING,
    leads_to: phase.name,
    evidence: usable(phase.definitions).slice(0, 1).map(place),
  }));
  const fit = offers.flatMap((offer) =>
    usable(offer.audience).map((entry) => ({
      kind: 'fit',
      ask: `Is this you? ${entry.quote.replace(/^for whom:\s*/iu, '')}`,
      choices: ['yes', 'no'],
      leads_to: offer.name,
      evidence: [place(entry)],
    })),
  );
  return [...own, ...standing, ...fit];
}
