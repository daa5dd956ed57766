import { describe, expect, test } from '@jest/globals';
import type { PlannedTrigger } from '../../../src/factory/plan';
import { waitingFor } from '../../../src/factory/walk';
import { attemptInput } from '../../../src/factory/walk/attempt-input';
import { refusedTrigger } from '../../../src/factory/walk/trigger-requests';
import { block, failed, gate, plan, triggerOf, Walker } from './fixtures';

const manual: PlannedTrigger = { type: 'manual' };
const event = (name: string, filters: Record<string, string> = {}): PlannedTrigger => ({
  type: 'event',
  name,
  filters,
});
const cron: PlannedTrigger = { type: 'cron', cron: '*/10 * * * *' };

const why = (walk: Walker, id: string) => waitingFor(walk.plan, walk.state, id);

describe('a block with a manual trigger', () => {
  const pair = () => new Walker(plan([block('a', { trigger: manual }), block('b', { needs: ['a'] })]));

  test('waits for it, and then runs with its payload', () => {
    const walk = pair();
    expect(walk.statuses).toBe('a:pending b:blocked');
    expect(walk.state.status).toBe('running');
    expect(why(walk, 'a')).toBe('waits for somebody to trigger it');
    expect(walk.trigger('a', { n: 1 })).toEqual({
      kind: 'trigger',
      result: 'triggered',
      triggered: ['a'],
      kept: [],
    });
    expect(walk.status('a')).toBe('running');
    expect(attemptInput(walk.plan, walk.state, 'r', 'a').trigger).toEqual({
      type: 'manual',
      payload: { n: 1 },
    });
  });

  test('gives its retries the same trigger, and forgets the payload when it is done', () => {
    const walk = pair();
    walk.trigger('a', { n: 1 });
    walk.finish('a', failed());
    expect(attemptInput(walk.plan, walk.state, 'r', 'a').trigger).toMatchObject({ payload: { n: 1 } });
    walk.finish('a');
    expect(walk.block('a').trigger).toMatchObject({ type: 'manual', by: 'tom', payload: null });
    walk.finish('b');
    expect(walk.state.status).toBe('completed');
  });

  test('takes the same trigger once, and no other one after it', () => {
    const walk = pair();
    const first = walk.trigger('a', null, 'key');
    expect(walk.trigger('a', null, 'key')).toEqual(first);
    expect(walk.trigger('a')).toMatchObject({ kind: 'ignored' });
    expect(walk.started).toEqual(['a#1']);
    walk.finish('a');
    expect(walk.trigger('a', null, 'key')).toEqual(first);
    expect(walk.refusal(triggerOf('b', null, 'x')).code).toBe('INPUT_INVALID');
  });

  test('keeps one that comes before its dependencies are done', () => {
    const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], trigger: manual })]));
    expect(walk.trigger('a', 'early')).toMatchObject({ result: 'kept', kept: ['a'] });
    expect(walk.statuses).toBe('up:running a:blocked');
    walk.finish('up');
    expect(walk.status('a')).toBe('running');
  });

  test('waits for its trigger first and for its gate before then', () => {
    const walk = new Walker(plan([block('a', { trigger: manual, before: gate() })]));
    expect(walk.state.gates).toEqual([]);
    walk.trigger('a', null, 'go');
    expect(walk.status('a')).toBe('waiting');
    walk.decide();
    expect(walk.status('a')).toBe('running');
    expect(walk.lastGate.outcome?.evidence).toEqual(['trigger=manual go']);
  });

  test('starts at the end of a pause', () => {
    const walk = pair();
    walk.send({ type: 'pause', by: 'pia' });
    expect(walk.state.status).toBe('paused');
    walk.trigger('a');
    expect(walk.status('a')).toBe('pending');
    walk.send({ type: 'resume', by: 'pia' });
    expect(walk.status('a')).toBe('running');
  });
});

