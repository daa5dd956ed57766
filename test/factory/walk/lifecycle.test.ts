import { describe, expect, test } from '@jest/globals';
import { waitingFor } from '../../../src/factory/walk';
import { attemptInput } from '../../../src/factory/walk/attempt-input';
import { block, failed, gate, plan, succeeded, triggerOf, Walker } from './fixtures';

const trigger = { type: 'manual' } as const;
const onDemand = { trigger, lifecycle: 'on-demand' } as const;
const daemon = { trigger, lifecycle: 'daemon' } as const;

const why = (walk: Walker, id: string) => waitingFor(walk.plan, walk.state, id);
const inputOf = (walk: Walker, id: string) =>
  attemptInput(walk.plan, walk.state, 'r', id).inputs.map(({ artifact }) => artifact.digest);

describe('a block on demand', () => {
  test('runs at every trigger, each with a fresh budget, and never holds the run open', () => {
    const walk = new Walker(plan([block('main'), block('extra', { ...onDemand, maxRetries: 1 })]));
    walk.trigger('extra');
    walk.finish('extra', failed());
    walk.finish('extra');
    expect(walk.block('extra')).toMatchObject({ status: 'done', attempt: 2, attempts: 1 });
    expect(walk.trigger('extra')).toMatchObject({ result: 'triggered' });
    expect(walk.block('extra')).toMatchObject({ status: 'running', attempt: 3, attempts: 0 });
    walk.finish('extra');
    expect(walk.trail('extra')).toMatch(/running done pending ready running done$/);
    walk.finish('main');
    expect(walk.state.status).toBe('completed');
  });

  test('that was never asked for is left as it is', () => {
    const walk = new Walker(plan([block('main'), block('extra', onDemand)]));
    expect(why(walk, 'extra')).toBe('waits for somebody to trigger it');
    walk.finish('main');
    expect(walk.statuses).toBe('main:done extra:pending');
    expect(walk.state.status).toBe('completed');
    expect(why(walk, 'extra')).toBe('the run is completed');
  });

  test('that failed does not fail the run, and starts again when it is asked', () => {
    const walk = new Walker(plan([block('main'), block('extra', { ...onDemand, maxRetries: 0 })]));
    walk.trigger('extra');
    walk.finish('extra', failed());
    expect(walk.statuses).toBe('main:running extra:failed');
    walk.trigger('extra');
    expect(walk.status('extra')).toBe('running');
    walk.finish('extra', failed());
    walk.finish('main');
    expect(walk.state.status).toBe('completed');
  });

  test('keeps what comes while it is busy, and takes it up in turn', () => {
    const walk = new Walker(plan([block('main'), block('extra', onDemand)]));
    walk.trigger('extra', 1);
    expect(walk.trigger('extra', 2)).toMatchObject({ result: 'kept' });
    expect(walk.trigger('extra', 3)).toMatchObject({ result: 'kept' });
    const told: unknown[] = [];
    while (walk.status('extra') === 'running') {
      told.push(attemptInput(walk.plan, walk.state, 'r', 'extra').trigger?.payload);
      walk.finish('extra');
    }
    expect(told).toEqual([1, 2, 3]);
  });

  test('keeps a hundred and no more; the oldest are dropped with a warning', () => {
    const walk = new Walker(plan([block('main'), block('extra', onDemand)]));
    for (let n = 0; n <= 102; n += 1) walk.trigger('extra', n, `k${n}`);
    expect(walk.state.triggers?.kept.map((one) => one.trigger.payload)).toEqual(
      Array.from({ length: 100 }, (_, n) => n + 3),
    );
    expect(walk.block('extra').warnings).toEqual([
      'The trigger k1 was dropped: too many are kept',
      'The trigger k2 was dropped: too many are kept',
    ]);
  });

  test('keeps no more than the state of a run can hold', () => {
    const walk = new Walker(plan([block('main'), block('extra', onDemand)]));
    for (let n = 0; n < 20; n += 1) walk.trigger('extra', 'x'.repeat(60_000));
    expect(walk.state.triggers?.kept).toHaveLength(8);
    expect(walk.block('extra').warnings).toHaveLength(11);
  });

  test('has a history, warnings and gates of bounded length', () => {
    const walk = new Walker(plan([block('main'), block('extra', { ...onDemand, after: gate() })]));
    for (let n = 0; n < 60; n += 1) {
      walk.trigger('extra');
      walk.finish('extra', succeeded(`v${n}`));
      walk.decide({ block: 'extra', digests: [`sha256:v${n}`] });
    }
    expect(walk.block('extra').history.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 41),
    );
    expect(walk.state.gates).toHaveLength(20);
    expect(walk.lastGate).toMatchObject({ attempt: 60, outcome: { decision: 'approved' } });
  });

  test('asks its gate anew for every trigger, and not for a retry of one', () => {
    const walk = new Walker(plan([block('main'), block('extra', { ...onDemand, before: gate() })]));
    walk.trigger('extra');
    walk.decide({ block: 'extra' });
    walk.finish('extra', failed());
    expect(walk.status('extra')).toBe('running');
    walk.finish('extra');
    walk.trigger('extra');
    expect(walk.status('extra')).toBe('waiting');
  });
});

