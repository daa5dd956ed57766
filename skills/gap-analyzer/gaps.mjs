import { moduleState, ENOUGH } from '../_text/modules.mjs';
import { mentions, reference } from '../_text/evidence.mjs';
import { MODULE_QUESTIONS } from './module-questions.mjs';

/** One row per module: evidence from the map and from the extractors that feed it, each sentence counted once. */
export function moduleRows(moduleMap, extractions) {
  return moduleMap.modules.map((mapped) => {
    const places = new Map();
    const add = (entry) => places.set(`${entry.source}:${entry.line}:${entry.quote}`, entry);
    mapped.evidence.forEach(add);
    extractions.forEach((extraction) => (extraction.modules?.[mapped.module] ?? []).forEach(add));
    const evidence = [...places.values()];
    const sources = new Set(evidence.map((entry) => entry.source)).size;
    return {
      module: mapped.module,
      fed_by: mapped.fed_by,
      state: moduleState(evidence.length, sources),
      evidence_count: evidence.length,
      source_count: sources,
      needed: ENOUGH,
      missing: {
        evidence: Math.max(0, ENOUGH.evidence - evidence.length),
        sources: Math.max(0, ENOUGH.sources - sources),
      },
    };
  });
}

const gap = (kind, about, found, question) => ({ kind, about, found, question });

/** What a reviewer missed, with what has been extracted about it: asking for what is there wastes the expert's time. */
export function reviewerGap(term, quotes) {
  const found = quotes.filter((entry) => mentions(entry.quote, term));
  return found.length === 0
    ? gap(
        'reviewer',
        term,
        'in nothing that was extracted',
        `A reviewer misses "${term}". What would you say about it, and where have you said it?`,
      )
    : gap(
        'reviewer',
        term,
        `${found.length} sentences, first ${reference(found[0])}`,
        `A reviewer wants more on "${term}" than "${found[0].quote}" What else belongs to it?`,
      );
}

/** Everything the expert should be asked, weakest first as the kinds are ordered here. */
export function findGaps(rows, { framework, soul, frameworks, offers, resources }) {
  const contradictions = offers.offers.flatMap((offer) =>
    offer.conflicts.map(({ one, other }) =>
      gap(
        'contradiction',
        offer.name,
        `${one.quote} ${reference(one)} / ${other.quote} ${reference(other)}`,
        `What does ${offer.name} cost? Two places disagree.`,
      ),
    ),
  );
  const counts = frameworks.count_conflicts.map(({ noun, claims }) =>
    gap(
      'contradiction',
      noun,
      claims.map((claim) => `${claim.number} ${reference(claim.evidence[0])}`).join(' / '),
      `${noun.endsWith('s') ? `How many ${noun} are there?` : `What is the ${noun} now?`} The sources give ${claims.map((claim) => claim.number).join(' and ')}.`,
    ),
  );
  const weak = rows
    .filter((row) => row.state !== 'strong')
    .map((row) =>
      gap(
        `module ${row.state}`,
        row.module,
        `${row.evidence_count} sentences in ${row.source_count} sources`,
        MODULE_QUESTIONS[row.module] ?? `Tell us more about ${row.module}.`,
      ),
    );
  const phases = framework.phases
    .filter((phase) => phase.definitions.length === 0 || phase.sources < 2)
    .map((phase) =>
      gap(
        'phase',
        phase.name,
        `${phase.definitions.length} definitions, ${phase.sources} sources`,
        `Define ${phase.name} in one sentence and tell one story about it.`,
      ),
    );
  const noFramework =
    framework.phases.length === 0
      ? [
          gap(
            'phase',
            'framework',
            'no structure that two of three paths agree on',
            'Do you have a method? What are its parts, in order?',
          ),
        ]
      : [];
  const incomplete = offers.offers.flatMap((offer) =>
    [
      ['audience', 'Who is'],
      ['guarantee', 'What do you promise to buyers of'],
      ['calls', 'What should a person do to get'],
    ]
      .filter(([field]) => offer[field].length === 0)
      .map(([field, words]) =>
        gap(
          'offer',
          offer.name,
          `no ${field}`,
          field === 'audience' ? `Who is ${offer.name} for?` : `${words} ${offer.name}?`,
        ),
      ),
  );
  const absent = [
    [soul.limits, 'limits', 'For whom does your method not work, and how can you tell?'],
    [soul.origin, 'origin', 'How did you come to this work? Give years and people.'],
    [
      offers.testimonials,
      'testimonials',
      'Send three things that clients said, in their words, with leave to quote them.',
    ],
    [resources.books, 'books', 'Which books do you give to people, and why those?'],
  ]
    .filter(([found]) => found.length === 0)
    .map(([, about, question]) => gap('absent', about, 'nothing found', question));
  return [...contradictions, ...counts, ...noFramework, ...weak, ...phases, ...absent, ...incomplete];
}
