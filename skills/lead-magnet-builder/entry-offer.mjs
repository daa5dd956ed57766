const amountOf = (price) => Number(price.replace(/[^\d.]/gu, ''));
const currencyOf = (price) => /[£$€]|[A-Z]{3}|pounds|dollars|euros/u.exec(price)?.[0] ?? '';

/**
 * The offer a stranger can say yes to first: the cheapest one with a price and something to do. Prices in different
 * currencies cannot be compared without a rate nobody gave us, so then it is the first in the sources.
 */
export function entryOffer(offers, isContradicted) {
  const open = offers.filter(
    (offer) =>
      offer.prices.length > 0 &&
      offer.calls.length > 0 &&
      offer.conflicts.length === 0 &&
      !offer.prices.some(isContradicted),
  );
  const priced = open.map((offer) => ({ offer, price: offer.prices[0].amounts[0] }));
  const comparable = new Set(priced.map(({ price }) => currencyOf(price))).size === 1;
  const [first] = comparable ? priced.sort((a, b) => amountOf(a.price) - amountOf(b.price)) : priced;
  if (first === undefined) return null;
  const { offer } = first;
  const place = ({ source, line, quote }) => ({ source, line, quote });
  const about = offer.about.slice(0, 1);
  return {
    name: offer.name,
    lines: [...about, ...offer.audience, ...offer.prices.slice(0, 1), ...offer.calls.slice(0, 1)].map(place),
  };
}
