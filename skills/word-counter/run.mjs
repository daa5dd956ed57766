import { byteOrder } from '../_text/artifact.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { runSkill } from '../_text/request.mjs';

const TOP = 10;
const MIN_LENGTH = 4;

runSkill('word-counter', (request) => {
  const text = request.text('draft');
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  if (words.length === 0)
    throw new SkillFailure('the draft has no words', 'run the block that writes it again');
  const counts = new Map();
  for (const word of words.filter((one) => one.length >= MIN_LENGTH))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  const top = [...counts].sort(([a, n], [b, m]) => m - n || byteOrder(a, b)).slice(0, TOP);
  request.writeJson('counts', {
    words: words.length,
    sentences: (text.match(/[.?!](?=\s|$)/g) ?? []).length,
    headings: text.split('\n').filter((line) => /^#{1,6} /.test(line)).length,
    top_words: top.map(([word, count]) => ({ word, count })),
  });
  return { metrics: { words: words.length }, notes: `Counted ${words.length} words.` };
});
