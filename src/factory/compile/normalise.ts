/** From a checked template to the compiled factory: every default filled in, every list in its one order. */
import { type JsonObject } from '../../canonical';
import { type Block, type Template } from '../schema';
import { artifactsOf } from './artifacts';
import { type CompiledBlock, type CompiledFactory } from './compiled-factory';
import { aggregatesOf, dependenciesOf } from './dependencies';
import { draftOf, type Draft } from './draft';
import { gateOf } from './gates';
import { groupsOf } from './groups';
import { lowerEnvelope } from './lower-envelope';
import { thresholdsOf } from './thresholds';

const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_MAX_RETRIES = 2;
/** The document names no default runtime; all its examples use this one. */
const DEFAULT_RUNTIME = 'claude-cli';

export function normalise(template: Template): CompiledFactory {
  const { factory } = template;
  const draft = draftOf(template);
  const groups = groupsOf(template);
  const groupOf = new Map(groups.flatMap(({ name, blocks }) => blocks.map((id) => [id, name] as const)));
  return {
    version: 1,
    id: `factory.${factory.id}`,
    factory: {
      id: factory.id,
      name: factory.name,
      version: factory.version ?? null,
      pattern: factory.pattern ?? null,
      description: factory.description ?? null,
    },
    config: json(template.config),
    blocks: template.blocks.map((block) => normaliseBlock(block, draft, groupOf.get(block.id) ?? null)),
    groups,
    moduleMapping: template.module_mapping ?? {},
  };
}

function normaliseBlock(authored: Block, { template, blocks }: Draft, group: string | null): CompiledBlock {
  const block = lowerEnvelope(authored);
  const { trigger, inputs, outputs, execution, scope, lens, record_state: records } = block;
  return {
    id: block.id,
    workflowId: `${template.factory.id}.${block.id}`,
    name: block.name,
    layer: block.layer,
    type: block.type,
    skill: block.skill,
    model: block.model ?? null,
    timeoutMs: block.timeout ?? DEFAULT_TIMEOUT_MS,
    runtime: block.runtime ?? DEFAULT_RUNTIME,
    trigger: {
      type: trigger.type,
      cron: trigger.cron ?? null,
      event: trigger.event ?? null,
      webhook: trigger.webhook ?? null,
    },
    lifecycle: block.lifecycle.mode,
    depends: dependenciesOf(block, blocks),
    files: inputs.files ?? [],
    env: inputs.env ?? [],
    config: json(inputs.config),
    artifacts: artifactsOf(block),
    metrics: (outputs.metrics ?? []).map(({ key = '', type = 'number' }) => ({ key, type })),
    publish: (outputs.publish ?? []).map(({ domain = '', slug = '' }) => ({ domain, slug })),
    gates: {
      before: gateOf(block, 'before', template.human_gates ?? []),
      after: gateOf(block, 'after', template.human_gates ?? []),
    },
    thresholds: thresholdsOf(block, template.thresholds ?? []),
    maxRetries: execution.retryable === false ? 0 : (execution.max_retries ?? DEFAULT_MAX_RETRIES),
    group,
    scope: { gate: scope?.gate ?? null, runParams: json(scope?.run_params) },
    lens: {
      perspective: lens?.perspective ?? null,
      aggregates: aggregatesOf(block),
      feedbackLoop: lens?.feedback_loop ?? false,
    },
    recordState: { trackPer: records?.track_per ?? null, states: records?.states ?? [] },
  };
}

/** The template was proved to be JSON before its schema saw it; zod's `unknown` only forgot that. */
const json = (free: Readonly<Record<string, unknown>> | undefined): JsonObject => (free ?? {}) as JsonObject;
