import { byteOrder } from '../_text/artifact.mjs';
import { yearsIn } from '../_text/figures.mjs';
import { words } from '../_text/tokens.mjs';

const ORIGIN_LINES = 3;
const BELIEF_LINES = 3;
const LINKS = 4;
const LONGEST_CLOSING = 12;

const quotation = (entry) => `> ${entry.quote}`;

function welcome({ expert, framework, soul, usable }) {
  const origin = usable(soul.origin).slice(0, ORIGIN_LINES);
  return {
    subject: `Hello from ${expert}`,
    parts: [
      ...origin.map(quotation),
      framework.phases.length > 0
        ? `Over the next days you get one message for each part of ${framework.name ?? 'the method'}: ` +
          `${framework.phases.map((phase) => phase.name).join(', ')}.`
        : 'Over the next days you get what matters most, a little at a time.',
    ],
    empty: origin.length === 0,
  };
}

/** A phase: what it means, one thing said about it elsewhere, and one thing to do before the next message. */
function phaseMessage(phase, usable) {
  const [definition] = usable(phase.definitions);
  const story = usable(phase.evidence).find(
    (entry) => !phase.definitions.some((other) => other.quote === entry.quote),
  );
  return {
    subject: phase.name,
    parts: [
      ...(definition ? [quotation(definition)] : []),
      ...(story ? [quotation(story)] : []),
      `Before the next message: try ${phase.name} once, and write down what got in the way.`,
    ],
    empty: !definition && !story,
  };
}

function beliefs({ soul, usable }) {
  const held = usable(soul.beliefs).slice(0, BELIEF_LINES);
  return { subject: 'What this rests on', parts: held.map(quotation), empty: held.length === 0 };
}

function reading({ resources }) {
  const books = resources.books.map(
    (book) => `- *${book.title}* by ${book.author}${book.reason ? `: ${book.reason}` : ''}`,
  );
  const pages = resources.links
    .slice(0, LINKS)
    .map((entry) => `- ${entry.label === '' ? '' : `${entry.label}: `}${entry.link}`);
  return {
    subject: 'What to read next',
    parts: [[...books, ...pages].join('\n')],
    empty: books.length + pages.length === 0,
  };
}

function together({ offers, usable }) {
  const open = offers.filter((offer) => offer.conflicts.length === 0 && offer.calls.length > 0);
  return {
    subject: 'If you want to go on together',
    parts: open.map((offer) =>
      [
        `**${offer.name}**`,
        ...usable([...offer.audience, ...offer.prices, ...offer.calls]).map((e) => `- ${e.quote}`),
      ].join('\n'),
    ),
    empty: open.length === 0,
  };
}

/** What reviewers asked for comes right after the welcome. */
function askedFor(asked, usable) {
  return asked
    .filter((answer) => answer.status === 'found')
    .map((answer) => ({ subject: answer.term, parts: usable(answer.evidence).map(quotation), empty: false }));
}

/** What the expert keeps saying, each in the shortest sentence it was said in; a message closes with one of them. */
function signatureLines(voice, usable) {
  const lines = voice.signature_phrases.flatMap((entry) => {
    const [shortest] = usable(entry.evidence)
      .filter(({ quote }) => words(quote).length <= LONGEST_CLOSING && yearsIn(quote).length === 0)
      .sort((a, b) => a.quote.length - b.quote.length || byteOrder(a.quote, b.quote));
    return shortest ? [shortest.quote] : [];
  });
  return [...new Set(lines)];
}

/** The sequence; a message that would have nothing of the expert in it is not sent. */
export function messages(material, asked) {
  const { framework, voice, usable } = material;
  const sequence = [
    welcome(material),
    ...askedFor(asked, usable),
    ...framework.phases.map((phase) => phaseMessage(phase, usable)),
    beliefs(material),
    reading(material),
    together(material),
  ].filter((message) => !message.empty);
  const closings = signatureLines(voice, usable);
  return sequence.map(({ subject, parts }, at) => ({
    subject,
    parts: closings[at] ? [...parts, `_${closings[at]}_`] : parts,
  }));
}
