const LINK = /https?:\/\/[^\s)>\]"”]+/gu;
const EMAIL = /[\w.+-]+@[\w-]+\.[\w.-]*\w/gu;
const AMOUNT = '\\d+(?:,\\d{3})*(?:\\.\\d+)?';
const PRICE = new RegExp(`[£$€]\\s?${AMOUNT}|\\b${AMOUNT}\\s?(?:pounds|dollars|euros|GBP|USD|EUR)\\b`, 'gu');
// Not the digits of a decimal, and not part of a longer figure.
const YEAR = /(?<![\d.,#£$€-])(?:19|20)\d{2}(?!\d|[.,]\d)\b/gu;
const PERCENTAGE = /\b\d+(?:\.\d+)?\s?(?:%|per cent|percent)/gu;

/** Addresses of pages; a full stop that ends the sentence is no part of the address. */
export function linksIn(text) {
  return (text.match(LINK) ?? []).map((link) => link.replace(/[.,;:!?]+$/u, ''));
}

export function emailsIn(text) {
  return text.match(EMAIL) ?? [];
}

/** Prices as written, without inner spaces: "£1,150". */
export function pricesIn(text) {
  return (text.match(PRICE) ?? []).map((price) => price.replace(/^([£$€])\s/u, '$1'));
}

export function yearsIn(text) {
  return (text.replace(LINK, ' ').match(YEAR) ?? []).map(Number);
}

export function percentagesIn(text) {
  return text.match(PERCENTAGE) ?? [];
}

/** Every exact figure that must stay as it was written: prices, percentages, links, addresses. */
export function exactClaims(text) {
  return [...pricesIn(text), ...percentagesIn(text), ...linksIn(text), ...emailsIn(text)];
}
