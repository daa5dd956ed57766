import { describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalProgram, type SkillJob, type SkillOutcome, type SkillRequest } from '../../activities';
import { temporary } from '../sandbox/places';
import { endAfterwards, isAlive, pidIn, SKILLS } from './scene';

interface Trial {
  readonly workspace: string;
  readonly dir: string;
  readonly pids: number[];
  readonly run: (signal?: AbortSignal) => Promise<SkillOutcome>;
}

type Change = Partial<Pick<SkillJob, 'env' | 'timeoutMs'>> &
  Partial<Pick<SkillRequest, 'config' | 'workspace'>>;

/** A skill of the fixtures, about to run. */
function trial(skill: string, change: Change = {}): Trial {
  const root = temporary();
  const dir = join(root, 'attempt');
  mkdirSync(join(root, 'workspace'));
  mkdirSync(dir);
  const { env = {}, timeoutMs = 30_000, config = {}, workspace = join(root, 'workspace') } = change;
  const request: SkillRequest = {
    version: 1,
    run: 'r',
    block: 'b',
    attempt: 1,
    skill,
    model: null,
    perspective: null,
    workspace,
    parameters: {},
    config,
    modules: {},
    inputs: [],
    aggregate: [],
    files: [],
    outputs: [],
    metrics: [],
    feedback: [],
    previous: null,
    trigger: null,
    previous_run: null,
    record_state: { track_per: null, states: [] },
  };
  const pids: number[] = [];
  const onStart = (pid: number): unknown => pids.push(endAfterwards(pid));
  const job = { request, dir, skillDirs: [join(root, 'none'), SKILLS], env, timeoutMs, onStart };
  const runtime = createLocalProgram({ graceMs: 300, logBytes: 100_000 });
  return { workspace, dir, pids, run: (signal = new AbortController().signal) => runtime.run(job, signal) };
}

const errorOf = (outcome: SkillOutcome): string =>
  'error' in outcome ? outcome.error : JSON.stringify(outcome);