describe('a trigger is refused', () => {
  const walk = new Walker(
    plan([
      block('hook', { trigger: { type: 'webhook', path: '/in' } }),
      block('news', { trigger: event('news') }),
      block('plain'),
      block('hand', { trigger: manual }),
    ]),
  );
  test.each([
    ['hook', 'INPUT_INVALID', 'signed POST'],
    ['news', 'INPUT_INVALID', 'Send the event'],
    ['plain', 'INPUT_INVALID', 'Nothing to do'],
    ['nobody', 'BLOCK_NOT_FOUND', 'block ids'],
  ])('for %s', (id, code, suggestion) => {
    const refused = walk.refusal(triggerOf(id));
    expect(refused.code).toBe(code);
    expect(refused.suggestion).toContain(suggestion);
  });

  test('with another type than that of its block', () => {
    const request = {
      type: 'trigger',
      block: 'hook',
      via: 'webhook',
      id: 'w',
      by: 'hook',
      payload: 1,
    } as const;
    expect(refusedTrigger(walk.plan, request)).toBeNull();
    expect(walk.send(request)).toMatchObject({ result: 'triggered' });
    expect(why(walk, 'hook')).toBeNull();
  });

  test('with more than 64 KB, with no id, and with an id that belongs to another', () => {
    const large = triggerOf('hand', 'ä'.repeat(32_768));
    expect(walk.refusal(large).code).toBe('BODY_TOO_LARGE');
    expect(walk.refusal(triggerOf('hand', null, '')).code).toBe('INPUT_INVALID');
    expect(walk.refusal(triggerOf('hand', null, 'w')).code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('when the run is over', () => {
    const over = new Walker(plan([block('a', { trigger: manual })]));
    over.send({ type: 'cancel', by: 'carl' });
    expect(over.state.status).toBe('cancelled');
    expect(over.refusal(triggerOf('a')).code).toBe('RUN_ENDED');
  });
});

describe('an event', () => {
  const factory = () =>
    new Walker(
      plan([
        block('up'),
        block('any', { trigger: event('saved') }),
        block('final', { trigger: event('saved', { status: 'final', 'by.level': '3' }) }),
        block('later', { needs: ['up'], trigger: event('saved') }),
        block('other', { trigger: event('lost') }),
      ]),
    );

  test('sets off every block that waits for it, and is kept for those that cannot start yet', () => {
    const walk = factory();
    expect(walk.event('saved', { status: 'final', by: { level: 3 } })).toEqual({
      kind: 'trigger',
      result: 'triggered',
      triggered: ['any', 'final'],
      kept: ['later'],
    });
    walk.finish('up');
    expect(walk.statuses).toBe('up:done any:running final:running later:running other:pending');
    expect(why(walk, 'other')).toBe('waits for the event lost');
  });

  test.each([
    ['another value', { status: 'draft', by: { level: 3 } }],
    ['no value', { status: 'final' }],
    ['an object for a value', { status: 'final', by: { level: { n: 3 } } }],
    ['an inherited name', { status: 'final', by: 'x' }],
    ['no object', 'final'],
  ])('with %s does not pass the filters', (_, payload) => {
    const walk = factory();
    expect(walk.event('saved', payload)).toMatchObject({ triggered: ['any'] });
    expect(why(walk, 'final')).toBe('waits for the event saved(status=final, by.level=3)');
  });

  test('that nobody waits for says so, also when those who did have theirs', () => {
    const walk = factory();
    expect(walk.event('unheard')).toEqual({
      kind: 'trigger',
      result: 'no-listener',
      triggered: [],
      kept: [],
    });
    walk.event('lost');
    expect(walk.event('lost')).toMatchObject({ result: 'no-listener' });
  });

  test('with the same id is the same event', () => {
    const walk = factory();
    const first = walk.event('lost', null, 'one');
    expect(walk.event('lost', null, 'one')).toEqual(first);
    expect(walk.refusal({ type: 'event', name: 'saved', id: 'one', by: 'eve', payload: null }).code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
  });
});

describe('a block with a clock', () => {
  test('waits for the first tick after it could start', () => {
    const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], trigger: cron })]));
    expect(walk.effects.map(({ type }) => type)).toEqual(['start-attempt']);
    walk.finish('up');
    const due = '2026-01-01T12:10:00.000Z';
    expect(walk.effects).toEqual([{ type: 'start-tick-timer', block: 'a', due, afterMs: 599_000 }]);
    expect(why(walk, 'a')).toBe(`waits for the next tick of */10 * * * *, at ${due}`);
    expect(walk.send({ type: 'tick', block: 'a', due: '2026-01-01T12:00:00.000Z' })).toMatchObject({
      kind: 'ignored',
    });
    expect(walk.send({ type: 'tick', block: 'a', due })).toMatchObject({ result: 'triggered' });
    expect(attemptInput(walk.plan, walk.state, 'r', 'a').trigger).toEqual({
      type: 'cron',
      payload: { scheduled_time: due },
    });
    walk.finish('a');
    expect(walk.state.status).toBe('completed');
  });

  test('of a run that had failed is wound up again when the run goes on', () => {
    const walk = new Walker(
      plan([block('a', { maxRetries: 0 }), block('c', { trigger: cron, lifecycle: 'daemon' })]),
    );
    const due = walk.block('c').tick ?? '';
    walk.finish('a', failed());
    expect(walk.state.status).toBe('failed');
    walk.send({ type: 'tick', block: 'c', due });
    expect(walk.block('c').tick).toBeNull();
    walk.send({ type: 'retry-block', block: 'a', by: 'rob' });
    expect(walk.block('c').tick).toBe('2026-01-01T12:10:00.000Z');
    expect(walk.effects.map(({ type }) => type)).toContain('start-tick-timer');
  });
});

describe('a scope gate', () => {
  test('opens when every one-shot block with a lower number is done', () => {
    const walk = new Walker(
      plan([
        block('late', { scopeGate: 3 }),
        block('one', { scopeGate: 1 }),
        block('two', { scopeGate: 2 }),
        block('also-one', { scopeGate: 1 }),
        block('free'),
        block('asked', { scopeGate: 1, trigger: manual, lifecycle: 'on-demand' }),
      ]),
    );
    const seen = () => walk.statuses.replace(/ free.*/, '');
    expect(seen()).toBe('late:blocked one:running two:blocked also-one:running');
    expect(why(walk, 'two')).toBe('waits at scope gate 2 for one, also-one');
    walk.finish('one');
    expect(walk.status('two')).toBe('blocked');
    walk.finish('also-one');
    expect(seen()).toBe('late:blocked one:done two:running also-one:done');
    expect(why(walk, 'late')).toBe('waits at scope gate 3 for two');
    walk.finish('two');
    expect(walk.status('late')).toBe('running');
    expect(walk.status('free')).toBe('running');
  });

  test('stays shut behind a block that failed', () => {
    const walk = new Walker(
      plan([
        block('one', { scopeGate: 1, maxRetries: 0 }),
        block('two', { scopeGate: 2 }),
        block('next', { needs: ['two'] }),
      ]),
    );
    walk.finish('one', failed());
    expect(walk.statuses).toBe('one:failed two:blocked next:blocked');
    expect(walk.state.status).toBe('failed');
    expect([why(walk, 'two'), why(walk, 'next')]).toEqual(['upstream one failed', 'upstream one failed']);
  });
});
