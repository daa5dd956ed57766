import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedNames } from '../../../api/metrics/bounded-names';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { until } from '../../cli/railyard';
import { Caller } from '../caller';
import { parse, valueOf, type Sample } from './prometheus-text';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.open();
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

async function scrape(): Promise<Sample[]> {
  const headers = { authorization: `Bearer ${caller.yard.home.key}` };
  const answer = await fetch(`${caller.root}/metrics`, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  return parse(await answer.text());
}

describe('the metrics', () => {
  it('count runs, blocks, gates and attempts as they are, and name no run', async () => {
    const blocks = [scripted('a'), scripted('b', { needs: ['a'] })];
    const run = await caller.yard.start(factory(blocks, { human_gates: [gateAfter('a')] }));
    await caller.yard.untilBlock(run, 'a', 'waiting');
    const at = { factory: 'test' };
    // What was counted a moment ago is shown again.
    await until(async () => valueOf(await scrape(), 'railyard_gates_open', at) === 1);
    const waiting = await scrape();
    expect(valueOf(waiting, 'railyard_runs', { ...at, status: 'running' })).toBe(1);
    expect(valueOf(waiting, 'railyard_blocks', { state: 'waiting' })).toBe(1);
    expect(valueOf(waiting, 'railyard_blocks', { state: 'blocked' })).toBe(1);
    expect(valueOf(waiting, 'railyard_gate_oldest_seconds', at)).toBeGreaterThan(0);
    expect(JSON.stringify(waiting)).not.toContain(run);

    expect(await caller.yard.decide(run, 'a')).toBe('decided');
    await caller.yard.untilStatus(run, 'completed');
    await until(async () => valueOf(await scrape(), 'railyard_runs', { status: 'completed' }) === 1);
    const after = await scrape();
    expect(valueOf(after, 'railyard_runs', { ...at, status: 'running' })).toBeNull();
    expect(valueOf(after, 'railyard_gates_open', at)).toBeNull();
    expect(valueOf(after, 'railyard_attempts_total', { outcome: 'succeeded', type: 'build' })).toBe(2);
    expect(valueOf(after, 'railyard_attempt_duration_seconds_count', { type: 'build' })).toBe(2);
  });

  it('count requests by route, and streams that are open', async () => {
    await caller.call('GET', '/factory-run/nobody');
    await caller.call('DELETE', '/factory-run/nobody');
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${caller.yard.home.key}` };
    const stream = await fetch(`${caller.root}/api/a360/events`, { headers, signal: stop.signal });
    expect(stream.status).toBe(200);
    const samples = await scrape();
    const requests = 'railyard_http_request_duration_seconds_count';
    const route = '/api/a360/factory-run/:run';
    expect(valueOf(samples, requests, { method: 'GET', route, status: '404' })).toBe(1);
    expect(valueOf(samples, requests, { method: 'DELETE', route: 'none', status: '405' })).toBe(1);
    expect(valueOf(samples, 'railyard_event_streams')).toBe(1);
    stop.abort();
    await until(async () => valueOf(await scrape(), 'railyard_event_streams') === 0);
  });
});

it('names beyond the bound share one label', () => {
  const names = new BoundedNames(2);
  expect(['a', 'b', 'c', 'a', 'd'].map((name) => names.label(name))).toEqual([
    'a',
    'b',
    'other',
    'a',
    'other',
  ]);
});
