import { describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { err } from 'neverthrow';
import { type SkillRuntime } from '../../activities';
import { sha256Digest } from '../../src/canonical';
import { problem } from '../../src/errors';
import { type Feedback } from '../../src/factory/run-state';
import { temporary } from '../sandbox/places';
import { environment, outputs, scene, type Scene } from './scene';

/** A runtime for attempts whose skill must not run. */
const forbidden: SkillRuntime = {
  name: 'forbidden',
  run: () => Promise.reject(new Error('The skill ran')),
};

describe('an attempt', () => {
  it('comes to its artifacts, metrics and notes, and to a fact in the ledger', async () => {
    const both = outputs(
      { key: 'out', path: '{{workspace}}/out.txt', format: 'text' },
      { key: 'dir', path: 'deep/er/', format: 'directory' },
    );
    const here = scene('writes-file', { ...both, inputs: { config: { notes: 'All is well.' } } });
    const outcome = await here.run();
    const text = 'out of attempt 1\n';
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      artifacts: [
        {
          key: 'out',
          path: join(here.workspace, 'out.txt'),
          format: 'text',
          digest: sha256Digest(text),
          bytes: Buffer.byteLength(text),
        },
        { key: 'dir', path: join(here.workspace, 'deep/er'), format: 'directory', bytes: 34 },
      ],
      metrics: { score: 42 },
      notes: 'All is well.\nThe stand-in "local-program" performed this block instead of "claude-cli".',
      recordCounts: {},
    });
    expect(here.host.store.sizeOf(sha256Digest(text))).toBe(17);
    expect(await here.recorded()).toEqual(outcome);
  });

  it('tells the skill what it needs to know', async () => {
    const feedback: Feedback[] = [{ attempt: 1, from: 'ann', role: 'lead', text: 'More.' }];
    const previous = {
      attempt: 1,
      startedAt: 'a',
      endedAt: 'b',
      score: 5,
      metrics: {},
      failure: null,
      error: null,
    };
    const change = {
      inputs: { files: ['{{workspace}}/in/*'], config: { who: '{{name}}', n: '{{n}}' } },
      scope: { run_params: { name: 'Own' } },
      lens: { perspective: 'of {{name}}' },
      model: 'opus' as const,
    };
    const here = scene('writes-file', change, { parameters: { name: 'Run', n: 3 } });
    mkdirSync(join(here.workspace, 'in'));
    writeFileSync(join(here.workspace, 'in/a.md'), '');
    await here.run({ attempt: 2, feedback, previous });
    expect(JSON.parse(readFileSync(join(here.dir(2), 'request.json'), 'utf8'))).toEqual({
      version: 1,
      run: 'r',
      block: 'b',
      attempt: 2,
      skill: 'writes-file',
      model: 'opus',
      perspective: 'of Own',
      workspace: here.workspace,
      parameters: { name: 'Own', n: 3 },
      config: { who: 'Own', n: 3 },
      modules: {},
      inputs: [],
      aggregate: [],
      files: [join(here.workspace, 'in/a.md')],
      outputs: [{ key: 'out', path: join(here.workspace, 'b.json'), format: 'json' }],
      metrics: [{ key: 'score', type: 'number' }],
      record_state: { track_per: null, states: [] },
      feedback,
      previous,
      trigger: null,
      previous_run: null,
    });
  });

  it('that has an outcome is not executed again', async () => {
    const root = temporary();
    const first = await scene('writes-file', {}, { root }).run();
    const later = scene('writes-file', {}, { root, host: { runtime: forbidden } });
    rmSync(join(later.workspace, 'b.json'));
    expect(await later.run()).toEqual(first);
    const failed = scene('fails');
    const outcome = await failed.run();
    expect(outcome.kind).toBe('failed');
    writeFileSync(join(failed.dir(), 'stderr.log'), 'untouched');
    expect(await failed.run()).toEqual(outcome);
    expect(readFileSync(join(failed.dir(), 'stderr.log'), 'utf8')).toBe('untouched');
  });

  it('gets its inputs back by their digests', async () => {
    const here = scene('writes-file');
    const stored = await here.host.store.putBytes('the input');
    const artifact = { key: 'in', path: join(here.workspace, 'from/in.md'), format: 'text', ...stored };
    await here.run({ inputs: [{ block: 'a', artifact }] });
    expect(here.read('from/in.md')).toBe('the input');
    const request = JSON.parse(readFileSync(join(here.dir(), 'request.json'), 'utf8')) as { inputs: unknown };
    expect(request.inputs).toEqual([{ block: 'a', ...artifact }]);
  });

  it('does not pass off what an earlier attempt wrote', async () => {
    const here = scene('reports', { inputs: { config: { result: { metrics: { score: 9 } } } } });
    writeFileSync(join(here.workspace, 'b.json'), 'stale');
    expect(await here.run({ attempt: 2 })).toEqual({
      kind: 'failed',
      failure: 'missing_artifact',
      error: `The skill ended well but did not write: "out" (${join(here.workspace, 'b.json')}).`,
      metrics: { score: 9 },
      standIn: { ran: 'local-program', asked: 'claude-cli' },
    });
  });

  it('names every artifact that is missing', async () => {
    const change = outputs(
      { key: 'one', path: 'one.md', format: 'text' },
      { key: 'two', path: 'two.md', format: 'text' },
      { key: 'three', path: 'three', format: 'directory' },
    );
    const outcome = await scene('missing-artifact', change).run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'missing_artifact', metrics: { score: 7 } });
    expect(outcome).toHaveProperty('error', expect.stringMatching(/"two" \(.*\), "three" \(.*\)\.$/));
  });

  it('does not take a link that leaves the workspace for an artifact', async () => {
    const target = join(temporary(), 'secret');
    writeFileSync(target, 'secret');
    const here = scene('symlink-out', { inputs: { config: { target } } });
    const outcome = await here.run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'error' });
    expect(outcome).toHaveProperty(
      'error',
      `Artifacts that cannot be taken: "out": ${join(here.workspace, 'b.json')} leads to ${target}, outside of the workspace.`,
    );
    // The next attempt removes the link, and what it led to is still there.
    await here.run({ attempt: 2 });
    expect(readFileSync(target, 'utf8')).toBe('secret');
  });

  it('says in its notes which files it did not get', async () => {
    const here = scene('writes-file', { inputs: { files: ['in/*'] } });
    const outside = temporary();
    mkdirSync(join(here.workspace, 'in'));
    symlinkSync(outside, join(here.workspace, 'in/link'));
    const link = join(here.workspace, 'in/link');
    expect(await here.run()).toHaveProperty(
      'notes',
      expect.stringContaining(`${link} is a link to ${outside}, outside of the workspace`),
    );
  });

  it('cuts long notes, and never its own words about them', async () => {
    const outcome = await scene('writes-file', { inputs: { config: { notes: '😀'.repeat(3_000) } } }).run();
    const notes = outcome.kind === 'succeeded' ? outcome.notes : '';
    expect(Buffer.byteLength(notes)).toBeLessThanOrEqual(4_096);
    expect(notes).toMatch(/^(😀)+…\nThe stand-in .*\.$/u);
  });

  it('beats its heart with the number of its process', async () => {
    const env = environment();
    const beats: unknown[] = [];
    env.on('heartbeat', (details: unknown) => beats.push(details));
    const cancelled = new Promise((resolve) => env.on('heartbeat', resolve)).then(() =>
      env.cancel('CANCELLED'),
    );
    await scene('hangs').run({}, env);
    await cancelled;
    expect(beats[0]).toEqual({ pid: expect.any(Number) });
  });

  it('is executed by one at a time', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    const slow: SkillRuntime = {
      name: 'claude-cli',
      run: async () => {
        started();
        await held;
        return { kind: 'failed', failure: 'error', error: 'slow' };
      },
    };
    const here = scene('writes-file', {}, { host: { runtime: slow } });
    const first = here.run();
    await running;
    await expect(here.run()).rejects.toMatchObject({ type: 'AttemptBusy', nonRetryable: false });
    release();
    const outcome = await first;
    expect(await here.run()).toEqual(outcome);
  });
});

