/** The workspaces of blocks that agents perform: what an agent is told of them, and what it leaves there. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { type AttemptInput, type RunRecord } from '../src/factory/attempt';
import { type CompiledBlock, type CompiledFactory } from '../src/factory/compile';
import { type ArtifactRef } from '../src/factory/run-state';
import { type AgentActivities, type AgentHost, type Delivery, type HandedIn } from '../src/ledger';
import { openWorkspace, pathInside, type ContentStore } from '../src/sandbox';
import { AttemptLock } from './attempt-lock';
import { failureOf } from './failures';
import { judgeAttempt, type Judging } from './judge-attempt';
import { prepareAttempt, resolveAttempt } from './prepare-attempt';
import { PREVIOUS_RUN } from './run-attempt';

/** What the host of a store supplies. */
export interface AgentPorts {
  runRecord(run: string): Promise<Result<RunRecord, RailyardError>>;
  compiledFactory(hash: string): Promise<Result<CompiledFactory, RailyardError>>;
  readonly store: ContentStore;
  /** As for attempts of skills. */
  previousArtifacts(run: string, block: string): Promise<readonly ArtifactRef[]>;
  attemptDir(run: string, block: string, attempt: number): string;
}

/** In an attempt's folder, once its workspace is ready. */
const READY = 'ready';
/** Somebody else is making the same workspace ready. */
const AGAIN_MS = 50;

export function createAgentHost(ports: AgentPorts): AgentHost {
  return {
    prepare: (input) => prepare(ports, input),
    isReady: ({ run, block, attempt }) => existsSync(join(ports.attemptDir(run, block, attempt), READY)),
    briefing: async (input) => (await find(ports, input)).map((found) => briefing(input, found)),
    deliver: async (input, handed) => {
      const found = await find(ports, input);
      return found.isErr() ? err(found.error) : deliver(ports.store, found.value, handed);
    },
  };
}

/** The same for workflows. */
export function createAgentActivities(host: AgentHost): AgentActivities {
  return {
    prepareForAgent: async (call) => {
      const ready = await host.prepare(call);
      if (ready.isErr()) throw failureOf(ready.error);
    },
  };
}

/** The workflow asks for it, and so does whoever ended the attempt before: the first one does it. */
async function prepare(ports: AgentPorts, input: AttemptInput): Promise<Result<void, RailyardError>> {
  const { run, block, attempt } = input;
  const dir = ports.attemptDir(run, block, attempt);
  mkdirSync(dir, { recursive: true });
  const record = await ports.runRecord(run);
  if (record.isErr()) return err(record.error);
  const compiled = await ports.compiledFactory(input.factoryHash);
  if (compiled.isErr()) return err(compiled.error);
  let lock = AttemptLock.take(dir);
  for (; !lock; lock = AttemptLock.take(dir)) await sleep(AGAIN_MS);
  try {
    if (existsSync(join(dir, READY))) return ok();
    const prepared = await prepareAttempt(input, record.value, compiled.value, ports.store, {
      artifacts: (id) => ports.previousArtifacts(run, id),
      dir: join(dir, PREVIOUS_RUN),
    });
    if (prepared.isOk()) writeFileSync(join(dir, READY), '');
    return prepared.map(() => undefined);
  } finally {
    lock.release();
  }
}

interface Found {
  readonly block: CompiledBlock;
  readonly workspace: string;
}

async function find(ports: AgentPorts, input: AttemptInput): Promise<Result<Found, RailyardError>> {
  const record = await ports.runRecord(input.run);
  if (record.isErr()) return err(record.error);
  const compiled = await ports.compiledFactory(input.factoryHash);
  return compiled.andThen((factory) => resolveAttempt(input, record.value, factory));
}

/** The same text for the same attempt: it goes with every answer of its steps. */
function briefing(
  { run, attempt, inputs, feedback, previous, trigger }: AttemptInput,
  { block, workspace }: Found,
): string {
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `- ${line}`)];
  const result = {
    kind: 'wr.block_result',
    block: block.id,
    attempt,
    metrics: Object.fromEntries(block.metrics.map(({ key }) => [key, 0])),
    records: [],
    artifacts: block.artifacts.map(({ key, path }) => ({ key, path })),
  };
  return [
    `This is attempt ${attempt} of the block "${block.id}" of the factory run "${run}". Work in ${workspace}.`,
    ...list(
      'Read',
      inputs.map(
        ({ block: from, artifact: { key, path, format } }) => `${path} ("${key}" of "${from}", ${format})`,
      ),
    ),
    ...list(
      'Write, before you acknowledge the last step',
      block.artifacts.map(({ key, path, format }) => `${path} ("${key}", ${format})`),
    ),
    ...list(
      'It counts only with',
      block.thresholds.map(({ metric, min }) => `"${metric}" of at least ${min}`),
    ),
    ...list(
      'What people said of earlier attempts',
      feedback.map(({ attempt: of, from, role, text }) => `${from} (${role}) on attempt ${of}: ${text}`),
    ),
    ...(previous?.error ? ['', `The attempt before this one: ${previous.error}`] : []),
    ...(Object.keys(block.config).length > 0 ? ['', `Configuration: ${JSON.stringify(block.config)}`] : []),
    ...(trigger ? ['', `Set off by ${trigger.type}: ${JSON.stringify(trigger.payload)}`] : []),
    '',
    `With the last step hand in this artifact, with your own numbers: ${JSON.stringify(result)}`,
  ].join('\n');
}

async function deliver(
  store: ContentStore,
  { block, workspace: root }: Found,
  { metrics, records, notes }: HandedIn,
): Promise<Result<Delivery, RailyardError>> {
  const opened = openWorkspace(root);
  if (opened.isErr()) return err(opened.error);
  const workspace = opened.value;
  const artifacts: CompiledBlock['artifacts'][number][] = [];
  for (const artifact of block.artifacts) {
    const path = pathInside(workspace.root, artifact.path);
    if (path.isErr()) return err(path.error);
    artifacts.push({ ...artifact, path: path.value });
  }
  const prepared: Judging = {
    block: { ...block, artifacts },
    workspace,
    warnings: [],
  };
  const ended = { kind: 'finished' as const, result: { metrics, records, notes } };
  const outcome = await judgeAttempt(ended, prepared, store, block.runtime);
  if (outcome.kind === 'succeeded') return ok({ kind: 'delivered', outcome });
  return ok({ kind: 'lacking', missing: outcome.failure === 'missing_artifact', why: outcome.error });
}
