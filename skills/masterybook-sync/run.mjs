import { sha256 } from '../_text/artifact.mjs';
import { runSkill } from '../_text/request.mjs';
import { readInbox } from '../_text/sources.mjs';
import { words } from '../_text/tokens.mjs';

/** Section ids come from names and order, not from content: an edited section keeps its id, and its digest changes. */
function section(source, part, at) {
  const text = part.passages.map((passage) => passage.text).join('\n');
  return {
    id: `${source.id}#${String(at + 1).padStart(2, '0')}`,
    heading: part.heading,
    level: part.level,
    line: part.line,
    words: words(text).length,
    digest: `sha256:${sha256(text)}`,
    notes: part.passages.map((passage) => ({
      kind: passage.kind,
      line: passage.line,
      ...(passage.ordinal ? { ordinal: passage.ordinal } : {}),
      text: passage.text,
    })),
  };
}

runSkill('masterybook-sync', (request) => {
  const { sources, skipped } = readInbox(request);
  const books = sources.map((source) => ({
    source: source.id,
    title: source.title,
    words: source.wordCount,
    digest: `sha256:${sha256(source.text)}`,
    sections: source.sections.map((part, at) => section(source, part, at)),
  }));
  const sections = books.flatMap((book) => book.sections);
  const notes = sections.reduce((sum, part) => sum + part.notes.length, 0);
  request.writeJson('notebook', {
    expert_slug: request.config.expert_slug ?? null,
    totals: { sources: books.length, sections: sections.length, notes },
    skipped,
    sources: books,
  });
  return {
    metrics: { note_count: notes, section_count: sections.length },
    notes: `${books.length} sources in the notebook: ${sections.length} sections, ${notes} notes.`,
    records: [
      ...books.map((book) => ({ id: book.source, state: 'synced' })),
      ...skipped.map((entry) => ({ id: entry.source, state: 'skipped' })),
    ],
  };
});