describe('the values of environment variables', () => {
  const SECRET = 'correct-horse-battery';
  const change = { inputs: { env: ['FIXTURE_KEY', 'FIXTURE_OTHER', 'FIXTURE_UNSET'] }, outputs: {} };

  it('reach the skill where they are allowed, and nothing else', async () => {
    process.env.FIXTURE_KEY = SECRET;
    process.env.FIXTURE_OTHER = 'not allowed';
    const here = scene('prints-env', change, { host: { envAllow: ['FIXTURE_KEY', 'FIXTURE_UNSET'] } });
    const outcome = await here.run();
    delete process.env.FIXTURE_KEY;
    delete process.env.FIXTURE_OTHER;
    expect(outcome.kind).toBe('succeeded');
    expect(outcome.metrics.env).toContain('FIXTURE_KEY=[FIXTURE_KEY]');
    expect(JSON.stringify(outcome)).not.toContain('FIXTURE_OTHER');
    for (const name of ['request.json', 'result.json', 'stdout.log', 'stderr.log']) {
      expect(readFileSync(join(here.dir(), name), 'utf8')).not.toContain(SECRET);
    }
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
    expect(JSON.stringify(await here.recorded())).not.toContain(SECRET);
  });
});

describe('an attempt that can never work', () => {
  const refusal = async (here: Scene, change: Parameters<Scene['run']>[0] = {}): Promise<unknown> => {
    const error: unknown = await here.run(change).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(await here.recorded()).toBeNull();
    return error;
  };

  it.each([
    ['RUN_NOT_FOUND', { run: 'other' }],
    ['INTERNAL', { factoryHash: 'sha256:0' }],
    ['BLOCK_NOT_FOUND', { block: 'none' }],
  ])('is refused with %s', async (code, change) => {
    expect(await refusal(scene('writes-file'), change)).toMatchObject({
      type: code,
      nonRetryable: true,
      details: [{ code, retry: { kind: 'not_retryable' } }],
    });
  });

  it('is refused where a parameter leads out of the workspace', async () => {
    const change = outputs({ key: 'out', path: '{{workspace}}/{{slug}}/x', format: 'text' });
    const here = scene('writes-file', change, { parameters: { slug: '../..' } });
    expect(await refusal(here)).toMatchObject({ type: 'PATH_OUTSIDE_WORKSPACE', nonRetryable: true });
  });

  it('is refused where its output is in the place of its input', async () => {
    const here = scene('writes-file', outputs({ key: 'out', path: '{{slug}}', format: 'text' }), {
      parameters: { slug: 'shared' },
    });
    const stored = await here.host.store.putBytes('the input');
    const artifact = { key: 'in', path: join(here.workspace, 'shared/in.md'), format: 'text', ...stored };
    expect(await refusal(here, { inputs: [{ block: 'a', artifact }] })).toMatchObject({
      type: 'INPUT_INVALID',
      nonRetryable: true,
    });
  });

  it('is refused where an input is not in the store', async () => {
    const here = scene('writes-file');
    const digest = sha256Digest('lost');
    const artifact = { key: 'in', path: join(here.workspace, 'in.md'), format: 'text', digest, bytes: 4 };
    const error = await refusal(here, { inputs: [{ block: 'a', artifact }] });
    expect(error).toMatchObject({ nonRetryable: true });
    expect(error).toHaveProperty('message', expect.stringContaining(digest));
  });

  it('is refused where the workspace is a file', async () => {
    const here = scene('writes-file');
    rmSync(here.workspace, { recursive: true });
    writeFileSync(here.workspace, '');
    expect(await refusal(here)).toMatchObject({ type: 'INPUT_INVALID', nonRetryable: true });
  });
});

