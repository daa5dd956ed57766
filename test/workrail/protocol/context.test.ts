import { describe, expect, it } from '@jest/globals';
import { desk, errorOf, eventsOf, eventsOfKind } from './protocols';

const SECRET = 'a-value-that-nobody-else-would-write';
const large = { blob: 'x'.repeat(256 * 1024) };

describe('a context', () => {
  it('[context-durable] is kept with the run, whole, and each delta is laid over it', async () => {
    const at = await desk();
    const first = await at.agent.start({ context: { ticket: 7, list: [1, 2], drop: true } });
    await at.agent.next(first, { context: { list: [3], drop: null, added: { a: null } } });
    const set = await eventsOfKind(at, first, 'context_set');
    expect(set.map(({ data }) => [data.source, data.context])).toEqual([
      ['initial', { ticket: 7, list: [1, 2], drop: true }],
      ['merge', { ticket: 7, list: [3], added: { a: null } }],
    ]);
    expect(set.map(({ scope }) => Object.keys(scope))).toEqual([['runId'], ['runId']]);
  });

  it('[context-durable] is not asked for again: without a delta nothing is set', async () => {
    const at = await desk();
    const first = await at.agent.start({ context: { ticket: 7 } });
    await at.agent.next(await at.agent.next(first), { context: {} });
    expect(await eventsOfKind(at, first, 'context_set')).toHaveLength(1);
  });

  it('[context-no-echo] comes back in no answer', async () => {
    const at = await desk();
    const given = { context: { key: SECRET } };
    const first = await at.agent.start(given);
    const second = await at.agent.next(first, { context: { other: SECRET } });
    const again = await at.agent.read(second);
    const resumed = await at.agent.call('resume_session', {});
    expect(JSON.stringify([first, second, again, resumed])).not.toContain(SECRET);
    expect(JSON.stringify(await eventsOf(at, first))).toContain(SECRET);
  });

  it('[error-budget-details] that is too large is refused with its size, the limit, how it is measured and what to do', async () => {
    const at = await desk();
    const started = await at.agent.call('start_workflow', { workflowId: 'user.sample', context: large });
    const measured = JSON.stringify(large).length;
    expect(errorOf(started)).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { measuredBytes: measured, maxBytes: 262_144 },
    });
    expect(String(errorOf(started).details?.method)).toContain('RFC 8785');
    expect(errorOf(started).suggestion).toContain('references');
  });

  it('[error-budget-details] that grows too large by a delta is refused, and nothing of the call is recorded', async () => {
    const at = await desk();
    const half = 'y'.repeat(200 * 1024);
    const first = await at.agent.start({ context: { half } });
    const before = (await eventsOf(at, first)).length;
    const refused = errorOf(await at.agent.tryNext(first, { context: { more: half } }));
    expect(refused.details).toMatchObject({ measuredBytes: JSON.stringify({ half, more: half }).length });
    expect(await eventsOf(at, first)).toHaveLength(before);
    expect((await at.agent.next(first, { context: { half: null, more: half } })).pending?.stepId).toBe('two');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('with the key %s is refused', async (key) => {
    const at = await desk();
    const context = JSON.parse(`{"${key}": 1}`) as Record<string, unknown>;
    const first = await at.agent.start();
    const input = { stateToken: first.stateToken, ackToken: first.ackToken ?? '', context };
    const refused = errorOf(await at.protocol.continue_workflow(input));
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', details: { key } });
  });

  it('and outputs that no file can hold are refused with their place', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const lone = '\ud800';
    const notes = await at.agent.tryNext(first, { output: { notesMarkdown: lone } });
    const context = await at.agent.tryNext(first, { context: { a: [lone] } });
    expect([notes, context].map((one) => errorOf(one).details?.pointer)).toEqual([
      '/output/notesMarkdown',
      '/a/0',
    ]);
  });
});
