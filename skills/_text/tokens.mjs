/** Words that carry grammar and no topic; they are what the voice is measured by and what search ignores. */
export const FUNCTION_WORDS = (
  'a about after again all also although am an and any are as at be because been before being between both but by can ' +
  'could did do does doing done down each either else even ever every few for from get go had has have having he her ' +
  'here him his how i if in into is it its just let like made make many may me might more most much must my no nor not ' +
  'now of off on once one only or other our out over own same she should so some such than that the their them then ' +
  'there these they this those though through to too two under until up us very was we were what when where which while ' +
  'who whom whose why will with without would yet you your yours'
).split(' ');

const STOP = new Set(FUNCTION_WORDS);
const ADDRESS = /https?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.-]*\w/g;

/** Lower-case words in order; links and e-mail addresses are no words, apostrophes stay inside ("don't"). */
export function words(text) {
  return (
    text
      .replace(ADDRESS, ' ')
      .replaceAll('’', "'")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)?/gu) ?? []
  );
}

/** A light stem, enough to let "promises" meet "promised"; wrong stems are harmless as long as they are the same ones. */
export function stem(word) {
  let w = word.replace(/'.*$/u, '');
  if (w.length > 4 && w.endsWith('ies')) w = `${w.slice(0, -3)}y`;
  else if (w.length > 4 && /(?:sses|shes|ches|xes)$/u.test(w)) w = w.slice(0, -2);
  else if (w.length > 3 && w.endsWith('s') && !/(?:ss|us|is)$/u.test(w)) w = w.slice(0, -1);
  if (w.length > 5 && w.endsWith('ing')) w = w.slice(0, -3);
  else if (w.length > 4 && w.endsWith('ed')) w = w.slice(0, -2);
  else if (w.length > 5 && w.endsWith('ly')) w = w.slice(0, -2);
  if (/([bdgmnprt])\1$/u.test(w)) w = w.slice(0, -1);
  return w.length > 3 && w.endsWith('e') ? w.slice(0, -1) : w;
}

/** Stems of the words that carry a topic. */
export function contentStems(text) {
  return words(text)
    .filter((word) => !STOP.has(word) && word.length > 1)
    .map(stem);
}

export function isFunctionWord(word) {
  return STOP.has(word);
}

/** How often each item occurs, most frequent first, ties in byte order. */
export function tally(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : a > b ? 1 : 0));
}
