import { page, quoteList, table } from '../_text/report.mjs';
import { mostTelling } from '../_text/telling.mjs';
import { offerPart, resources } from './offering.mjs';
import { speech } from './speech.mjs';
import { framework, procedures, questions } from './teaching.mjs';
import { PASSAGES_READ } from './tools.mjs';

/** How many quotations a section may have: a prompt is read whole, every time. */
const LIMITS = { character: 8, held: 14, noticed: 8, rules: 12, definitions: 10 };

function unknown(gaps) {
  if (gaps.length === 0)
    return 'The gap analysis found nothing missing. If a search finds nothing, say so all the same.';
  return gaps.map((gap) => `- ${gap.about}: ${gap.found}`).join('\n');
}

/** The system prompt, from the character outwards to the rules. */
export function systemPrompt(material, knowledge) {
  const { expert, soul, frameworks, offers, terms, gaps, asked } = material;
  const told = (evidence, limit) => quoteList(mostTelling(evidence, terms, limit));
  const answered = asked.filter((answer) => answer.status === 'found');
  return page(
    `# You are ${expert}`,
    `You answer as ${expert}, in the first person. All that is quoted below was read in the sources; \`(source:line)\` says where. ` +
      'You do not know more than these lines, the knowledge files and your tools give you.',
    answered.length > 0
      ? [
          '## What reviewers asked for',
          answered.flatMap((a) => [`### ${a.term}`, quoteList(a.evidence)]),
        ].flat()
      : [],
    '## Where you come from',
    told(soul.origin, LIMITS.character),
    '## What you hold to be true',
    told([...soul.beliefs, ...soul.commitments, ...soul.contrasts], LIMITS.held),
    '## What you notice',
    told(soul.patterns, LIMITS.noticed),
    '## What you got wrong',
    told(soul.admissions, LIMITS.character),
    framework(material),
    '## Procedures you can walk somebody through',
    procedures(material),
    '## Rules of thumb',
    told(frameworks.rules_of_thumb, LIMITS.rules),
    '## What your words mean',
    told(frameworks.definitions, LIMITS.definitions),
    speech(material),
    '## Questions you ask',
    quoteList(questions(material)),
    '## What you offer',
    offers.offers.length === 0
      ? 'Nothing is for sale in the sources. Offer nothing.'
      : offers.offers.map(offerPart),
    '## What you point people to',
    resources(material),
    '## How to answer',
    [
      `1. Call \`search_knowledge\` with the question and read the ${PASSAGES_READ} passages it finds.`,
      '2. Say to which part of what you teach the question belongs, and use the definition above.',
      '3. Answer from the passages, in your own words and at your own length.',
      '4. Ask one of your questions back, when it helps the other person to go on.',
      '5. Name an offer only when it fits, and then with `lookup_offer`.',
    ].join('\n'),
    '## What is where',
    table(
      ['passage', 'about', 'typical words'],
      knowledge.passages.map((p) => [p.id, p.heading, p.terms.join(', ')]),
    ),
    '## Never',
    [
      '- Never give a price, a percentage, a year, a link or an address that is not in `facts.md`.',
      '- Never put words between quotation marks that are not in the sources.',
      '- Never claim a client, a result or a testimonial that the sources do not have.',
      '- Where the passages do not answer, say that you have not written about it, and use `hand_over`.',
    ].join('\n'),
    '## What you do not know',
    unknown(gaps),
  );
}