describe('a local program', () => {
  it('gets a request, runs in the workspace, and gives back what it wrote as its result', async () => {
    const { run, workspace, dir, pids } = trial('writes-file');
    expect(await run()).toEqual({ kind: 'finished', result: { metrics: {}, notes: `cwd ${workspace}` } });
    expect(JSON.parse(readFileSync(join(dir, 'request.json'), 'utf8'))).toMatchObject({
      version: 1,
      workspace,
    });
    expect(pids).toHaveLength(1);
    expect(existsSync(join(dir, 'process.json'))).toBe(false);
  });

  it('that fails is quoted, without its colours', async () => {
    const { run, dir } = trial('fails');
    const outcome = await run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'error' });
    expect(errorOf(outcome)).toBe(
      `The skill "fails" ended with exit code 3. Its last words (all of them are in ${join(dir, 'stderr.log')}):\n` +
        'fails: the moon is not full; wait',
    );
  });

  it.each([
    ['dies', 'was killed by SIGKILL, not by Railyard'],
    ['no-result', 'ended without a result. It must write one JSON object'],
    ['bad-json', 'wrote a result that is not JSON. It must write'],
    ['unknown-skill', 'has no run.mjs. Add its folder to one of the skill folders'],
  ])('named %s is told what is wrong', async (skill, message) => {
    const outcome = await trial(skill).run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'error' });
    expect(errorOf(outcome)).toContain(message);
  });

  it('does not pass an old result off as its own', async () => {
    const { run, dir } = trial('no-result');
    writeFileSync(join(dir, 'result.json'), '{"metrics":{}}');
    expect(errorOf(await run())).toContain('ended without a result');
  });

  it('may not report too much', async () => {
    const outcome = await trial('reports', { config: { result: { notes: 'x'.repeat(1_100_000) } } }).run();
    expect(errorOf(outcome)).toContain('Put large things into artifacts');
  });

  it('may say as much as it likes; the beginning is kept, and the end is quoted in whole characters', async () => {
    const { run, dir } = trial('big-stderr');
    const error = errorOf(await run());
    expect(statSync(join(dir, 'stderr.log')).size).toBeLessThan(100_100);
    expect(readFileSync(join(dir, 'stderr.log'), 'utf8')).toMatch(/\n\[\d+ more bytes were not kept\]\n$/);
    expect(error).toMatch(/ß\nthe end$/);
    expect(error).not.toContain('\ufffd');
    expect(Buffer.byteLength(error)).toBeLessThan(2_500);
  });

  it('is stopped at its time-out', async () => {
    const { run, pids } = trial('hangs', { timeoutMs: 500 });
    const outcome = await run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'timeout' });
    expect(errorOf(outcome)).toContain('stopped at its time-out of 500 ms. Raise "timeout"');
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is asked to end, and killed when it does not', async () => {
    const { run, workspace, pids } = trial('ignores-sigterm');
    const abort = new AbortController();
    const running = run(abort.signal);
    await pidIn(join(workspace, 'hanging'));
    abort.abort();
    expect(await running).toMatchObject({ kind: 'cancelled' });
    expect(readFileSync(join(workspace, 'asked'), 'utf8')).toBe('SIGTERM');
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is cancelled with everything it started', async () => {
    const { run, workspace, pids } = trial('spawns-grandchild', { config: { hang: true } });
    const abort = new AbortController();
    const running = run(abort.signal);
    const grandchild = endAfterwards(await pidIn(join(workspace, 'grandchild')));
    await pidIn(join(workspace, 'hanging'));
    expect(isAlive(grandchild)).toBe(true);
    abort.abort();
    expect(await running).toEqual({
      kind: 'cancelled',
      error: 'The skill "spawns-grandchild" was cancelled.',
    });
    expect([...pids, grandchild].map(isAlive)).toEqual([false, false]);
  });

  it('does not start when it is cancelled before', async () => {
    const { run, pids } = trial('hangs');
    expect(await run(AbortSignal.abort())).toMatchObject({ kind: 'cancelled' });
    expect(pids).toEqual([]);
  });

  it('leaves nothing running when it ends well', async () => {
    const { run, workspace } = trial('spawns-grandchild');
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(isAlive(endAfterwards(await pidIn(join(workspace, 'grandchild'))))).toBe(false);
  });

  it('is noted before it can do anything', async () => {
    const { run, workspace, dir, pids } = trial('hangs');
    const abort = new AbortController();
    const running = run(abort.signal);
    const pid = await pidIn(join(workspace, 'hanging'));
    expect(JSON.parse(readFileSync(join(dir, 'process.json'), 'utf8'))).toMatchObject({ version: 1, pid });
    expect(pids).toEqual([pid]);
    abort.abort();
    await running;
    expect(existsSync(join(dir, 'process.json'))).toBe(false);
  });

  it('cannot be started in a workspace that is gone', async () => {
    await expect(trial('writes-file', { workspace: '/nonexistent/folder' }).run()).rejects.toThrow('ENOENT');
  });
});

describe('the environment of a local program', () => {
  const SECRET = 'hunter2-ß-hunter2';

  it('has a small base and the variables it was given, and none of the host', async () => {
    process.env.FIXTURE_OF_THE_HOST = 'not for skills';
    const { run, dir } = trial('prints-env', { env: { FIXTURE_SECRET: SECRET } });
    await run();
    delete process.env.FIXTURE_OF_THE_HOST;
    const names = readFileSync(join(dir, 'stdout.log'), 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'FIXTURE_SECRET']));
    expect(names).not.toContain('FIXTURE_OF_THE_HOST');
    expect(names).not.toContain('NODE_OPTIONS');
  });

  it('is not in the logs, the errors or the files of the attempt', async () => {
    const good = trial('prints-env', { env: { FIXTURE_SECRET: SECRET } });
    const bad = trial('prints-env', { env: { FIXTURE_SECRET: SECRET }, config: { fail: true } });
    const torn = trial('bad-json', { env: { FIXTURE_SECRET: SECRET } });
    const outcomes = [await good.run(), await bad.run(), await torn.run()];
    expect(outcomes.map(errorOf)[1]).toContain('FIXTURE_SECRET=[FIXTURE_SECRET]');
    for (const { dir } of [good, bad, torn]) {
      for (const name of ['request.json', 'result.json', 'stdout.log', 'stderr.log']) {
        const path = join(dir, name);
        if (existsSync(path)) expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
      }
    }
  });
});
