/**
 * Contract packs, `wr.contracts.*`: the closed set of structured outputs (locks, section 9). A pack is written once, as a
 * zod schema; compiling embeds its JSON Schema, example and guidance, and running looks only at those.
 */
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '../../canonical';
import {
  byCodeUnits,
  CAPABILITIES,
  CAPABILITY_FAILURES,
  ContractRef,
  DELIMITER_SAFE,
  DIVERGENCE_REASONS,
  type EmbeddedContract,
  MAX_SUMMARY_BYTES,
} from '../model';
import * as factory from './factory-contracts';

/** A pack of the registry. */
export interface ContractPack {
  readonly contractRef: string;
  readonly artifactKind: string;
  /** Who asks for it: steps of workflows, or the factory for its own facts. */
  readonly askedBy: 'steps' | 'factory';
  readonly purpose: string;
  readonly schema: z.ZodType;
  readonly example: JsonValue;
  readonly guidance: readonly string[];
}

const summary = z.string().min(1).max(MAX_SUMMARY_BYTES);
const safeId = z.string().max(128).regex(DELIMITER_SAFE);

const PACKS: readonly ContractPack[] = [
  {
    contractRef: 'wr.contracts.loop_control',
    artifactKind: 'wr.loop_control',
    askedBy: 'steps',
    purpose: 'The decision whether a loop goes on.',
    schema: z.strictObject({
      kind: z.literal('wr.loop_control'),
      loopId: safeId.optional(),
      decision: z.enum(['continue', 'stop']),
      summary: summary.optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
    example: { kind: 'wr.loop_control', decision: 'continue', summary: 'Why the loop goes on or ends.' },
    guidance: [
      'decision: "continue" for one more iteration, "stop" to leave the loop',
      'summary: why, in a sentence or two; leave loopId out, or name the loop that this step belongs to',
    ],
  },
  {
    contractRef: 'wr.contracts.capability_observation',
    artifactKind: 'wr.capability_observation',
    askedBy: 'steps',
    purpose: 'What a probe of a capability found.',
    schema: z.strictObject({
      kind: z.literal('wr.capability_observation'),
      capability: z.enum(CAPABILITIES),
      status: z.enum(['available', 'unavailable']),
      evidence: summary,
      failureCode: z.enum(CAPABILITY_FAILURES).optional(),
    }),
    example: {
      kind: 'wr.capability_observation',
      capability: 'web_browsing',
      status: 'available',
      evidence: 'Fetched https://example.com and read its title, "Example Domain".',
    },
    guidance: [
      'status: "available" or "unavailable", by what happened when you tried, never by assumption',
      `evidence: what you tried and what came back; failureCode when it failed: ${CAPABILITY_FAILURES.join(', ')}`,
    ],
  },
  {
    contractRef: 'wr.contracts.workflow_divergence',
    artifactKind: 'wr.workflow_divergence',
    askedBy: 'steps',
    purpose: 'A deliberate departure from what a step says.',
    schema: z.strictObject({
      kind: z.literal('wr.workflow_divergence'),
      reason: z.enum(DIVERGENCE_REASONS),
      summary,
      relatedStepId: safeId.optional(),
    }),
    example: {
      kind: 'wr.workflow_divergence',
      reason: 'efficiency_skip',
      summary: 'Skipped the second search: the first one had found the cause.',
    },
    guidance: [
      `reason: one of ${DIVERGENCE_REASONS.join(', ')}`,
      'summary: what you did instead, and why; relatedStepId: the step it is about',
    ],
  },
  ...factory.FACTORY_PACKS,
];

const byRef = new Map(PACKS.map((pack) => [pack.contractRef, pack]));

/** Every pack, by reference. */
export const contractPacks = (): ContractPack[] =>
  [...PACKS].sort((a, b) => byCodeUnits(a.contractRef, b.contractRef));

export const contractPack = (contractRef: string): ContractPack | undefined => byRef.get(contractRef);

/** A pack as it goes into a compiled workflow. */
export function embed(pack: ContractPack): EmbeddedContract {
  const { contractRef, artifactKind, example, guidance } = pack;
  return {
    contractRef: ContractRef.parse(contractRef),
    artifactKind,
    schema: schemaOf(pack),
    example,
    guidance: [...guidance],
  };
}

/** The JSON Schema of a pack; what has no order in it is sorted, so that it does not depend on how it was written. */
export function schemaOf({ schema }: ContractPack): JsonObject {
  // zod writes plain JSON; the copy drops its non-enumerable additions.
  const made = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target: 'draft-2020-12' }))) as JsonObject;
  return normalised(made) as JsonObject;
}

function normalised(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) {
    const items: JsonValue[] = value.map((item: JsonValue) => normalised(item));
    const unordered = (key === 'required' || key === 'enum') && items.every((one) => typeof one === 'string');
    return unordered ? items.map(String).sort(byCodeUnits) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, normalised(child, name)]));
}
