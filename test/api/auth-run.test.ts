import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FastifyInstance } from 'fastify';
import { storedKeys } from '../../api/auth';
import { buildServer } from '../../api/server';
import { createKey } from '../../src/home';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
let server: FastifyInstance;
let url: string;

beforeAll(async () => {
  yard = await Yard.open();
  const log = (line: string): never => {
    throw new Error(line);
  };
  server = buildServer({ key: yard.home.key, runs: yard.runs, log, callers: [storedKeys(yard.home)] });
  url = `${await server.listen({ host: '127.0.0.1', port: 0 })}/api/a360/factory-run`;
});
afterAll(async () => {
  await server.close();
  await yard.close();
});

/** Somebody with a key of their own. */
async function person(name: string, ...roles: string[]) {
  const { key } = await createKey(yard.home, { name, roles, expires: null });
  return async (path: string, body: unknown, more: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { code?: string; kind?: string };
    return answer.code ?? answer.kind ?? String(response.status);
  };
}

describe('a run among people with keys of their own', () => {
  it('has the names of those who started, approved and paused it, though none of them was sent', async () => {
    const template = factory([scripted('a'), scripted('b', { needs: ['a'] })], {
      human_gates: [gateAfter('a', { approvers: ['expert'] }), gateAfter('b', { approvers: ['tech_lead'] })],
    });
    const oscar = await person('oscar', 'operator', 'expert');
    const ann = await person('ann', 'expert');
    expect(await oscar('', { template, run_id: 'people' })).toBe('201');
    const { started_by } = await yard.untilBlock('people', 'a', 'waiting');
    expect(started_by).toBe('oscar');
    // His role would do, but it is his run; and he cannot be somebody else for a moment.
    expect(await oscar('/people/gate/a/approve', {})).toBe('GATE_SELF_APPROVAL');
    expect(await oscar('/people/gate/a/approve', { approver: 'ann' })).toBe('FORBIDDEN');
    expect(await ann('/people/gate/a/approve', {})).toBe('decided');
    await yard.untilBlock('people', 'b', 'waiting');
    expect(await ann('/people/gate/b/approve', {})).toBe('GATE_ROLE_REFUSED');
    expect(await ann('/people/gate/b/approve', { role: 'tech_lead' })).toBe('FORBIDDEN');
    const tess = await person('tess', 'tech_lead');
    expect(await tess('/people/gate/b/approve', {})).toBe('decided');
    const { gates } = await yard.untilStatus('people', 'completed');
    expect(gates.map(({ outcome }) => [outcome?.by, outcome?.role])).toEqual([
      ['ann', 'expert'],
      ['tess', 'tech_lead'],
    ]);
  });

  it('counts two people who chose the same Idempotency-Key as two', async () => {
    const template = factory([scripted('a')], {
      human_gates: [gateAfter('a', { approvers: ['expert'], quorum: 2 })],
    });
    const olga = await person('olga', 'operator');
    expect(await olga('', { template, run_id: 'same-key' })).toBe('201');
    await yard.untilBlock('same-key', 'a', 'waiting');
    const key = { 'idempotency-key': '1' };
    const [una, ben] = [await person('una', 'expert'), await person('ben', 'expert')];
    expect(await una('/same-key/gate/a/approve', {}, key)).toBe('counted');
    expect(await una('/same-key/gate/a/approve', {}, key)).toBe('counted');
    expect(await ben('/same-key/gate/a/approve', {}, key)).toBe('decided');
    await yard.untilStatus('same-key', 'completed');
  });
});
