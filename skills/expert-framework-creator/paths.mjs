import { byteOrder } from '../_text/artifact.mjs';
import { cite } from '../_text/evidence.mjs';
import { recurringNames } from '../_text/phrases.mjs';

const COUNTED =
  /^(?:(?:phase|step|stage|part|principle|pillar|rule)\s+(?:\d+|one|two|three|four|five|six|seven|eight|nine)\s*[:.–—-]\s*|\d+[.)]\s+)(.+)$/iu;
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Two spellings of one idea are one idea: case, punctuation and articles do not count. */
export function phaseKey(name) {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, '')
    .replace(/^(?:the|a|an)\s+/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

function ordinalOf(heading) {
  const token = /(\d+|one|two|three|four|five|six|seven|eight|nine)/iu.exec(heading)?.[1].toLowerCase();
  return /^\d+$/u.test(token) ? Number(token) : NUMBERS.indexOf(token) + 1;
}

function collect(entries) {
  const found = new Map();
  for (const { name, ordinal, evidence, definition } of entries) {
    const key = phaseKey(name);
    const candidate = found.get(key) ?? { key, name, ordinals: [], definitions: [], evidence: [] };
    if (ordinal !== null) candidate.ordinals.push(ordinal);
    if (definition) candidate.definitions.push(definition);
    candidate.evidence.push(evidence);
    found.set(key, candidate);
  }
  return [...found.values()].sort((a, b) => byteOrder(a.key, b.key));
}

/** Path 1: headings that count ("Phase 2: Name the Job"). */
export function headingPath(sources) {
  return collect(
    sources.flatMap((source) =>
      source.sections
        .filter((section) => section.heading !== null && COUNTED.test(section.heading))
        .map((section) => {
          const first = section.passages[0]?.sentences[0];
          return {
            name: COUNTED.exec(section.heading)[1],
            ordinal: ordinalOf(section.heading),
            evidence: { source: source.id, line: section.line, sentence: null, quote: section.heading },
            definition: first
              ? { source: source.id, line: first.line, sentence: first.id, quote: first.text }
              : null,
          };
        }),
    ),
  );
}

/** Path 2: counted lists whose items begin with a name ("2. **Name the Job**: ..."). */
export function listPath(sources) {
  return collect(
    sources.flatMap((source) =>
      source.sections.flatMap((section) =>
        section.passages
          .filter((passage) => passage.kind === 'item' && passage.ordinal !== null && passage.lead !== null)
          .map((passage) => {
            const place = {
              source: source.id,
              line: passage.line,
              sentence: passage.sentences[0].id,
              quote: passage.text,
            };
            return { name: passage.lead, ordinal: passage.ordinal, evidence: place, definition: place };
          }),
      ),
    ),
  );
}

/** Path 3: names in running text that come back in several sources; no look at headings or lists. */
export function namePath(sentences) {
  const prose = sentences.filter((sentence) => sentence.kind === 'paragraph');
  return recurringNames(prose, { minCount: 3, minSources: 2 }).map((group) => ({
    key: phaseKey(group.phrase),
    name: group.phrase,
    ordinals: [],
    definitions: group.sentences
      .filter((s) => new RegExp(`^${group.phrase} (?:means|is)\\b`, 'u').test(s.text))
      .map(cite),
    evidence: group.sentences.map(cite),
  }));
}