describe('trouble of the machine', () => {
  it('is tried again, and leaves no outcome', async () => {
    const here = scene('writes-file');
    // The store cannot be written: a file is in the place of its folder.
    writeFileSync(here.host.store.root, '');
    await expect(here.run()).rejects.toMatchObject({ type: 'MachineTrouble', nonRetryable: false });
    expect(await here.recorded()).toBeNull();
    rmSync(here.host.store.root);
    expect(await here.run()).toMatchObject({ kind: 'succeeded' });
  });
});

describe('the ledger', () => {
  it('that somebody else drives by now keeps the skill from running', async () => {
    const here = scene('writes-file', {}, { host: { runtime: forbidden } });
    const ledger = await here.ledger();
    await ledger.takeOver('r', { workflowId: 'other', by: 'olga', restartDeadlines: false });
    await expect(here.run()).rejects.toMatchObject({ type: 'SUPERSEDED', nonRetryable: true });
  });

  it('that cannot be written to at once is tried again, and the skill is not', async () => {
    let [runs, tries] = [0, 0];
    const base = scene('writes-file');
    const counting: SkillRuntime = {
      name: 'claude-cli',
      run: (job, signal) => {
        runs += 1;
        return base.host.runtime.run(job, signal);
      },
    };
    const full = err(problem('STORE_FULL', 'The disk is full.'));
    const { read, record } = base.host.ledger;
    const here = scene(
      'writes-file',
      {},
      {
        root: dirname(base.workspace),
        host: {
          runtime: counting,
          ledger: {
            read,
            record: (request) => ((tries += 1) < 3 ? Promise.resolve(full) : record(request)),
          },
        },
      },
    );
    expect(await here.run()).toMatchObject({ kind: 'succeeded' });
    expect([runs, tries]).toEqual([1, 3]);
  });
});
