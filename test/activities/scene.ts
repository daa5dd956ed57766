/** A run of one factory, as far as an attempt needs it, and what tests ask of it. */
import { afterAll } from '@jest/globals';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { err, ok } from 'neverthrow';
import { createAttemptActivities, createLocalProgram, type AttemptHost } from '../../activities';
import { type JsonObject } from '../../src/canonical';
import { problem } from '../../src/errors';
import { type AttemptInput } from '../../src/factory/attempt';
import { type AttemptCall, type Fact, type RunLedger } from '../../src/ledger';
import { type Block } from '../../src/factory/schema';
import { type AttemptOutcome } from '../../src/factory/run-state';
import { ContentStore } from '../../src/sandbox';
import { block, compiled, template } from '../factory/compile/templates';
import { temporary } from '../sandbox/places';
import { openAttemptLedger, reachAttempt } from './attempt-ledger';

/** The skills of the tests. */
export const SKILLS = join(__dirname, '../fixtures/skills');

/** An activity environment that keeps the SDK's warnings to itself. */
export const environment = (): MockActivityEnvironment =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });

export interface Scene {
  readonly host: AttemptHost;
  readonly workspace: string;
  /** The folder of an attempt. */
  readonly dir: (attempt?: number) => string;
  readonly input: (change?: Partial<AttemptInput>) => AttemptCall;
  readonly ledger: () => Promise<RunLedger>;
  /** Run an attempt as Temporal would; answers with the outcome that is in the ledger then. */
  readonly run: (change?: Partial<AttemptInput>, env?: MockActivityEnvironment) => Promise<AttemptOutcome>;
  /** The outcome of the first attempt as a process that looks now reads it from the store; null: none. */
  readonly recorded: () => Promise<AttemptOutcome | null>;
  /** The text of a file in the workspace. */
  readonly read: (path: string) => string;
}

interface SceneOptions {
  readonly parameters?: JsonObject;
  readonly host?: Partial<AttemptHost>;
  /** Where it all is; a fresh folder if not given. */
  readonly root?: string;
}

/** A factory with one block `b`, which runs this skill and has one artifact `out` and one metric `score`. */
export function scene(skill: string, change: Partial<Block> = {}, options: SceneOptions = {}): Scene {
  const { parameters = {}, root = temporary() } = options;
  const compilation = compiled(template([block('b', [], { skill, ...change })]));
  const { compiled: factory, factoryHash } = compilation;
  const workspace = join(root, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const record = { run: 'r', factoryHash, parameters, workspacePath: workspace, startedBy: 'sam' };
  let opened: Promise<RunLedger> | null = null;
  const ledger = (): Promise<RunLedger> => (opened ??= openAttemptLedger(root, compilation));
  const host: AttemptHost = {
    runRecord: (run) =>
      Promise.resolve(run === 'r' ? ok(record) : err(problem('RUN_NOT_FOUND', `There is no run "${run}".`))),
    compiledFactory: (hash) =>
      Promise.resolve(hash === factoryHash ? ok(factory) : err(problem('INTERNAL', `No factory ${hash}.`))),
    attemptDir: (run, id, attempt) => join(root, 'runs', run, `${id}.${attempt}`),
    store: new ContentStore(join(root, 'artifacts')),
    ledger: {
      read: async (call) => (await ledger()).read(call),
      record: async (request) => (await ledger()).record(request),
    },
    runtime: createLocalProgram({ graceMs: 300 }),
    skillDirs: [SKILLS],
    envAllow: [],
    ...options.host,
  };
  const input = (more: Partial<AttemptInput> = {}): AttemptCall => ({
    run: 'r',
    block: 'b',
    attempt: 1,
    factoryHash,
    inputs: [],
    feedback: [],
    previous: null,
    ...{ epoch: 1, seen: 0 },
    ...more,
  });
  const activities = createAttemptActivities(host);
  return {
    host,
    workspace,
    dir: (attempt = 1) => host.attemptDir('r', 'b', attempt),
    input,
    ledger,
    run: async (more, env = environment()) => {
      await reachAttempt(await ledger(), 'b', more?.attempt ?? 1);
      const fact = await env.run<[AttemptCall], Fact | null, typeof activities.runAttempt>(
        (one) => activities.runAttempt(one),
        input(more),
      );
      if (fact?.event.type !== 'attempt-finished') throw new Error('The attempt came to nothing');
      return fact.event.outcome;
    },
    recorded: async () => {
      const fresh = await openAttemptLedger(root, compilation);
      const facts = (await fresh.read({ run: 'r', epoch: 1, seen: 0 }))._unsafeUnwrap();
      const [first] = facts.flatMap(({ event }) =>
        event.type === 'attempt-finished' ? [event.outcome] : [],
      );
      return first ?? null;
    },
    read: (path) => readFileSync(join(workspace, path), 'utf8'),
  };
}

/** One declared artifact of a block, by its key. */
export const outputs = (...artifacts: { key: string; path: string; format: string }[]): Partial<Block> => ({
  outputs: { artifacts, metrics: [{ key: 'score', type: 'number' }] },
});

/** Wait until something is so. Jest ends a test that waits in vain. */
export async function until<T>(look: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    await sleep(10);
  }
}

/** The number in a file, once it is there. */
export const pidIn = (path: string): Promise<number> =>
  until(() => {
    try {
      return Number(readFileSync(path, 'utf8')) || null;
    } catch {
      return null;
    }
  });

/** Is there a process of this number that is not a zombie? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

const toEnd = new Set<number>();
afterAll(() => {
  for (const pid of toEnd) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
});

/** See to it that a process does not outlive the tests, whatever they find. */
export function endAfterwards(pid: number): number {
  toEnd.add(pid);
  return pid;
}
