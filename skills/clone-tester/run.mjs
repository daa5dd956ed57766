import { directoryDigest, fileDigest, round } from '../_text/artifact.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { readClone } from './clone.mjs';
import { ENOUGH_QUESTIONS, examine } from './examination.mjs';
import { violations } from './governance.mjs';
import { auditSheet } from './sheet.mjs';
import { frameworkDimension, moduleDimension, reviewerChecks } from './structure.mjs';

/** What each dimension is worth; a hundred points in all. */
const WEIGHTS = { lookup: 20, recognition: 20, vocabulary: 15, voice: 20, framework: 15, modules: 10 };
/** An invented price costs more than any dimension can win back quietly. */
const POINTS_PER_VIOLATION = 5;

runSkill('clone-tester', (request) => {
  const clone = readClone(request);
  const heldOut = request.json('held-out', 'sentences', 'shortest_words');
  const framework = request.json('expert-framework', 'name', 'phases');
  const sources = readRawSources(request);

  const examination = examine(heldOut, clone);
  const reviewers = reviewerChecks(
    request.feedback,
    clone,
    sources.map((source) => source.text),
  );
  const method = frameworkDimension(framework, clone, reviewers);
  const modules = moduleDimension(Object.keys(request.modules), clone);
  const measured = { ...examination.dimensions, framework: method, modules };

  const dimensions = Object.entries(WEIGHTS).map(([dimension, weight]) => {
    const { value, detail } = measured[dimension];
    const trust = dimension in examination.dimensions ? examination.weight : 1;
    return { dimension, value: round(value, 4), weight, points: round(weight * value * trust), detail };
  });
  const found = violations(clone, sources, heldOut);
  const earned = dimensions.reduce((sum, entry) => sum + entry.points, 0);
  const overall = round(Math.max(0, earned - POINTS_PER_VIOLATION * found.length), 1);

  const results = {
    overall_score: overall,
    formula: `sum of the points of ${dimensions.length} dimensions, less ${POINTS_PER_VIOLATION} for each governance violation`,
    previous_score: request.previous?.score ?? null,
    tested: {
      system_prompt: fileDigest(request.input('system-prompt')),
      tool_configs: fileDigest(request.input('tool-configs')),
      knowledge_files: directoryDigest(request.input('knowledge-files')),
    },
    questions: heldOut.sentences.length,
    questions_needed: ENOUGH_QUESTIONS,
    examination_weight: round(examination.weight, 4),
    dimensions,
    governance: { violations: found },
    framework_failures: method.failed,
    modules: modules.rows,
    reviewers,
  };
  request.writeJson('test-results', results);
  request.writeJson('simulation-log', { passages_read: clone.limit, answers: examination.answers });
  request.writeText('audit-sheet', auditSheet(request, results, examination.answers));

  const weakest = [...dimensions].sort((a, b) => b.weight - b.points - (a.weight - a.points))[0];
  return {
    metrics: { overall_score: overall, governance_violations: found.length },
    notes:
      `Score ${overall} from ${heldOut.sentences.length} unseen sentences, ${found.length} governance violations.\n` +
      `Most was lost in ${weakest.dimension}: ${weakest.points} of ${weakest.weight} points.`,
  };
});