describe('a block that depends on one that runs again', () => {
  const factory = () =>
    new Walker(plan([block('src', daemon), block('use', { needs: ['src'] }), block('main')]));

  test('starts when that one has been done once, and the run waits for it', () => {
    const walk = factory();
    walk.finish('main');
    expect(walk.state.status).toBe('running');
    expect(why(walk, 'use')).toBe('waits for src');
    walk.trigger('src');
    walk.finish('src', succeeded('v1'));
    expect(walk.statuses).toBe('src:done use:running main:done');
    expect(inputOf(walk, 'use')).toEqual(['sha256:v1']);
    walk.finish('use');
    expect(walk.state.status).toBe('completed');
  });

  test('is not disturbed: that one starts again when its readers have ended', () => {
    const walk = factory();
    walk.trigger('src');
    walk.trigger('src');
    walk.finish('src', succeeded('v1'));
    expect(walk.statuses).toBe('src:pending use:running main:running');
    expect(why(walk, 'src')).toBe('waits for use, which uses its artifacts');
    walk.finish('use', failed());
    // A retry comes before the next run of what it reads.
    expect(walk.statuses).toBe('src:pending use:running main:running');
    expect(inputOf(walk, 'use')).toEqual(['sha256:v1']);
    walk.finish('use');
    expect(walk.statuses).toBe('src:running use:done main:running');
  });

  test('waits while that one is being replaced, and uses the last good one where the next fails', () => {
    const walk = new Walker(
      plan([
        block('src', { ...daemon, maxRetries: 0, after: gate() }),
        block('gate', { trigger }),
        block('use', { needs: ['src', 'gate'] }),
      ]),
    );
    walk.trigger('src');
    walk.finish('src', succeeded('v1'));
    walk.decide({ block: 'src' });
    walk.trigger('src');
    walk.trigger('gate');
    walk.finish('gate');
    expect(walk.statuses).toBe('src:running gate:done use:blocked');
    walk.finish('src', succeeded('v2'));
    expect(walk.statuses).toBe('src:waiting gate:done use:blocked');
    walk.decide({ block: 'src', decision: 'reject', action: 'abort', attempt: 2 });
    expect(walk.statuses).toBe('src:failed gate:done use:running');
    expect(inputOf(walk, 'use')).toEqual(['sha256:v1', 'sha256:aa']);
  });

  test('is what fails the run where it never gets what it needs', () => {
    const walk = new Walker(
      plan([block('src', { ...onDemand, maxRetries: 0 }), block('use', { needs: ['src'] })]),
    );
    walk.trigger('src');
    walk.finish('src', failed());
    expect(walk.state).toMatchObject({ status: 'failed' });
    expect(walk.state.reason).toContain('Block "src" failed');
    expect(walk.refusal(triggerOf('src')).code).toBe('RUN_ENDED');
    walk.send({ type: 'retry-block', block: 'src', by: 'rob' });
    expect(walk.statuses).toBe('src:running use:blocked');
  });
});

