/** Who may decide an open gate, tried with every credential that is not good enough. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FastifyInstance } from 'fastify';
import { storedKeys, tokenRules, tokens } from '../../api/auth';
import { buildServer } from '../../api/server';
import { readConfig } from '../../src/config';
import { createKey, revokeKey } from '../../src/home';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';
import { AUDIENCE, ISSUER, IssuerKey } from './auth-issuer';

const issuer = new IssuerKey('ES256', 'e');
const faults: string[] = [];
let folder: string;
let yard: Yard;
let server: FastifyInstance;
let root: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-signers-'));
  const file = join(folder, 'jwks.json');
  await writeFile(file, JSON.stringify({ keys: [issuer.jwk] }));
  const env = {
    RAILYARD_JWKS_FILE: file,
    RAILYARD_JWT_ISSUER: ISSUER,
    RAILYARD_JWT_AUDIENCE: AUDIENCE,
  };
  const rules = tokenRules(readConfig({ root: folder, env })._unsafeUnwrap().config.tokens);
  if (!rules) throw new Error('There are no rules');
  yard = await Yard.open();
  server = buildServer({
    ...{ key: yard.home.key, runs: yard.runs, log: (line: string) => faults.push(line) },
    callers: [storedKeys(yard.home), tokens(rules)],
    limits: { principal: { perSecond: 1e6, burst: 1e6 }, stranger: { perSecond: 1e6, burst: 1e6 } },
  });
  root = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await yard.close();
  await rm(folder, { recursive: true });
  expect(faults).toEqual([]);
});

async function key(name: string, roles: string[], expires: Date | null = null) {
  return createKey(yard.home, { name, roles, expires });
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const expert = (claims: object = {}): string => issuer.token({ roles: ['expert'], ...claims });

describe.each(['approve', 'reject'])('to %s', (what) => {
  it('takes a person with one of the roles of the gate, as themselves', async () => {
    const template = factory([scripted('a')], {
      human_gates: [gateAfter('a', { approvers: ['expert'] })],
    });
    const run = `signed-${what}`;
    const started = await yard.runs.start({ template, parameters: {}, startedBy: 'oscar', run });
    expect(started.isOk()).toBe(true);
    await yard.untilBlock(run, 'a', 'waiting');
    const decide = async (credential: string | null, body: object): Promise<string> => {
      const answer = await fetch(`${root}/api/a360/factory-run/${run}/gate/a/${what}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        },
        body: JSON.stringify(body),
      });
      const { code, kind } = (await answer.json()) as { code?: string; kind?: string };
      return `${answer.status} ${code ?? kind ?? ''}`;
    };

    const ann = (await key('ann', ['expert', 'viewer'])).key;
    const revoked = await key('ann', ['expert']);
    await revokeKey(yard.home, revoked.record.id);
    const good = { role: 'expert' };
    const refused: [string | null, object, string][] = [
      [null, good, '401 UNAUTHENTICATED'],
      [revoked.key, good, '401 UNAUTHENTICATED'],
      [(await key('ann', ['expert'], new Date(Date.now() - 1))).key, good, '401 UNAUTHENTICATED'],
      [expert({ exp: inSeconds(-60) }), good, '401 UNAUTHENTICATED'],
      [expert({ aud: 'another-service' }), good, '401 UNAUTHENTICATED'],
      [expert({ iss: 'https://elsewhere.example' }), good, '401 UNAUTHENTICATED'],
      [new IssuerKey('ES256', 'e').token({ roles: ['expert'] }), good, '401 UNAUTHENTICATED'],
      // Another's name, and another's role.
      [ann, { ...good, approver: 'oscar' }, '403 FORBIDDEN'],
      [expert(), { ...good, approver: 'ann' }, '403 FORBIDDEN'],
      [ann, { approver: 'ann', role: 'tech_lead' }, '403 FORBIDDEN'],
      [ann, { role: 'viewer' }, '403 FORBIDDEN'],
      // Roles in which nobody decides, one that decides elsewhere, and the person who started the run.
      [(await key('vera', ['viewer'])).key, good, '403 FORBIDDEN'],
      [(await key('olga', ['operator'])).key, good, '403 FORBIDDEN'],
      [(await key('robin', ['agent'])).key, good, '403 FORBIDDEN'],
      [(await key('tess', ['tech_lead'])).key, {}, '403 GATE_ROLE_REFUSED'],
      [(await key('oscar', ['expert'])).key, good, '403 GATE_SELF_APPROVAL'],
    ];
    for (const [credential, body, expected] of refused) {
      const why = JSON.stringify(body);
      // Whoever started a run may well send it back.
      if (what === 'reject' && expected.endsWith('SELF_APPROVAL')) continue;
      expect([why, await decide(credential, body)]).toEqual([why, expected]);
      expect((await yard.block(run, 'a')).status).toBe('waiting');
    }
    const { gates } = await yard.view(run);
    expect(gates.map(({ outcome, votes }) => [outcome, votes])).toEqual([[null, []]]);

    expect(await decide(what === 'approve' ? ann : expert(), good)).toBe('200 decided');
    const decided = await yard.until(run, ({ gates: [gate] }) => gate?.outcome !== null);
    expect(decided.gates[0]?.outcome).toMatchObject({
      ...{ by: what === 'approve' ? 'ann' : 'tom', role: 'expert' },
      decision: what === 'approve' ? 'approved' : 'rejected',
    });
    await yard.runs.control(run, { type: 'cancel', by: 'oscar' });
  });
});
