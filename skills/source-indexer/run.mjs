import { byteOrder } from '../_text/artifact.mjs';
import { exactClaims } from '../_text/figures.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { words } from '../_text/tokens.mjs';

// One sentence in six is kept from the clone, to examine it with later.
const HELD_OUT_OF = 6;
const SHORTEST_HELD_OUT = 7;

/**
 * Only running prose is held out. Prices, links, definitions in lists and the like are facts the clone must have exactly,
 * so hiding them would test nothing but the hiding. The choice hangs on the sentence's own hash: adding a source changes
 * nothing for the others.
 */
function isHeldOut(sentence) {
  if (sentence.kind !== 'paragraph' || words(sentence.text).length < SHORTEST_HELD_OUT) return false;
  if (exactClaims(sentence.text).length > 0) return false;
  return Number.parseInt(sentence.id.slice(2, 10), 16) % HELD_OUT_OF === 0;
}

runSkill('source-indexer', (request) => {
  const sources = readRawSources(request);
  const notebook = new Map(request.json('notebook').sources.map((book) => [book.source, book.sections]));
  const chunks = [];
  const heldOut = [];
  for (const source of sources) {
    const sections = notebook.get(source.id);
    if (sections?.length !== source.sections.length) {
      throw new SkillFailure(`the notebook does not match raw source ${source.id}`, 'run masterybook-sync and deep-research again');
    }
    source.sections.forEach((section, at) => {
      const sentences = section.passages.flatMap((passage) =>
        passage.sentences.map((sentence) => ({ ...sentence, kind: passage.kind })),
      );
      if (sentences.length === 0) return;
      const id = sections[at].id;
      // A section with nothing left to find would be an unfair examination: its first sentence always stays.
      const hidden = new Set(sentences.slice(1).filter(isHeldOut).map((sentence) => sentence.id));
      chunks.push({
        id,
        source: source.id,
        title: source.title,
        heading: section.heading,
        line: section.line,
        sentences: sentences.filter((sentence) => !hidden.has(sentence.id)),
      });
      for (const { id: sentence, text, line } of sentences.filter((s) => hidden.has(s.id))) {
        heldOut.push({ id: sentence, source: source.id, line, chunk: id, text });
      }
    });
  }
  // A sentence said in two places is held out in both or in neither.
  const hiddenIds = new Set(heldOut.map((sentence) => sentence.id));
  for (const chunk of chunks) chunk.sentences = chunk.sentences.filter((sentence) => !hiddenIds.has(sentence.id));

  request.writeJson('chunk-index', {
    rule: `paragraph sentences of ${SHORTEST_HELD_OUT} words or more whose hash is 0 modulo ${HELD_OUT_OF} are held out`,
    held_out_ids: [...hiddenIds].sort(byteOrder),
    chunks: chunks.filter((chunk) => chunk.sentences.length > 0),
  });
  request.writeJson('held-out', { count: heldOut.length, sentences: heldOut });
  const total = chunks.reduce((sum, chunk) => sum + chunk.sentences.length, 0) + heldOut.length;
  return {
    metrics: { chunk_count: chunks.length, held_out_count: heldOut.length },
    notes: `${chunks.length} chunks; ${heldOut.length} of ${total} sentences held out for the tests.`,
  };
});
