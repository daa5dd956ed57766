/** Thresholds: the block's own and the template's, joined by metric. */
import { type ThresholdRule } from '../plan';
import { at, suggest, type Block, type TemplateProblem, type Threshold } from '../schema';
import { metricKeys, type Draft } from './draft';

/** The rules of a block, its own first, every default filled in. */
export function thresholdsOf(block: Block, entries: readonly Threshold[]): ThresholdRule[] {
  const rules = new Map<string, ThresholdRule>();
  const own = block.execution.threshold;
  if (own?.metric !== undefined && own.min !== undefined) {
    rules.set(own.metric, { metric: own.metric, min: own.min, action: 'fail', overrideAllowed: true });
  }
  for (const { block: id, metric, min, action, override_allowed } of entries) {
    if (id !== block.id) continue;
    rules.set(metric, { metric, min, action: action ?? 'fail', overrideAllowed: override_allowed ?? true });
  }
  return [...rules.values()];
}

export function checkThresholds({ template, blocks }: Draft): TemplateProblem[] {
  const own = template.blocks.flatMap((block, index) => checkOwn(block, ['blocks', index]));
  const seen = new Set<string>();
  const shared = (template.thresholds ?? []).flatMap(({ block: id, metric, min }, index) => {
    const path = ['thresholds', index];
    const block = blocks.get(id);
    if (!block) {
      const fix = suggest(id, blocks.keys(), 'Remove this threshold.');
      return [at([...path, 'block'], `There is no block "${id}".`, fix)];
    }
    const problems = checkMetric(block, metric, path);
    const name = JSON.stringify([id, metric]);
    if (seen.has(name)) {
      const message = `The threshold on "${metric}" of "${id}" stands twice.`;
      problems.push(at(path, message, 'Remove one of them.'));
    }
    seen.add(name);
    const other = block.execution.threshold;
    if (other?.metric === metric && other.min !== undefined && other.min !== min) {
      const message = `"${metric}" of "${id}" has the minimum ${min} here and ${other.min} in its block.`;
      problems.push(
        at([...path, 'min'], message, `Use ${other.min}, or change execution.threshold of "${id}".`),
      );
    }
    return problems;
  });
  return [...own, ...shared];
}

function checkOwn(block: Block, path: readonly PropertyKey[]): TemplateProblem[] {
  const { threshold } = block.execution;
  if (!threshold) return [];
  const where = [...path, 'execution', 'threshold'];
  if (threshold.metric === undefined || threshold.min === undefined) {
    const lacks = threshold.metric === undefined ? 'metric' : 'min';
    return [at(where, `A threshold needs its "${lacks}".`, `Add "${lacks}", or use null for no threshold.`)];
  }
  return checkMetric(block, threshold.metric, where);
}

function checkMetric(block: Block, metric: string, path: readonly PropertyKey[]): TemplateProblem[] {
  const declared = metricKeys(block);
  if (declared.includes(metric)) return [];
  const fix = suggest(metric, declared, `Declare "${metric}" in outputs.metrics of "${block.id}".`);
  return [at([...path, 'metric'], `Block "${block.id}" has no metric "${metric}".`, fix)];
}
