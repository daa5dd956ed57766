/** The worker of the crash test: executes an attempt that never ends, until somebody kills it. */
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { err, ok } from 'neverthrow';
import { createAttemptActivities, createLocalProgram } from '../../activities';
import { problem } from '../../src/errors';
import { compileTemplate } from '../../src/factory/compile';
import { type AttemptCall, type RunLedger } from '../../src/ledger';
import { ContentStore } from '../../src/sandbox';
import { openAttemptLedger } from './attempt-ledger';

const root = process.argv[2] ?? '';
const compilation = compileTemplate({
  factory: { id: 'demo', name: 'Demo' },
  blocks: [
    {
      id: 'b',
      name: 'b',
      layer: 'L0',
      type: 'build',
      skill: 'spawns-grandchild',
      trigger: { type: 'dependency' },
      inputs: { config: { hang: true } },
      outputs: {},
      execution: {},
      lifecycle: { mode: 'one-shot' },
    },
  ],
});
if (compilation.isErr()) throw new Error(JSON.stringify(compilation.error));
const { compiled, factoryHash } = compilation.value;
const record = {
  run: 'r',
  factoryHash,
  parameters: {},
  workspacePath: join(root, 'workspace'),
  startedBy: 'sam',
};

const ledger: Promise<RunLedger> = openAttemptLedger(root, compilation.value);

const activities = createAttemptActivities({
  runRecord: () => Promise.resolve(ok(record)),
  compiledFactory: (hash) =>
    Promise.resolve(hash === factoryHash ? ok(compiled) : err(problem('INTERNAL', 'Another factory.'))),
  attemptDir: (run, block, attempt) => join(root, 'runs', run, `${block}.${attempt}`),
  store: new ContentStore(join(root, 'artifacts')),
  ledger: {
    read: async (call) => (await ledger).read(call),
    record: async (request) => (await ledger).record(request),
  },
  runtime: createLocalProgram(),
  skillDirs: [join(__dirname, '../fixtures/skills')],
  envAllow: [],
});
const input: AttemptCall = {
  run: 'r',
  block: 'b',
  attempt: 1,
  factoryHash,
  inputs: [],
  feedback: [],
  previous: null,
  ...{ epoch: 1, seen: 0 },
};
void new MockActivityEnvironment().run((one: AttemptCall) => activities.runAttempt(one), input);
