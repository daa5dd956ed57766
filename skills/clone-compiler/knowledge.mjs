import { stableJson, writeInto } from '../_text/artifact.mjs';
import { reference } from '../_text/evidence.mjs';
import { emailsIn, linksIn, percentagesIn, pricesIn, yearsIn } from '../_text/figures.mjs';
import { keyTerms } from '../_text/ranking.mjs';
import { page, quoteList, table } from '../_text/report.mjs';

const TERMS_PER_PASSAGE = 6;

/** The passages of one source, each under a heading that names it: what the clone's search looks through. */
function sourceFile(chunks) {
  return page(
    `# ${chunks[0].title}`,
    chunks.map((chunk) =>
      page(
        `## [${chunk.id}] ${chunk.heading ?? chunk.title}`,
        chunk.sentences.map((sentence) => sentence.text).join('\n'),
      ),
    ),
  );
}

function moduleFile(module) {
  return page(
    `# ${module.module}`,
    `State: ${module.state}. ${module.evidence_count} sentences in ${module.source_count} sources; fed by ${module.fed_by.join(', ')}.`,
    quoteList(module.evidence),
  );
}

/** Every exact figure with its place: the only figures the clone may give. */
function factRows(sentences) {
  const kinds = [
    ['price', pricesIn],
    ['share', percentagesIn],
    ['year', yearsIn],
    ['link', linksIn],
    ['address', emailsIn],
  ];
  return kinds.flatMap(([kind, read]) =>
    sentences.flatMap((sentence) =>
      read(sentence.text).map((figure) => [kind, figure, sentence.text, reference(sentence)]),
    ),
  );
}

/** Which passage is typical for which words; the clone is told, and the search index carries it. */
function passageTerms(chunks) {
  const documents = chunks.map((chunk) => ({
    id: chunk.id,
    text: [chunk.heading ?? '', ...chunk.sentences.map((sentence) => sentence.text)].join(' '),
  }));
  return new Map(
    keyTerms(documents, TERMS_PER_PASSAGE).map((entry) => [entry.source, entry.terms.map((t) => t.term)]),
  );
}

/** Writes the knowledge files and tells what is where. */
export function writeKnowledge(directory, { chunks, modules, sentences }) {
  const files = [];
  const write = (name, text) => {
    writeInto(directory, name, text);
    files.push(name);
  };
  const terms = passageTerms(chunks);
  const mapped = new Map(modules.chunks.map((row) => [row.chunk, Object.keys(row.modules)]));
  const passages = chunks.map((chunk) => ({
    id: chunk.id,
    file: `sources/${chunk.source}`,
    source: chunk.source,
    heading: chunk.heading ?? chunk.title,
    modules: mapped.get(chunk.id) ?? [],
    terms: terms.get(chunk.id),
  }));

  for (const source of [...new Set(chunks.map((chunk) => chunk.source))]) {
    write(`sources/${source}`, sourceFile(chunks.filter((chunk) => chunk.source === source)));
  }
  for (const module of modules.modules) write(`modules/${module.module}.md`, moduleFile(module));
  write(
    'facts.md',
    page('# Exact figures', table(['kind', 'figure', 'said as', 'where'], factRows(sentences))),
  );
  write('index.json', stableJson({ passages }));
  return { files, passages };
}
