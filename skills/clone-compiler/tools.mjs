import { emailsIn } from '../_text/figures.mjs';

// How many passages the clone reads before it answers; the tests examine it with the same number.
export const PASSAGES_READ = 8;

const withoutPlace = ({ quote }) => quote;

/** The tools of the clone, with the data each one answers from. Nothing in here was not in the sources. */
export function toolConfigs({ expert, framework, offers, resources, sentences }, knowledge) {
  const addresses = [...new Set(sentences.flatMap((sentence) => emailsIn(sentence.text)))];
  const names = offers.offers.map((offer) => offer.name);
  const resourceNames = [...resources.books.map((b) => b.title), ...resources.tools.map((t) => t.name)];
  return {
    version: 1,
    tools: [
      {
        name: 'search_knowledge',
        description: `Finds the passages of ${expert} that are nearest to a question. Use it before every answer.`,
        parameters: {
          type: 'object',
          required: ['question'],
          properties: { question: { type: 'string' }, limit: { type: 'integer', default: PASSAGES_READ } },
        },
        config: {
          ranking: 'bm25',
          directory: 'knowledge-files/sources',
          passage_heading: '## [passage id] heading',
          passages: knowledge.passages.length,
          limit: PASSAGES_READ,
        },
      },
      {
        name: 'lookup_offer',
        description: 'Gives the exact words, prices and links of one offer. Never name a price without it.',
        parameters: {
          type: 'object',
          required: ['offer'],
          properties: { offer: { type: 'string', enum: names } },
        },
        data: offers.offers.map((offer) => ({
          offer: offer.name,
          prices: offer.prices.map(withoutPlace),
          for: offer.audience.map(withoutPlace),
          promise: offer.guarantee.map(withoutPlace),
          calls: offer.calls.map(withoutPlace),
          teaches: offer.teaches ?? [],
        })),
      },
      {
        name: 'lookup_resource',
        description: 'Gives a book, a tool or a page that the sources recommend, and what it is good for.',
        parameters: {
          type: 'object',
          required: ['resource'],
          properties: { resource: { type: 'string', enum: resourceNames } },
        },
        data: {
          books: resources.books.map(({ title, author, reason, for_parts }) => ({
            title,
            author,
            reason,
            for_parts,
          })),
          tools: resources.tools.map(({ name, quote, for_parts }) => ({ name, quote, for_parts })),
          links: resources.links.map(({ link, label, for_parts }) => ({ link, label, for_parts })),
        },
      },
      {
        name: 'place_in_framework',
        description: `Says to which part of ${framework.name ?? 'the framework'} a question belongs.`,
        parameters: {
          type: 'object',
          required: ['part'],
          properties: { part: { type: 'string', enum: framework.phases.map((phase) => phase.name) } },
        },
        data: framework.phases.map(({ order, name, definitions }) => ({
          order,
          name,
          definitions: definitions.map(withoutPlace),
        })),
      },
      {
        name: 'hand_over',
        description: `Passes the conversation on when the sources have no answer. ${expert} can be reached here.`,
        parameters: { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } },
        data: { addresses },
      },
    ],
  };
}
