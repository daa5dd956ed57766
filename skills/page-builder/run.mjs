import { SkillFailure } from '../_text/failure.mjs';
import { runSkill } from '../_text/request.mjs';

const escape = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Headings, lists and paragraphs; blank lines part them. */
function render(block) {
  const lines = block.split('\n');
  const heading = /^(#{1,6}) (.*)$/.exec(lines[0]);
  if (heading) return `<h${heading[1].length}>${escape(heading[2])}</h${heading[1].length}>`;
  if (lines.every((line) => line.startsWith('- '))) {
    return `<ul>\n${lines.map((line) => `  <li>${escape(line.slice(2))}</li>`).join('\n')}\n</ul>`;
  }
  return `<p>${escape(lines.join(' '))}</p>`;
}

runSkill('page-builder', (request) => {
  const draft = request.text('draft');
  const title = /^# (.+)$/m.exec(draft)?.[1];
  if (!title) throw new SkillFailure('the draft has no title', 'begin it with a first-level heading');
  const body = draft
    .trim()
    .split(/\n\s*\n/)
    .map(render)
    .join('\n');
  const page = `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${escape(title)}</title>\n<body>\n${body}\n</body>\n</html>\n`;
  request.writeText('page', page);
  return { metrics: { page_bytes: Buffer.byteLength(page) }, notes: `Built the page "${title}".` };
});
