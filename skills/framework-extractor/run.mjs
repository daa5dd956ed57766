import { allSentences, cite, findSentences, mentions } from '../_text/evidence.mjs';
import { completeness } from '../_text/completeness.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { words } from '../_text/tokens.mjs';

const RULE =
  /\brule(?: of thumb)? is\b|\bthe (?:only|one|first) (?:question|rule|permitted)\b|^(?:Never|Always|Do not|No)\b|\b(?:at most|no more than)\b|(?<!\bit )\bmust (?:be|have|never|always)\b|\bdo not\b.+\buntil\b/iu;
const DEFINITION =
  /^(?:\p{Lu}[\p{L}\s]{2,40}) means\b|\bis (?:done|finished|ready|complete) when\b|^(?:An?|The) [\p{L}\s]{3,30} is (?:a|an|the|not)\b/u;
const ORDER =
  /\b(?:phases? (?:run|make)|in order|next comes|then comes|belongs? to the|start again|each phase|depends on)\b/iu;
const NUMBER = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d+';
// Three ways to state a number once and for all. "If the pace is four" states nothing, so conditions are left out.
const COUNTS = [
  new RegExp(`\\b(?<number>${NUMBER}) (?<noun>phases|steps|stages|pillars|principles)\\b`, 'giu'),
  new RegExp(`\\b(?:my|our|the) (?<noun>number|pace|limit) is (?<number>${NUMBER})\\b`, 'giu'),
  new RegExp(`\\b(?<number>${NUMBER}) is (?:my|our|the) (?<noun>number|pace|limit)\\b`, 'giu'),
];
const CONDITION = /\bif\b/iu;
const SHORTEST_RULE = 3;

/** Counted lists of two or more: procedures a clone can walk somebody through. */
function procedures(sources) {
  return sources.flatMap((source) =>
    source.sections.flatMap((section) => {
      const steps = section.passages.filter((passage) => passage.kind === 'item' && passage.ordinal !== null);
      if (steps.length < 2) return [];
      return [
        {
          name: section.heading ?? source.title,
          source: source.id,
          line: section.line,
          steps: steps.map((p) => ({
            step: p.ordinal,
            name: p.lead,
            ...cite({ ...p.sentences[0], source: source.id, text: p.text }),
          })),
        },
      ];
    }),
  );
}

/** "Five phases" in one place and "six phases" in another cannot both be taught. */
function countConflicts(sentences) {
  const said = new Map();
  for (const sentence of sentences.filter(({ text }) => !CONDITION.test(text))) {
    for (const match of COUNTS.flatMap((count) => [...sentence.text.matchAll(count)])) {
      const [number, noun] = [match.groups.number.toLowerCase(), match.groups.noun.toLowerCase()];
      const numbers = said.get(noun) ?? new Map();
      numbers.set(number, [...(numbers.get(number) ?? []), cite(sentence)]);
      said.set(noun, numbers);
    }
  }
  return [...said]
    .filter(([, numbers]) => numbers.size > 1)
    .map(([noun, numbers]) => ({
      noun,
      claims: [...numbers].map(([number, evidence]) => ({ number, evidence })),
    }));
}

runSkill('framework-extractor', (request) => {
  const framework = request.json('expert-framework', 'name', 'phases', 'added_from_feedback');
  const sources = readRawSources(request);
  const sentences = allSentences(sources);
  const pick = (cue) =>
    findSentences(sentences, (text) => words(text).length >= SHORTEST_RULE && cue.test(text)).map(cite);
  const named = [...framework.phases, ...framework.added_from_feedback].map((phase) => ({
    name: phase.name,
    order: phase.order ?? null,
    definitions: phase.definitions ?? [],
    uses: findSentences(sentences, (text) => mentions(text, phase.name)).map(cite),
  }));
  const lists = procedures(sources);
  const rules = pick(RULE);
  const definitions = pick(DEFINITION);
  const order = pick(ORDER);
  const fields = {
    phases: { found: named.length, target: 3 },
    procedures: { found: lists.length, target: 3 },
    rules: { found: rules.length, target: 6 },
    definitions: { found: definitions.length, target: 5 },
    order: { found: order.length, target: 3 },
  };
  const score = completeness(fields);
  request.writeJson('frameworks', {
    framework: { name: framework.name, elements: named },
    procedures: lists,
    rules_of_thumb: rules,
    definitions,
    order,
    count_conflicts: countConflicts(sentences),
    feedback: answerFeedback(request.feedback, sentences),
    completeness: { score, fields },
    modules: {
      M4_embedded_ip: [...named.flatMap((element) => element.uses), ...definitions],
      M5_modularization: lists.flatMap((list) =>
        list.steps.map(({ step: _step, name: _name, ...place }) => place),
      ),
      M6_meta_structures: order,
    },
  });
  return {
    metrics: { extraction_completeness: score, rule_count: rules.length },
    notes: `${named.length} named elements, ${lists.length} procedures, ${rules.length} rules of thumb.`,
  };
});
