import { byteOrder, sha256 } from '../_text/artifact.mjs';
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
  const notebook = new Map(request.json('notebook', 'sources').sources.map((book) => [book.source, book]));
  const chunks = [];
  const heldOut = [];
  for (const source of sources) {
    const book = notebook.get(source.id);
    // The two were read from the inbox at different moments; passages and sentences must be of one text.
    if (book?.digest !== `sha256:${sha256(source.text)}`) {
      throw new SkillFailure(
        `the notebook does not match raw source ${source.id}`,
        'run masterybook-sync and deep-research again',
      );
    }
    source.sections.forEach((section, at) => {
      const sentences = section.passages.flatMap((passage) =>
        passage.sentences.map((sentence) => ({ ...sentence, kind: passage.kind })),
      );
      if (sentences.length === 0) return;
      const { id } = book.sections[at];
      // A section with nothing left to find would be an unfair examination: its first sentence always stays.
      const hidden = new Set(
        sentences
          .slice(1)
          .filter(isHeldOut)
          .map((sentence) => sentence.id),
      );
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
  const kept = chunks
    .map((chunk) => ({ ...chunk, sentences: chunk.sentences.filter(({ id }) => !hiddenIds.has(id)) }))
    .filter((chunk) => chunk.sentences.length > 0);
  const keptIds = new Set(kept.map((chunk) => chunk.id));
  const questions = heldOut.filter((sentence) => keptIds.has(sentence.chunk));

  request.writeJson('chunk-index', {
    rule: `paragraph sentences of ${SHORTEST_HELD_OUT} words or more whose hash is 0 modulo ${HELD_OUT_OF} are held out`,
    held_out_ids: [...hiddenIds].sort(byteOrder),
    chunks: kept,
  });
  request.writeJson('held-out', {
    count: questions.length,
    shortest_words: SHORTEST_HELD_OUT,
    sentences: questions,
  });
  const total = kept.reduce((sum, chunk) => sum + chunk.sentences.length, 0) + questions.length;
  return {
    metrics: { chunk_count: kept.length, held_out_count: questions.length },
    notes: `${kept.length} chunks; ${questions.length} of ${total} sentences held out for the tests.`,
  };
});
