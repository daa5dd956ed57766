import { byteOrder } from '../_text/artifact.mjs';
import { allSentences, cite, findSentences, mentions } from '../_text/evidence.mjs';
import { completeness } from '../_text/completeness.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { linksIn } from '../_text/figures.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';

const BOOK =
  /(?:[*_]([^*_\n]{3,80})[*_]|“([^”\n]{3,80})”|"([^"\n]{3,80})")\s+by\s+(\p{Lu}[\p{L}.'’-]+(?:\s+\p{Lu}[\p{L}.'’-]+){0,3})(?:[:,.–—]\s*(.*))?/gu;
const TOOL_HEADING = /\b(?:tools?|equipment|kit|materials?|software|gear)\b/iu;
const ADVICE = /\b(?:I (?:recommend|use|lend)|I suggest|worth reading|read .+ first)\b/iu;

/**
 * Books are read from the source as written, because the emphasis around a title is what marks it as one. In a list the
 * reason is the rest of the item; in running text it is the rest of the sentence.
 */
function books(sources) {
  return sources.flatMap((source) =>
    source.text.split('\n').flatMap((text, at) =>
      [...text.matchAll(BOOK)].flatMap((match) => {
        const title = match[1] ?? match[2] ?? match[3];
        const sentence = source.sentences.find((s) => s.text.includes(title) && s.text.includes(match[4]));
        if (!sentence) return [];
        const own = sentence.text.slice(sentence.text.indexOf(match[4]) + match[4].length);
        const rest = sentence.kind === 'item' ? (match[5] ?? '') : own.replace(/^[:,.–—\s]+/u, '');
        const place = cite({ ...sentence, line: at + 1 });
        return [
          {
            title,
            author: match[4],
            reason: rest.trim() || null,
            ...place,
            about: `${sentence.text} ${rest}`,
          },
        ];
      }),
    ),
  );
}

function links(sentences) {
  const found = new Map();
  for (const sentence of sentences) {
    for (const link of linksIn(sentence.text)) {
      const entry = found.get(link) ?? {
        link,
        label: sentence.text.split(link)[0].replace(/[:\s]+$/u, ''),
        evidence: [],
      };
      entry.evidence.push(cite(sentence));
      found.set(link, entry);
    }
  }
  return [...found.values()].sort((a, b) => byteOrder(a.link, b.link));
}

function tools(sources) {
  return sources.flatMap((source) =>
    source.sections
      .filter((section) => section.heading !== null && TOOL_HEADING.test(section.heading))
      .flatMap((section) => section.passages.filter((passage) => passage.kind === 'item'))
      .map((passage) => ({
        name: passage.lead ?? passage.sentences[0].text.replace(/[.]$/u, ''),
        ...cite({ ...passage.sentences[0], source: source.id, text: passage.text }),
      })),
  );
}

runSkill('resource-extractor', (request) => {
  const framework = request.json('expert-framework', 'phases', 'added_from_feedback');
  const parts = [...framework.phases, ...framework.added_from_feedback].map((part) => part.name);
  const sources = readRawSources(request);
  const sentences = allSentences(sources);
  const forParts = (entry, quote) => ({ ...entry, for_parts: parts.filter((part) => mentions(quote, part)) });
  const found = {
    books: books(sources).map(({ about, ...book }) => forParts(book, about)),
    links: links(sentences).map((link) => forParts(link, link.evidence.map((e) => e.quote).join(' '))),
    tools: tools(sources).map((tool) => forParts(tool, tool.quote)),
  };
  const advice = findSentences(sentences, (text) => ADVICE.test(text)).map(cite);
  const fields = {
    books: { found: found.books.length, target: 3 },
    links: { found: found.links.length, target: 5 },
    tools: { found: found.tools.length, target: 3 },
    advice: { found: advice.length, target: 3 },
  };
  const score = completeness(fields);
  const count = found.books.length + found.links.length + found.tools.length;
  request.writeJson('resources', {
    ...found,
    advice,
    feedback: answerFeedback(request.feedback, sentences),
    completeness: { score, fields },
    modules: { M9_retrieval_patterns: [...found.links.flatMap((entry) => entry.evidence), ...advice] },
  });
  return {
    metrics: { extraction_completeness: score, resource_count: count },
    notes: `${found.books.length} books, ${found.links.length} links, ${found.tools.length} tools.`,
  };
});
