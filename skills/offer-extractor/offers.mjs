import { cite, mentions } from '../_text/evidence.mjs';
import { linksIn, pricesIn } from '../_text/figures.mjs';

export const CALL =
  /^(?:book|join|apply|buy|reply|order|sign up|subscribe|send|write to me|get|download|register|call)\b/iu;
const GUARANTEE = /\b(?:guarantee|money back|refund|fee back|or your money)\b/iu;
const AUDIENCE = /^for (?:whom|people|owners|anyone|teams|those)\b/iu;

/** A section under a heading that names a price and says what to do about it is an offer. */
function offerSections(sources) {
  return sources.flatMap((source) =>
    source.sections.flatMap((section) => {
      const sentences = section.passages.flatMap((p) =>
        p.sentences.map((s) => ({ ...s, source: source.id })),
      );
      const priced = sentences.filter((sentence) => pricesIn(sentence.text).length > 0);
      const sells = sentences.some((s) => CALL.test(s.text) || /^price\b/iu.test(s.text));
      return section.heading !== null && priced.length > 0 && sells
        ? [{ name: section.heading, sentences, priced }]
        : [];
    }),
  );
}

const quoteOf = (sentences, cue) => sentences.filter((sentence) => cue.test(sentence.text)).map(cite);

/** Offers by name, each with every price ever given for it and where. */
export function readOffers(sources, sentences) {
  const offers = new Map();
  for (const { name, sentences: own, priced } of offerSections(sources)) {
    const offer = offers.get(name.toLowerCase()) ?? {
      name,
      prices: [],
      about: [],
      audience: [],
      guarantee: [],
      calls: [],
    };
    offer.prices.push(...priced.map((sentence) => ({ amounts: pricesIn(sentence.text), ...cite(sentence) })));
    offer.audience.push(...quoteOf(own, AUDIENCE));
    offer.guarantee.push(...quoteOf(own, GUARANTEE));
    offer.calls.push(
      ...own.filter((s) => CALL.test(s.text)).map((s) => ({ links: linksIn(s.text), ...cite(s) })),
    );
    const told = new Set(
      [...offer.prices, ...offer.audience, ...offer.guarantee, ...offer.calls].map((e) => e.sentence),
    );
    offer.about.push(...own.filter((sentence) => !told.has(sentence.id)).map(cite));
    offers.set(name.toLowerCase(), offer);
  }
  for (const offer of offers.values()) {
    const known = new Set(offer.prices.map((price) => price.sentence));
    offer.mentions = sentences.filter((sentence) => mentions(sentence.text, offer.name)).map(cite);
    for (const mention of offer.mentions) {
      const amounts = pricesIn(mention.quote);
      if (amounts.length > 0 && !known.has(mention.sentence)) offer.prices.push({ amounts, ...mention });
    }
    offer.conflicts = conflicts(offer.prices);
  }
  return [...offers.values()];
}

/** Two places that share no amount contradict each other; "£90 a month or £900 a year" in one place does not. */
function conflicts(prices) {
  return prices.flatMap((one, at) =>
    prices
      .slice(at + 1)
      .filter((other) => !other.amounts.some((amount) => one.amounts.includes(amount)))
      .map((other) => ({ one, other })),
  );
}
