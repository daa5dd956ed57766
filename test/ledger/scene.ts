/** Factory runs in a store of their own, on a real disk, walked by nothing but their ledger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok } from 'neverthrow';
import { sha256Digest } from '../../src/canonical';
import { cutPlan, type CompiledBlock, type CompiledFactory } from '../../src/factory/compile';
import type { WalkPlan, PlannedBlock } from '../../src/factory/plan';
import type { AttemptOutcome } from '../../src/factory/run-state';
import type { WalkEvent } from '../../src/factory/walk';
import { RunLedger, type Recorded } from '../../src/ledger';
import { openWorkrailStore, type WorkrailStore } from '../../src/workrail/local';
import { AttemptId, EventId, SessionId } from '../../src/workrail/model';
import { unwrap } from '../workrail/local/fixtures';

export const RUN = 'run-of-test';
export const SESSION = SessionId.parse(RUN);
export const WORKSPACE = '/w';

export interface Scene {
  readonly store: WorkrailStore;
  readonly plan: WalkPlan;
  readonly compiled: CompiledFactory;
  /** The clock of the ledgers. */
  readonly clock: { now: number };
  /** A ledger that remembers nothing of the others. */
  ledger(workspace?: string): RunLedger;
  end(): void;
}

export async function scene(sketch: WalkPlan, now: number): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), 'ledger-'));
  const compiled = compiledOf(sketch);
  const plan = cutPlan(compiled, sha256Digest('factory'))._unsafeUnwrap();
  const clock = { now };
  let events = 0;
  const minting = {
    sessionId: () => SESSION,
    eventId: () => EventId.parse(`evt-${(events += 1)}`),
    attemptId: () => AttemptId.parse(`attempt-${(events += 1)}`),
    nowMs: () => clock.now,
  };
  const store = unwrap(await openWorkrailStore({ root, minting }));
  return {
    store,
    plan,
    compiled,
    clock,
    ledger: (workspace = WORKSPACE) =>
      new RunLedger({
        ...store,
        minting,
        find: () => Promise.resolve(ok({ sessionId: SESSION, workspace })),
      }),
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const start = ({ plan, compiled }: Scene, ledger: RunLedger) =>
  ledger.begin({
    run: RUN,
    sessionId: SESSION,
    compiled,
    factoryHash: plan.factoryHash,
    plan,
    parameters: { topic: 'railways' },
    startedBy: 'sam',
    workspace: WORKSPACE,
  });

/** Propose events; answers with what became of them. */
export async function propose(ledger: RunLedger, seen: number, ...proposals: WalkEvent[]): Promise<Recorded> {
  return unwrap(await ledger.record({ run: RUN, epoch: 1, seen, proposals }));
}

/** A factory whose plan is this one. */
export function compiledOf(plan: WalkPlan): CompiledFactory {
  return {
    version: 1,
    id: 'factory.test',
    factory: { id: plan.factory, name: 'Test', version: null, pattern: null, description: null },
    config: {},
    blocks: plan.blocks.map(compiledBlock),
    groups: plan.groups,
    moduleMapping: {},
  };
}

function compiledBlock(block: PlannedBlock): CompiledBlock {
  const { id, depends, gates, thresholds, maxRetries, group, timeoutMs, trigger, lifecycle } = block;
  return {
    id,
    workflowId: `test.${id}`,
    name: id,
    layer: 1 as unknown as CompiledBlock['layer'],
    type: 'skill' as unknown as CompiledBlock['type'],
    skill: 'word-counter',
    model: null,
    timeoutMs,
    runtime: 'claude-cli',
    trigger: {
      type: trigger?.type ?? 'dependency',
      cron: trigger?.type === 'cron' ? trigger.cron : null,
      event: trigger?.type === 'event' ? trigger.name : null,
      webhook: trigger?.type === 'webhook' ? trigger.path : null,
    },
    lifecycle: lifecycle ?? 'one-shot',
    depends,
    files: [],
    env: [],
    config: {},
    artifacts: block.artifacts.map((key) => ({ key, path: `{{workspace}}/${key}`, format: 'json' })),
    metrics: [],
    publish: [],
    gates,
    thresholds,
    maxRetries,
    group,
    // The plans of the generator have the four numbers that templates may have.
    scope: { gate: (block.scopeGate ?? null) as CompiledBlock['scope']['gate'], runParams: {} },
    lens: { perspective: null, aggregates: [], feedbackLoop: false },
    recordState: { trackPer: null, states: [] },
  };
}

/** An outcome whose artifacts have digests of the right form. */
export function stored(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind === 'failed') return outcome;
  return {
    ...outcome,
    artifacts: outcome.artifacts.map((one) => ({ ...one, digest: sha256Digest(one.digest) })),
  };
}