describe('a daemon without a trigger', () => {
  test('runs again whenever something it depends on was done again', () => {
    const walk = new Walker(
      plan([block('src', daemon), block('mirror', { needs: ['src'], lifecycle: 'daemon' }), block('main')]),
    );
    walk.trigger('src');
    walk.trigger('src');
    walk.finish('src', succeeded('v1'));
    // The one that reads goes first: else it would never have its turn.
    expect(walk.statuses).toBe('src:pending mirror:running main:running');
    expect(inputOf(walk, 'mirror')).toEqual(['sha256:v1']);
    walk.finish('mirror');
    expect(walk.statuses).toBe('src:running mirror:done main:running');
    walk.finish('src', succeeded('v2'));
    expect(inputOf(walk, 'mirror')).toEqual(['sha256:v2']);
    walk.finish('mirror');
    expect(walk.statuses).toBe('src:done mirror:done main:running');
  });
});

test('a daemon without a trigger that was turned away at its gate waits for new inputs', () => {
  const mirror = block('mirror', { needs: ['src'], lifecycle: 'daemon', before: gate() });
  const walk = new Walker(plan([block('src', daemon), mirror, block('main')]));
  walk.trigger('src');
  walk.finish('src', succeeded('v1'));
  walk.decide({ block: 'mirror', decision: 'reject', action: 'abort' });
  expect(walk.status('mirror')).toBe('failed');
  walk.trigger('src');
  walk.finish('src', succeeded('v2'));
  expect(walk.statuses).toBe('src:done mirror:waiting main:running');
});

describe('the end of a run', () => {
  test('waits for what still runs, starts nothing new, and says what it dropped', () => {
    const walk = new Walker(plan([block('main'), block('d', daemon)]));
    walk.trigger('d');
    walk.trigger('d');
    walk.finish('main');
    expect(walk.state.status).toBe('running');
    expect(walk.refusal(triggerOf('d')).message).toContain('ending');
    walk.finish('d', failed());
    expect(walk.state.status).toBe('completed');
    expect(walk.started).toEqual(['main#1', 'd#1']);
    expect(walk.block('d').warnings).toEqual(['1 kept trigger was dropped: the run ended']);
  });

  test('closes the gates of blocks that it does not wait for', () => {
    const walk = new Walker(
      plan([block('main'), block('d', { ...daemon, after: gate({ timeoutMs: 1000 }) })]),
    );
    walk.trigger('d');
    walk.finish('d');
    expect(walk.status('d')).toBe('waiting');
    walk.finish('main');
    expect(walk.state.status).toBe('completed');
    expect(walk.lastGate.outcome).toMatchObject({ decision: 'cancelled', by: 'the end of the run' });
    expect(walk.effects).toEqual([{ type: 'stop-gate-timer', block: 'd', gate: 'after', attempt: 1 }]);
  });

  test('does not come by itself where no block runs once', () => {
    const walk = new Walker(plan([block('d', { ...daemon, maxRetries: 0 })]));
    expect(walk.state.status).toBe('running');
    walk.trigger('d');
    walk.finish('d', failed());
    expect(walk.state.status).toBe('running');
    walk.trigger('d');
    walk.send({ type: 'cancel', by: 'carl' });
    walk.finish('d', failed('cancelled'));
    expect(walk.state.status).toBe('cancelled');
  });

  test('is not put off by the retry of a block that the run does not wait for', () => {
    const walk = new Walker(
      plan([block('main', { maxRetries: 0 }), block('d', { ...daemon, maxRetries: 0 })]),
    );
    walk.trigger('d');
    walk.finish('d', failed());
    walk.finish('main', failed());
    expect(walk.state.status).toBe('failed');
    expect(walk.refusal({ type: 'retry-block', block: 'd', by: 'rob' }).code).toBe('RUN_ENDED');
    walk.send({ type: 'retry-block', block: 'main', by: 'rob' });
    walk.trigger('d');
    expect(walk.statuses).toBe('main:running d:running');
  });
});
