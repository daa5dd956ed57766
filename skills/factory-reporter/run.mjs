import { page, table } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';
import { nextSteps } from './next-steps.mjs';
import { readPackage } from './package.mjs';
import { artifactRows, moduleRows } from './rows.mjs';

const QUESTIONS = 10;
const TOPICS = 10;

runSkill('factory-reporter', (request) => {
  const intel = request.text('intel-report');
  const recon = request.json('recon-summary', 'topics', 'sources', 'channels');
  const framework = request.json('expert-framework', 'name', 'phases', 'convergence');
  const moduleMap = request.json('module-map', 'modules');
  const gapReport = request.json('gap-report', 'gaps', 'modules', 'module_coverage');
  const results = request.json(
    'test-results',
    'overall_score',
    'dimensions',
    'governance',
    'modules',
    'questions',
  );
  const leadMagnet = request.json('lead-magnet-sources', 'title', 'items', 'held_back');
  const intake = request.json('intake-questions', 'questions', 'do_not_promise');
  const shipped = readPackage(request.input('package'));
  const artifacts = artifactRows(request);
  const totalWords = recon.sources.reduce((sum, source) => sum + source.words, 0);

  request.writeText(
    'factory-report',
    page(
      `# Factory report: ${request.expertName ?? 'the expert'}`,
      `From ${recon.sources.length} sources (${totalWords} words) came a clone that scores **${results.overall_score}** on ` +
        `${results.questions} sentences it had never seen, with ${results.governance.violations.length} governance violations. ` +
        `Modules are covered to ${gapReport.module_coverage}%, and ${gapReport.gaps.length} questions are open.`,
      '## What to do next',
      nextSteps({ results, gapReport, framework, leadMagnet })
        .map((step, at) => `${at + 1}. ${step}`)
        .join('\n'),
      '## What was read',
      table(
        ['source', 'title', 'words'],
        recon.sources.map((s) => [s.id, s.title, s.words]),
      ),
      `Main topics: ${recon.topics
        .slice(0, TOPICS)
        .map((topic) => topic.topic)
        .join(', ')}. ` +
        `${recon.channels.length} channels. The intel report has ${intel.split('\n').length - 1} lines.`,
      `## ${framework.name ?? 'No named framework'}`,
      table(
        ['part', 'definitions', 'mentions', 'sources', 'found by'],
        framework.phases.map((p) => [
          p.name,
          p.definitions.length,
          p.mentions,
          p.sources,
          p.paths.join(', '),
        ]),
      ),
      `Convergence of the three paths: ${framework.convergence.score}.`,
      '## Modules',
      table(
        ['module', 'state', 'mapped', 'with extractors', 'in the clone'],
        moduleRows(moduleMap, gapReport, results),
      ),
      '## The score',
      table(
        ['dimension', 'points', 'of'],
        results.dimensions.map((d) => [d.dimension, d.points, d.weight]),
      ),
      '## Open questions for the expert',
      gapReport.gaps.length === 0
        ? '_None._'
        : gapReport.gaps
            .slice(0, QUESTIONS)
            .map((gap) => `- ${gap.question}`)
            .join('\n'),
      '## What was built',
      [
        `- ${leadMagnet.title}: ${leadMagnet.items.length} items, ${leadMagnet.held_back.length} held back.`,
        `- ${intake.questions.length} intake questions; ${intake.do_not_promise.length} things not to promise.`,
        `- A package of ${shipped.names.length} files, checked against its manifest.`,
      ].join('\n'),
      '## Artifacts',
      table(['artifact', 'block', 'size', 'digest'], artifacts),
    ),
  );
  return {
    metrics: { artifact_count: artifacts.length },
    notes: `${artifacts.length} artifacts accounted for; score ${results.overall_score}, ${gapReport.gaps.length} open questions.`,
  };
});
