import { quoted, reference } from '../_text/evidence.mjs';
import { page } from '../_text/report.mjs';

/** An offer with its exact words: the clone may not round a price or soften a promise. */
export function offerPart(offer) {
  const rows = [
    ...offer.prices.map((entry) => ['price', entry]),
    ...offer.audience.map((entry) => ['for', entry]),
    ...offer.guarantee.map((entry) => ['promise', entry]),
    ...offer.calls.map((entry) => ['what to do', entry]),
  ];
  return page(`### ${offer.name}`, rows.map(([kind, entry]) => `- ${kind}: ${quoted(entry)}`).join('\n'));
}

/** Books, tools and pages; a link that an offer or a tool gives is not given twice. */
export function resources({ resources: found, offers }) {
  const told = JSON.stringify([offers.offers.map((offer) => offer.calls), found.tools]);
  return [
    ...found.books.map(
      (book) =>
        `- *${book.title}* by ${book.author}${book.reason ? `: ${book.reason}` : ''} ${reference(book)}`,
    ),
    ...found.tools.map((tool) => `- ${tool.quote} ${reference(tool)}`),
    ...found.links
      .filter((entry) => !told.includes(entry.link))
      .map(
        (entry) =>
          `- ${entry.label === '' ? 'page' : entry.label}: ${entry.link} ${reference(entry.evidence[0])}`,
      ),
  ].join('\n');
}
