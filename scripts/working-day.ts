/**
 * `npm run working-day`: a day at the yard, over HTTP only. It starts a service on a data directory of its own and then
 * plays everybody: the owner makes keys for an operator, three approvers and an agent; the operator starts a run and
 * watches it live; the approvers find their gates in the inbox, one sends the draft back, one overrides a missed
 * threshold; another system fires a webhook; a nightly run is scheduled and three nights are made up for; a run is
 * cancelled; artifacts are fetched. Whatever is not as it should be ends it with exit code 1.
 */
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WaitingGate } from '../api/inbox/waiting-gate';
import { type RunView } from '../api/run-view';
import { readEndpoint } from '../src/home';
import { exitOf, interruption, ownEnvironment, say, start, untilUp } from './own-service';
import { expect, Person, watch } from './day-people';
import { dayTemplate } from './day-template';

const WITHIN_MS = 60_000;

async function main(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-day-'));
  const up = start(['up', '--port', '0'], await ownEnvironment(home));
  try {
    await untilUp(home, up, interruption());
    const endpoint = await readEndpoint(home);
    if (!endpoint) throw new Error('The service is not there.');
    await day(new Person('owner', endpoint.url, endpoint.key));
    say('\nThe day is over; everything was as it should be.');
  } finally {
    up.kill('SIGINT');
    await exitOf(up);
    await rm(home, { recursive: true, force: true });
  }
}

async function day(owner: Person): Promise<void> {
  say('\nMorning: keys for everybody');
  const olga = await hire(owner, 'olga', 'operator');
  const [ed, pia, tom] = [
    await hire(owner, 'ed', 'editor'),
    await hire(owner, 'pia', 'product_lead'),
    await hire(owner, 'tom', 'tech_lead'),
  ];
  const agent = await hire(owner, 'robin', 'agent');
  expect(await agent.refused('POST', '/factory-run', { template: dayTemplate() }), 'FORBIDDEN');

  say('\nThe operator starts a run and watches it');
  const parameters = { topic: 'night trains' };
  const { run_id: run } = await olga.post<{ run_id: string }>(
    '/factory-run',
    { template: dayTemplate(), parameters },
    { 'idempotency-key': 'monday' },
  );
  const again = await olga.post<{ run_id: string }>(
    '/factory-run',
    { template: dayTemplate(), parameters },
    { 'idempotency-key': 'monday' },
  );
  expect(again.run_id, run);
  const live = watch(olga, run);

  say('\nThe editor sends the draft back, then takes it');
  const first = await inbox(ed, run, 'draft');
  expect(await pia.refused('POST', `/factory-run/${run}/gate/draft/approve`, as(pia)), 'GATE_ROLE_REFUSED');
  const decide = `/factory-run/${run}/gate/draft`;
  await ed.post(`${decide}/reject`, { ...as(ed), ...seen(first), feedback: 'Say who rides them.' });
  const second = await inbox(ed, run, 'draft', 2);
  expect(second.preview.includes('Say who rides them.'), true);
  expect(await ed.refused('POST', `${decide}/approve`, { ...as(ed), ...seen(first) }), 'GATE_ATTEMPT_STALE');
  await ed.post(`${decide}/approve`, { ...as(ed), ...seen(second) });

  say('\nThe count misses its threshold; the product lead overrides it');
  await until(olga, run, ({ blocks }) => stateOf(blocks, 'count') === 'failed');
  await pia.post(`/factory-run/${run}/gate/count/approve`, {
    ...as(pia),
    override: true,
    justification: 'A short piece is what was asked for.',
  });

  say('\nAnother system fires the webhook of the last block');
  await inbox(tom, run, 'page');
  await tom.post(`/factory-run/${run}/gate/page/approve`, as(tom));
  await fireWebhook(olga, run);
  await until(olga, run, ({ status }) => status === 'completed');

  say('\nWhat the stream said is what is read now');
  const view = await olga.get<RunView>(`/factory-run/${run}`);
  expect(JSON.stringify(await live), JSON.stringify(view));

  say('\nArtifacts are fetched, and are what their digests say');
  for (const { id, artifacts } of view.blocks) {
    for (const { key, digest } of artifacts) {
      const bytes = await olga.bytes(`/factory-run/${run}/artifact/${id}/${key}`);
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, digest);
      say(`  ${id}/${key}: ${bytes.length} bytes`);
    }
  }

  say('\nA nightly run, and three nights that were missed');
  await schedule(olga);

  say('\nAfternoon: a run that nobody wants any more');
  const unwanted = await olga.post<{ run_id: string }>('/factory-run', {
    template: dayTemplate(),
    parameters,
  });
  await inbox(ed, unwanted.run_id, 'draft');
  await olga.post(`/factory-run/${unwanted.run_id}/cancel`, { reason: 'Started by mistake.' });
  await until(olga, unwanted.run_id, ({ status }) => status === 'cancelled');
}

