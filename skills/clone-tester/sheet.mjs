import { page, table } from '../_text/report.mjs';

const FIRST_FAILURES = 10;

/** The audit sheet a person reads before the gate: the score, where it was lost, and what to do about it. */
export function auditSheet(request, results, answers) {
  const { overall_score: overall, dimensions, governance, previous_score: before, reviewers } = results;
  // On a retry somebody is looking for the reason, so all of it is shown.
  const shown = request.previous === null ? FIRST_FAILURES : answers.length;
  const lost = answers.filter((answer) => answer.asked && !answer.found_source);
  return page(
    `# Audit sheet: the clone of ${request.expertName ?? 'the expert'}`,
    `Overall score **${overall}**${before === null ? '' : ` (the attempt before: ${before})`}, ` +
      `${governance.violations.length} governance violations, ${results.questions} unseen sentences.`,
    results.examination_weight < 1
      ? `The examination had fewer than ${results.questions_needed} questions, so its four dimensions count for ` +
          `${results.examination_weight} of their worth. More sources make more questions.`
      : '',
    '## Where points were lost, weakest first',
    table(
      ['dimension', 'points', 'of', 'measured', 'details'],
      [...dimensions]
        .sort((a, b) => b.weight - b.points - (a.weight - a.points))
        .map((d) => [
          d.dimension,
          d.points,
          d.weight,
          d.value,
          Object.entries(d.detail)
            .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
            .join(', '),
        ]),
    ),
    '## Governance',
    table(
      ['rule', 'where', 'what'],
      governance.violations.map((v) => [v.rule, v.where, v.what]),
    ),
    '## Checks of the framework that failed',
    table(
      ['about', 'check'],
      results.framework_failures.map((f) => [f.about, f.check]),
    ),
    '## Modules',
    table(
      ['module', 'sentences', 'sources', 'depth'],
      results.modules.map((m) => [m.module, m.evidence, m.sources, m.depth]),
    ),
    `## Unseen sentences whose source was not found (${lost.length})`,
    table(
      ['sentence', 'expected', 'read first'],
      lost.slice(0, shown).map((a) => [a.text, a.expected.passage, a.read[0]?.id ?? 'nothing']),
    ),
    reviewers.length > 0
      ? [
          '## What reviewers asked for',
          table(
            ['term', 'in the sources', 'in the prompt', 'in the knowledge'],
            reviewers.map((r) => [r.term, r.in_sources, r.in_prompt, r.in_knowledge]),
          ),
        ]
      : [],
  );
}
