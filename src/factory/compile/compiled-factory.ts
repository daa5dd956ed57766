/**
 * The compiled factory: a template with every default filled in, every reference checked, and nothing of one run in
 * it ({{placeholders}} stay). JSON all through; the hash of its canonical text names it. Types only.
 */
import { type JsonObject, type Sha256Digest } from '../../canonical';
import {
  type Dependency,
  type GateRule,
  type PlannedGroup,
  type ThresholdRule,
  type WalkPlan,
} from '../plan';
import { type Block } from '../schema';

export interface CompiledArtifact {
  readonly key: string;
  /** `{{workspace}}/…`, without `.`, `..`, doubled or trailing slashes; other placeholders may remain. */
  readonly path: string;
  /** As authored; `directory` or `file` where it was left out. A directory is always `directory`. */
  readonly format: string;
}

export interface CompiledMetric {
  readonly key: string;
  readonly type: string;
}

export interface CompiledPublish {
  readonly domain: string;
  readonly slug: string;
}

export interface CompiledBlock {
  readonly id: string;
  /** `<template>.<block>` */
  readonly workflowId: string;
  readonly name: string;
  readonly layer: Block['layer'];
  readonly type: Block['type'];
  readonly skill: string;
  /** Null: the run's default. */
  readonly model: 'opus' | 'sonnet' | null;
  readonly timeoutMs: number;
  readonly runtime: NonNullable<Block['runtime']>;
  readonly trigger: {
    readonly type: Block['trigger']['type'];
    readonly cron: string | null;
    readonly event: string | null;
    readonly webhook: string | null;
  };
  readonly lifecycle: Block['lifecycle']['mode'];
  readonly depends: readonly Dependency[];
  /** Glob patterns, as authored. */
  readonly files: readonly string[];
  /** Names only; values never enter a compiled factory. */
  readonly env: readonly string[];
  readonly config: JsonObject;
  readonly artifacts: readonly CompiledArtifact[];
  readonly metrics: readonly CompiledMetric[];
  readonly publish: readonly CompiledPublish[];
  readonly gates: { readonly before: GateRule | null; readonly after: GateRule | null };
  readonly thresholds: readonly ThresholdRule[];
  readonly maxRetries: number;
  readonly group: string | null;
  readonly scope: { readonly gate: 1 | 2 | 3 | 4 | null; readonly runParams: JsonObject };
  readonly lens: {
    readonly perspective: string | null;
    readonly aggregates: readonly string[];
    readonly feedbackLoop: boolean;
  };
  readonly recordState: { readonly trackPer: string | null; readonly states: readonly string[] };
}

export interface CompiledFactory {
  /** Of this format. */
  readonly version: 1;
  /** `factory.<template>` */
  readonly id: string;
  readonly factory: {
    readonly id: string;
    readonly name: string;
    readonly version: string | null;
    readonly pattern: string | null;
    readonly description: string | null;
  };
  readonly config: JsonObject;
  /** In template order. */
  readonly blocks: readonly CompiledBlock[];
  /** By name; members in template order. */
  readonly groups: readonly PlannedGroup[];
  readonly moduleMapping: Readonly<Record<string, readonly string[]>>;
}

/** What compiling a template comes to. */
export interface Compilation {
  readonly compiled: CompiledFactory;
  /** Of the compiled factory's canonical JSON. */
  readonly factoryHash: Sha256Digest;
  readonly plan: WalkPlan;
}