async function hire(owner: Person, name: string, role: string): Promise<Person> {
  const { key } = await owner.post<{ key: string }>('/key', { name: `${name}@example.org`, roles: [role] });
  say(`  ${name}: ${role}`);
  return new Person(name, owner.url, key, role);
}

const as = ({ name, role }: Person): object => ({ approver: `${name}@example.org`, role });

interface Waiting {
  readonly attempt: number;
  readonly digests: readonly string[];
  readonly preview: string;
}

const seen = ({ attempt, digests }: Waiting): object => ({ attempt, digests });

/** Wait until a gate is in somebody's inbox. */
async function inbox(person: Person, run: string, block: string, attempt = 1): Promise<Waiting> {
  const gate = await person.find(async () => {
    const { gates } = await person.get<{ gates: WaitingGate[] }>(`/gate?role=${person.role}&run=${run}`);
    return gates.find((one) => one.block === block && one.attempt === attempt);
  }, WITHIN_MS);
  say(`  ${person.name}'s inbox: ${run} waits at ${block}, attempt ${gate.attempt}`);
  return {
    attempt: gate.attempt,
    digests: gate.digests,
    preview: gate.outputs.map(({ preview }) => preview?.text ?? '').join('\n'),
  };
}

const stateOf = (blocks: RunView['blocks'], id: string): string | undefined =>
  blocks.find((block) => block.id === id)?.status;

async function until(person: Person, run: string, is: (view: RunView) => boolean): Promise<RunView> {
  return person.find(async () => {
    const view = await person.get<RunView>(`/factory-run/${run}`);
    return is(view) ? view : undefined;
  }, WITHIN_MS);
}

async function fireWebhook(olga: Person, run: string): Promise<void> {
  const { webhooks } = await olga.get<{ webhooks: { url: string; path: string; secret: string }[] }>(
    `/factory-run/${run}/webhooks`,
  );
  const [hook] = webhooks;
  if (!hook) throw new Error('The run has no webhook.');
  const at = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ channel: 'newsletter' });
  const signed = createHmac('sha256', hook.secret).update(`${at}.${run}.${hook.path}.${body}`).digest('hex');
  const call = (signature: string) =>
    fetch(new URL(`/api/a360/factory-run/${run}/webhook${hook.path}`, olga.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'railyard-timestamp': at,
        'railyard-signature': `v1=${signature}`,
      },
      body,
    });
  expect((await call('0'.repeat(64))).status, 401);
  expect((await call(signed)).status, 200);
  expect((await call(signed)).status, 409);
}

async function schedule(olga: Person): Promise<void> {
  await olga.post('/schedule', {
    name: 'nightly',
    template: dayTemplate({ gates: false }),
    parameters: { topic: 'news of {{scheduled_date}}' },
    cron: '0 2 * * *',
    time_zone: 'Europe/Berlin',
  });
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const range = { from: day(3), to: day(1) };
  interface Ticks {
    readonly ticks: readonly { readonly run_id: string }[];
  }
  const preview = await olga.get<Ticks>(`/schedule/nightly/backfill?from=${range.from}&to=${range.to}`);
  expect(preview.ticks.length, 3);
  const filled = await olga.post<Ticks>('/schedule/nightly/backfill', range);
  expect(
    JSON.stringify(filled.ticks.map(({ run_id }) => run_id)),
    JSON.stringify(preview.ticks.map(({ run_id }) => run_id)),
  );
  for (const { run_id } of filled.ticks) {
    await olga.find(async () => {
      const { runs } = await olga.get<{ runs: { run_id: string; status: string }[] }>(
        '/factory-run?limit=50',
      );
      return runs.find((one) => one.run_id === run_id && one.status === 'completed');
    }, 2 * WITHIN_MS);
    say(`  ${run_id} is completed`);
  }
  await olga.post('/schedule/nightly/pause', { reason: 'The day is over.' });
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
