import { writeInto } from '../_text/artifact.mjs';
import { allSentences, cite, reference } from '../_text/evidence.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { linksIn, percentagesIn, pricesIn, yearsIn } from '../_text/figures.mjs';
import { recurringNames, recurringPhrases } from '../_text/phrases.mjs';
import { keyTerms } from '../_text/ranking.mjs';
import { page, quoteList, table } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';
import { readInbox } from '../_text/sources.mjs';

const NAMES_SHOWN = 25;
const PHRASES_SHOWN = 20;
const TERMS_PER_SOURCE = 8;

/** Rows (figure, kind, where) for everything a reader might want to check. */
function figureRows(sentences) {
  const kinds = [
    ['price', pricesIn],
    ['share', percentagesIn],
    ['year', yearsIn],
    ['link', linksIn],
  ];
  return kinds.flatMap(([kind, read]) =>
    sentences.flatMap((sentence) => read(sentence.text).map((figure) => [kind, figure, reference(sentence)])),
  );
}

function groupRows(groups) {
  return groups.map((group) => [
    group.phrase,
    group.count,
    group.sources.size,
    group.sentences.slice(0, 2).map(reference).join(' '),
  ]);
}

runSkill('deep-research', (request) => {
  const { sources, skipped } = readInbox(request);
  const directory = request.directory('raw-sources');
  for (const source of sources) writeInto(directory, source.id, source.text);

  const sentences = allSentences(sources);
  const terms = new Map(keyTerms(sources, TERMS_PER_SOURCE).map((entry) => [entry.source, entry.terms]));
  const names = recurringNames(sentences);
  const phrases = recurringPhrases(sentences);
  const answers = answerFeedback(request.feedback, sentences);
  const expert = request.expertName ?? 'the expert';
  const wordCount = sources.reduce((sum, source) => sum + source.wordCount, 0);

  request.writeText(
    'intel-report',
    page(
      `# Intel report: ${expert}`,
      `${sources.length} sources, ${wordCount} words, ${sentences.length} sentences. Everything below was read from them; ` +
        'a reference such as `(bio.md:3)` is a file in raw-sources and a line in it.',
      '## Sources',
      table(
        ['source', 'title', 'words', 'terms that set it apart'],
        sources.map((s) => [
          s.id,
          s.title,
          s.wordCount,
          terms
            .get(s.id)
            .map((t) => t.term)
            .join(', '),
        ]),
      ),
      skipped.length > 0
        ? [
            '## Left out',
            table(
              ['file', 'why'],
              skipped.map((s) => [s.source, s.reason]),
            ),
          ]
        : [],
      '## Names that come back',
      table(['name', 'times', 'sources', 'first seen'], groupRows(names.slice(0, NAMES_SHOWN))),
      '## Phrases that come back',
      table(['phrase', 'times', 'sources', 'first seen'], groupRows(phrases.slice(0, PHRASES_SHOWN))),
      '## Figures and links',
      table(['kind', 'figure', 'where'], figureRows(sentences)),
      '## Questions the expert asks',
      quoteList(
        sentences
          .filter((s) => s.text.endsWith('?'))
          .slice(0, 15)
          .map(cite),
      ),
      answers.length > 0
        ? [
            '## What reviewers asked for',
            table(
              ['term', 'status', 'mentions'],
              answers.map((a) => [a.term, a.status, a.mentions]),
            ),
          ]
        : [],
    ),
  );
  return {
    metrics: { source_count: sources.length },
    notes: `Read ${sources.length} sources (${wordCount} words), left out ${skipped.length}.`,
  };
});
