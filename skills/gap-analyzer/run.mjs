import { round } from '../_text/artifact.mjs';
import { quotesIn } from '../_text/evidence.mjs';
import { quotedTerms } from '../_text/feedback.mjs';
import { moduleDepth } from '../_text/modules.mjs';
import { page, table } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';
import { findGaps, moduleRows, reviewerGap } from './gaps.mjs';

runSkill('gap-analyzer', (request) => {
  const extractions = {
    framework: request.json('expert-framework', 'phases'),
    soul: request.json('soul', 'limits', 'origin'),
    voice: request.json('voice'),
    frameworks: request.json('frameworks', 'count_conflicts'),
    resources: request.json('resources', 'books'),
    offers: request.json('offers', 'offers', 'testimonials'),
  };
  const moduleMap = request.json('module-map', 'modules');
  const known = quotesIn([moduleMap, extractions]);
  const rows = moduleRows(moduleMap, Object.values(extractions));
  const asked = quotedTerms(request.feedback).map((term) => reviewerGap(term, known));
  const gaps = [...asked, ...findGaps(rows, extractions)].map((gap, at) => ({ id: `gap-${at + 1}`, ...gap }));
  const depth =
    rows.reduce((sum, row) => sum + moduleDepth(row.evidence_count, row.source_count), 0) / rows.length;
  const coverage = round(100 * depth, 1);
  const completeness = Object.fromEntries(
    Object.entries(extractions)
      .filter(([, e]) => e.completeness)
      .map(([name, e]) => [name, e.completeness.score]),
  );
  request.writeJson('gap-report', {
    module_coverage: coverage,
    modules: rows,
    extraction_completeness: completeness,
    gaps,
  });
  request.writeText(
    'gap-questions',
    page(
      `# Questions for ${request.expertName ?? 'the expert'}`,
      `The nine modules are covered to ${coverage}%. ${gaps.length} gaps are open; the first ones matter most.`,
      table(
        ['module', 'state', 'sentences', 'sources'],
        rows.map((r) => [r.module, r.state, r.evidence_count, r.source_count]),
      ),
      '## To ask',
      gaps.length === 0
        ? '_Nothing._'
        : gaps
            .map((gap, at) => `${at + 1}. ${gap.question} _(${gap.kind}, ${gap.about}: ${gap.found})_`)
            .join('\n'),
    ),
  );
  return {
    metrics: { module_coverage: coverage, open_gaps: gaps.length },
    notes: `Modules covered to ${coverage}%, ${gaps.length} questions for the expert.`,
    records: rows.map((row) => ({ id: row.module, state: row.state })),
  };
});
