/** Runs that go on with a real worker: elsewhere, after each of their events; and where they are, when their driver is gone. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ok } from 'neverthrow';
import { type AttemptEnd } from '../../activities';
import { hasMoved, noteMoved } from '../../src/home';
import { exportFrom, findSession, importInto } from '../../src/moving';
import { openStoreOf, type HomeStore } from '../../src/workrail/local';
import { type Session } from '../../src/workrail/ports';
import { unwrap } from '../workrail/local/fixtures';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const storeOf = async ({ home }: Yard): Promise<HomeStore> => unwrap(await openStoreOf(home));

/** A session as it was when so many of its manifest's records were written. */
const earlier = (session: Session, records: number): Session => {
  const manifest = session.manifest().slice(0, records);
  const last = manifest.findLast((record) => record.kind === 'segment_closed');
  const events = session.events().slice(0, last ? last.lastEventIndex + 1 : 0);
  return {
    sessionId: session.sessionId,
    eventCount: events.length,
    events: (from = 0) => events.slice(from),
    manifest: (from = 0) => manifest.slice(from),
    find: (key) => events.find(({ dedupeKey }) => dedupeKey === key),
    project: (projection) => session.project(projection),
  };
};

/** The bundle of a run, or of what it was earlier. */
async function bundleOf(store: HomeStore, run: string, at: Yard, session?: Session): Promise<string> {
  const found = unwrap(await findSession(at.home, store.sessions, run));
  const loadValidatedPrefix = () => Promise.resolve(ok({ session, health: 'healthy', reason: null }));
  // Only this one method is asked.
  const then = { ...store, sessions: { loadValidatedPrefix } } as unknown as HomeStore;
  let text = '';
  const how = { artifacts: 'embedded' as const, appVersion: '0', nowMs: 0 };
  const write = (piece: string): Promise<void> => {
    text += piece;
    return Promise.resolve();
  };
  unwrap(await exportFrom(session ? then : store, found, how, write));
  return text;
}

async function bring(to: Yard, bundle: string): Promise<void> {
  const ground = {
    home: to.home,
    store: await storeOf(to),
    claim: (run: string, workspace: string) => to.runs.claim(run, workspace),
  };
  async function* source(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new TextEncoder().encode(bundle));
  }
  unwrap(await importInto(ground, source, null));
}

const resume = async (at: Yard, run: string, takeOver = false) =>
  (await at.runs.resume(run, { by: 'olga', takeOver })).match(
    (answer) => answer.kind,
    ({ code }) => code,
  );

const ending = (at: Yard, run: string): Promise<unknown> =>
  at.client.workflow
    .getHandle(run)
    .result()
    .catch((error: unknown) => error);

/** Approve what is open until the run is over. */
async function finish(at: Yard, run: string): Promise<ReadonlyMap<string, string>> {
  for (;;) {
    const view = await at.until(
      run,
      ({ status, gates }) => status === 'completed' || gates.some(({ outcome }) => outcome === null),
    );
    const files = view.blocks.flatMap(({ id, artifacts }) =>
      artifacts.map(({ key, digest }) => [`${id}/${key}`, digest] as const),
    );
    if (view.status === 'completed') return new Map(files);
    for (const { block } of view.gates.filter(({ outcome }) => outcome === null)) await at.decide(run, block);
  }
}

describe('a run that is exported after each of its events and finished elsewhere', () => {
  it('comes to the same artifacts, and executes nothing again that was done', async () => {
    const template = factory(
      [
        scripted('a', { script: [{ fail: 'no luck' }, { text: 'one' }], execution: { max_retries: 2 } }),
        scripted('b', { needs: ['a'], script: [{ text: 'two' }, { text: 'two, shorter' }] }),
        scripted('c', { needs: ['b'], script: [{ text: 'three' }] }),
      ],
      { human_gates: [gateAfter('b'), gateBefore('c')] },
    );
    const run = await yard.start(template);
    await yard.untilBlock(run, 'b', 'waiting');
    expect(await yard.decide(run, 'b', { decision: 'reject', feedback: 'Shorter.' })).toBe('decided');
    await yard.until(run, ({ gates }) => gates.some(({ attempt, outcome }) => attempt === 2 && !outcome));
    const files = await finish(yard, run);
    await ending(yard, run);
    expect(files.size).toBe(3);

    const store = await storeOf(yard);
    const session = unwrap(
      await store.sessions.load(unwrap(await findSession(yard.home, store.sessions, run)).sessionId),
    );
    const records = session.manifest();
    const ends = records.flatMap(({ kind }, place) => (kind === 'segment_closed' ? [place + 1] : []));
    // A segment's pins follow it.
    const points = ends.map((_end, place) => (ends[place + 1] ?? records.length + 1) - 1);
    expect(points.length).toBeGreaterThan(6);
    for (const point of points) {
      const executed: AttemptEnd[] = [];
      const there = await Yard.open({ onAttempt: (end) => executed.push(end) });
      try {
        await bring(there, await bundleOf(store, run, yard, earlier(session, point)));
        const before = unwrap(await there.ledger.standing(run)).state;
        const audited = unwrap(await there.ledger.audit(run));
        if (before.status === 'completed') {
          expect(await resume(there, run)).toBe('RUN_ENDED');
        } else {
          expect((await there.view(run)).orphaned).toBe(true);
          expect(await resume(there, run)).toBe('run');
        }
        const elsewhere = await finish(there, run);
        await ending(there, run);
        // What was not rejected yet there keeps the first text of b, and c is of its inputs' making.
        const rejected = audited.decisions.some(({ said }) => said === 'reject');
        if (rejected) expect(elsewhere).toEqual(files);
        expect(elsewhere.get('a/out')).toBe(files.get('a/out'));
        const ended = audited.attempts.flatMap(({ block, attempt, end }) =>
          end ? [`${block}.${attempt}`] : [],
        );
        const after = unwrap(await there.ledger.audit(run));
        expect(executed.length).toBe(after.attempts.length - ended.length);
        // Attempts and what people said came along.
        expect(after.attempts.slice(0, ended.length).map(({ end }) => end)).toEqual(
          audited.attempts.slice(0, ended.length).map(({ end }) => end),
        );
        expect(after.decisions.slice(0, audited.decisions.length)).toEqual(audited.decisions);
        for (const { artifacts } of (await there.view(run)).blocks) {
          for (const { path } of artifacts) expect(await readFile(path, 'utf8')).not.toBe('');
        }
      } finally {
        await there.close();
      }
    }
  });
});

