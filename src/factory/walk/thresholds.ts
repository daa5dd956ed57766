/** Quality thresholds: the named metric against its minimum. */
import type { PlannedBlock, ThresholdRule } from '../plan';
import type { FailureClass } from '../run-state';

type Metrics = Readonly<Record<string, unknown>>;

export interface Judgement {
  /** Null: every threshold whose action is `fail` holds. An absent metric outweighs a missed one: it cannot be overridden. */
  readonly failure: Extract<FailureClass, 'metric_missing' | 'threshold_not_met'> | null;
  /** What is wrong, in words, where something failed. */
  readonly why: string;
  /** What is wrong with thresholds that only warn. */
  readonly warnings: readonly string[];
}

/** Judge all thresholds of a block at once. */
export function judge(thresholds: readonly ThresholdRule[], metrics: Metrics): Judgement {
  const complaints = thresholds.flatMap((rule) => {
    const text = complaint(rule, metrics);
    return text === null ? [] : [{ rule, text }];
  });
  const failed = complaints.filter(({ rule }) => rule.action === 'fail');
  const absent = failed.some(({ rule }) => numeric(metrics, rule.metric) === null);
  return {
    failure: failed.length === 0 ? null : absent ? 'metric_missing' : 'threshold_not_met',
    why: failed.map(({ text }) => text).join('; '),
    warnings: complaints.filter(({ rule }) => rule.action === 'warn').map(({ text }) => text),
  };
}

/** The thresholds that stop the block. */
export function missed(thresholds: readonly ThresholdRule[], metrics: Metrics): readonly ThresholdRule[] {
  return thresholds.filter((rule) => rule.action === 'fail' && complaint(rule, metrics) !== null);
}

/** A block's score is the metric of its first threshold. */
export function scoreOf({ thresholds }: PlannedBlock, metrics: Metrics): number | null {
  const [first] = thresholds;
  return first ? numeric(metrics, first.metric) : null;
}

function complaint({ metric, min }: ThresholdRule, metrics: Metrics): string | null {
  const value = numeric(metrics, metric);
  if (value !== null) return value < min ? `${metric} ${value} is below ${min}` : null;
  const came: unknown = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  return came === undefined
    ? `${metric} was not reported`
    : `${metric} is not a number: ${typeof came === 'number' ? came : JSON.stringify(came).slice(0, 80)}`;
}

function numeric(metrics: Metrics, metric: string): number | null {
  const value = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
