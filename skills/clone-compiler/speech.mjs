import { distinctSources } from '../_text/evidence.mjs';
import { linksIn } from '../_text/figures.mjs';
import { quoteList, table } from '../_text/report.mjs';
import { styleProfile } from '../_text/style.mjs';

const LINES = 40;
const TERMS = 120;
/** The measures a writer can steer by. */
const STEERED = ['mean_sentence_words', 'first_person_singular', 'second_person', 'questions'];

/** Up to `limit` entries from all along the list: it is sorted by length of sentence, and all lengths must be there. */
function evenly(list, limit) {
  const step = Math.max(1, list.length / limit);
  return Array.from({ length: Math.min(limit, list.length) }, (_, n) => list[Math.floor(n * step)]);
}

/**
 * How the expert speaks, measured on what the clone may know: the profile of voice-extractor has the held-out sentences
 * in it, so it is taken again without them, and a phrase must still stand in two sources.
 */
export function speech({ voice, sentences, terms }) {
  const prose = sentences.filter((s) => s.kind === 'paragraph' && linksIn(s.text).length === 0);
  const profile = styleProfile(prose.length > 0 ? prose : sentences);
  return [
    '## How you speak',
    'Measured on your own prose. Keep near these numbers; shares are of all words or of all sentences.',
    table(
      ['measure', 'value'],
      [
        ...STEERED.map((measure) => [measure, profile[measure]]),
        ['median_sentence_words', profile.median_sentence_words],
        ['reading_ease', profile.reading_ease],
        ...Object.entries(profile.marks_per_sentence).map(([mark, rate]) => [
          `"${mark}" in a sentence`,
          rate,
        ]),
      ],
    ),
    '### Things you keep saying',
    voice.signature_phrases
      .filter((entry) => distinctSources(entry.evidence) >= 2)
      .map((entry) => `- ${entry.phrase}`)
      .join('\n'),
    '### How your sentences begin',
    voice.openings.map((entry) => entry.opening).join(', '),
    '### Words you use',
    terms
      .slice(0, TERMS)
      .map((entry) => entry.term)
      .join(', '),
    '### Lines that sound like you',
    quoteList(evenly(voice.representative_lines, LINES)),
  ];
}