describe('a workflow whose run somebody else drives', () => {
  const gated = factory([scripted('a', { script: [{ text: 'x' }] }), scripted('b', { needs: ['a'] })], {
    human_gates: [gateAfter('a')],
  });
  const waiting = async (): Promise<string> => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'a', 'waiting');
    return run;
  };

  it('is refused with SUPERSEDED and ends; the run is resumed and goes on', async () => {
    const run = await waiting();
    const driver = { workflowId: 'elsewhere', by: 'pam', restartDeadlines: false };
    unwrap(await yard.ledger.takeOver(run, driver));
    expect(await yard.decide(run, 'a')).toBe('SUPERSEDED');
    expect(await ending(yard, run)).toMatchObject({ cause: { type: 'Superseded' } });
    expect(unwrap(await yard.ledger.standing(run)).state.blocks.a?.status).toBe('waiting');
    expect(await resume(yard, run)).toBe('run');
    await finish(yard, run);
    expect(unwrap(await yard.ledger.audit(run)).drivers.map(({ epoch, by }) => [epoch, by])).toEqual([
      [1, 'sam'],
      [2, 'pam'],
      [3, 'olga'],
    ]);
  });

  it('is found out by a resume, ended, and followed by another', async () => {
    const run = await waiting();
    unwrap(await yard.ledger.takeOver(run, { workflowId: 'elsewhere', by: 'pam', restartDeadlines: false }));
    expect(await resume(yard, run)).toBe('run');
    await finish(yard, run);
  });

  it('ends when its run is taken over although it lives', async () => {
    const run = await waiting();
    const { runId } = await yard.client.workflow.getHandle(run).describe();
    expect(await resume(yard, run, true)).toBe('run');
    const before = await yard.client.workflow.getHandle(run, runId).describe();
    expect(before.status.name).not.toBe('RUNNING');
    await finish(yard, run);
  });

  it('ends when the run is fenced, with the skill it runs; a moved run is not resumed by mistake', async () => {
    const go = yard.home.path('go-fenced');
    const run = await yard.start(factory([scripted('a', { script: [{ until: go }] })]));
    await yard.untilBlock(run, 'a', 'running');
    expect(unwrap(await yard.runs.fence(run, 'olga'))).toEqual({ epoch: 2, fenced: true });
    expect((await yard.client.workflow.getHandle(run).describe()).status.name).toBe('FAILED');
    expect((await yard.view(run)).orphaned).toBe(true);
    await noteMoved(yard.home, run, new Date());
    expect(await resume(yard, run)).toBe('RUN_MOVED');
    await writeFile(go, '');
    expect(await resume(yard, run, true)).toBe('run');
    await finish(yard, run);
    expect(hasMoved(yard.home, run)).toBe(false);
  });

  it('is left alone by a copy in another data directory, until the run is moved from there', async () => {
    const run = await waiting();
    const there = await Yard.open();
    try {
      await bring(there, await bundleOf(await storeOf(yard), run, yard));
      expect((await there.view(run)).orphaned).toBe(true);
      expect(await there.decide(run, 'a')).toBe('RUN_ORPHANED');
      expect(await resume(there, run)).toBe('RUN_EXISTS');
      expect((await yard.view(run)).orphaned).toBe(false);
      unwrap(await yard.runs.fence(run, 'sam'));
      await bring(there, await bundleOf(await storeOf(yard), run, yard));
      expect(await resume(there, run)).toBe('run');
      await finish(there, run);
      await ending(there, run);
      expect(unwrap(await yard.ledger.standing(run)).state.status).toBe('running');
    } finally {
      await there.close();
    }
  });

  it('is resumed as a live one while it is the driver', async () => {
    const run = await waiting();
    expect(await yard.control(run, { type: 'pause', by: 'sam' })).toBeNull();
    expect(await resume(yard, run)).toBe('run');
    expect(unwrap(await yard.ledger.standing(run)).epoch).toBe(1);
    await finish(yard, run);
    expect(await resume(yard, run)).toBe('RUN_ENDED');
    expect(await resume(yard, run, true)).toBe('RUN_ENDED');
  });
});
