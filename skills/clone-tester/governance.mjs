import { exactClaims, yearsIn } from '../_text/figures.mjs';
import { words } from '../_text/tokens.mjs';
import { quotations } from './clone.mjs';

const spoken = (text) => ` ${words(text).join(' ')} `;

/** Figures that stand in no source: the worst a clone can do is to quote a price nobody has set. */
function inventedFigures(texts, sources) {
  const known = new Set(
    sources.flatMap((source) => [...exactClaims(source.text), ...yearsIn(source.text).map(String)]),
  );
  return texts.flatMap(({ name, text }) =>
    [...new Set([...exactClaims(text), ...yearsIn(text).map(String)])]
      .filter((figure) => !known.has(figure))
      .map((figure) => ({ rule: 'figure not in the sources', where: name, what: figure })),
  );
}

/** Quotations that are not where they say they are. */
function wrongQuotations(texts, sources) {
  const bySource = new Map(sources.map((source) => [source.id, spoken(source.text)]));
  return texts.flatMap(({ name, text }) =>
    quotations(text)
      .filter((entry) => !bySource.get(entry.source)?.includes(spoken(entry.quote)))
      .map((entry) => ({
        rule: 'quotation not in its source',
        where: name,
        what: `"${entry.quote}" (${entry.source}:${entry.line})`,
      })),
  );
}

/** Questions of the examination that the clone was given beforehand. */
function leaks(texts, heldOut) {
  const prepared = texts.map(({ name, text }) => ({ name, text: spoken(text) }));
  return heldOut.sentences.flatMap((sentence) => {
    const holder = prepared.find(({ text }) => text.includes(spoken(sentence.text)));
    return holder
      ? [{ rule: 'held-out sentence in the clone', where: holder.name, what: sentence.text }]
      : [];
  });
}

/** Everything the clone has no right to say or to know. */
export function violations(clone, sources, heldOut) {
  return [
    ...inventedFigures(clone.texts, sources),
    ...wrongQuotations(clone.texts, sources),
    ...leaks(clone.texts, heldOut),
  ];
}
