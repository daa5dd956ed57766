import { describe, expect, it } from '@jest/globals';
import {
  dedupeKeys,
  EventId,
  NodeId,
  OutputId,
  RunId,
  WorkflowHash,
  type AppendPlan,
  type PlannedEvent,
} from '../../../src/workrail/model';
import { temporary } from '../../sandbox/places';
import { CrashFileSystem } from './crash-file-system';
import {
  advance,
  append,
  birth,
  bornStore,
  codeOf,
  eventId,
  HASH,
  nodeId,
  note,
  openStore,
  refOf,
  RUN,
  SESSION,
  snapshot,
  unwrap,
  workflow,
} from './fixtures';

const ROOT = '/data';
const plan = (first: PlannedEvent, ...events: PlannedEvent[]): AppendPlan => ({
  events: [first, ...events],
  snapshots: [],
});
/** Change one event of a plan. */
const changed = (
  { events, snapshots }: AppendPlan,
  index: number,
  change: (event: PlannedEvent) => object,
): AppendPlan => ({
  // What comes out is what a planner with a bug would send.
  events: events.map((event, i) => (i === index ? change(event) : event)) as unknown as AppendPlan['events'],
  snapshots,
});
const data = (more: object) => (event: PlannedEvent) => ({ ...event, data: { ...event.data, ...more } });

const output = (id: string, more: object = {}): PlannedEvent => {
  const outputId = OutputId.parse(id);
  return {
    eventId: eventId(),
    kind: 'node_output_appended',
    dedupeKey: dedupeKeys.nodeOutputAppended(SESSION, outputId),
    scope: { runId: RUN, nodeId: nodeId(0) },
    data: { outputId, outputChannel: 'recap', payload: { payloadKind: 'notes', notesMarkdown: id }, ...more },
  };
};

const stepAdvance = advance(1);
const missing = NodeId.parse('node_missing');
const CASES: Readonly<Record<string, AppendPlan>> = {
  'a note that is too long': note(1, SESSION, 'x'.repeat(5000)),
  'a note cut inside a character': note(1, SESSION, '😀'.slice(0, 1)),
  'a second session_created': changed(plan(birth().events[0]), 0, (event) => ({
    ...event,
    dedupeKey: 'session_created:again',
  })),
  'a run that has started': changed(plan(birth().events[1] ?? output('x')), 0, (e) => ({
    ...e,
    dedupeKey: 'run_started:x',
  })),
  'a node of a run that has not started': changed(advance(1), 1, (event) => ({
    ...event,
    scope: { runId: RunId.parse('run_2'), nodeId: nodeId(1) },
  })),
  'a node of another workflow': changed(advance(1), 1, data({ workflowHash: `sha256:${'0'.repeat(64)}` })),
  'a node whose parent is not there': changed(advance(1), 1, data({ parentNodeId: missing })),
  'a second root': changed(advance(1), 1, data({ parentNodeId: null })),
  'a node that is there': changed(advance(1), 1, (event) => ({
    ...event,
    scope: { runId: RUN, nodeId: nodeId(0) },
  })),
  'an edge to a node that is not there': changed(advance(1), 2, data({ toNodeId: missing })),
  'an edge that leads from another than the parent': changed(advance(1), 2, data({ fromNodeId: nodeId(1) })),
  'a checkpoint edge to a step': changed(
    stepAdvance,
    2,
    data({
      edgeKind: 'checkpoint',
      cause: { kind: 'checkpoint_created', eventId: stepAdvance.events[0].eventId },
    }),
  ),
  'an edge whose cause is no event': changed(
    advance(1),
    2,
    data({ cause: { kind: 'idempotent_replay', eventId: EventId.parse('evt_none') } }),
  ),
  'an advance to a node that is not there': changed(
    advance(1),
    0,
    data({ outcome: { kind: 'advanced', toNodeId: missing } }),
  ),
  'an output of a node that is not there': changed(note(1), 0, (event) => ({
    ...event,
    scope: { runId: RUN, nodeId: missing },
  })),
  'an output that supersedes none': plan(output('out_a', { supersedesOutputId: 'out_none' })),
  'an output that supersedes one of another channel': plan(
    output('out_a'),
    output('out_b', { outputChannel: 'artifact', supersedesOutputId: 'out_a' }),
  ),
  'an output that supersedes a later one': plan(
    output('out_b', { supersedesOutputId: 'out_a' }),
    output('out_a'),
  ),
  'the same key twice': plan(output('out_a'), output('out_a')),
  'an event id that is taken': plan(
    output('out_a'),
    { ...output('out_b'), eventId: EventId.parse('evt_same') },
    {
      ...output('out_c'),
      eventId: EventId.parse('evt_same'),
    },
  ),
  'a snapshot that is nowhere': advance(1, snapshot(1), []),
  'a snapshot that is none': { ...advance(1), snapshots: [{ ...snapshot(1), kind: 'other' as never }] },
  'a workflow that is not pinned': plan({
    eventId: eventId(),
    kind: 'run_started',
    dedupeKey: dedupeKeys.runStarted(SESSION, RunId.parse('run_2')),
    scope: { runId: RunId.parse('run_2') },
    data: {
      workflowId: 'project.test' as never,
      workflowHash: WorkflowHash.parse(`sha256:${'1'.repeat(64)}`),
      workflowSourceKind: 'project',
      workflowSourceRef: 'x',
    },
  }),
};

describe('a plan with', () => {
  it.each(Object.entries(CASES))('%s is refused, and nothing is written', async (_, bad) => {
    const fs = new CrashFileSystem();
    const store = await bornStore({ root: ROOT, fs });
    fs.calls = [];
    expect(codeOf(await append(store, [note('good'), bad]))).toBe('STORE_PLAN_INVALID');
    expect(fs.calls).toEqual([]);
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(3);
  });
});

describe('a plan', () => {
  it('[event-index-zero-based] begins a session at 0, with session_created', async () => {
    const store = await openStore({ root: temporary() });
    unwrap(await store.workflows.put(workflow()));
    expect(codeOf(await append(store, [note(1)]))).toBe('STORE_PLAN_INVALID');
    expect(codeOf(await store.sessions.load(SESSION))).toBe('SESSION_NOT_FOUND');
    expect(unwrap(await append(store, [birth()]))[0]?.eventIndex).toBe(0);
  });

  it('of which the session has a part is an invariant violation, and nothing is written', async () => {
    const store = await bornStore({ root: temporary() });
    unwrap(await append(store, [plan(output('out_a'))]));
    for (const partial of [plan(output('out_a'), output('out_b')), plan(output('out_b'), output('out_a'))]) {
      expect(codeOf(await append(store, [partial]))).toBe('STORE_INVARIANT_VIOLATION');
    }
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(4);
  });

  it('is judged by its own key beside others; those that are new become one segment', async () => {
    const store = await bornStore({ root: temporary() });
    unwrap(await append(store, [note(1)]));
    const answers = unwrap(await append(store, [note(2), note(1), advance(1), note(2)]));
    expect(answers.map(({ kind, eventIndex }) => [kind, eventIndex])).toEqual([
      ['appended', 4],
      ['already_there', 3],
      ['appended', 5],
      ['already_there', 4],
    ]);
    const closed = unwrap(await store.sessions.load(SESSION))
      .manifest()
      .filter(({ kind }) => kind === 'segment_closed');
    expect(closed.at(-1)).toMatchObject({ firstEventIndex: 4, lastEventIndex: 7 });
    expect(closed).toHaveLength(3);
  });

  it('keeps a time that it brings, and gets one that it does not', async () => {
    const store = await bornStore({ root: temporary() });
    unwrap(await append(store, [plan({ ...output('out_a'), timestampMs: 42 }, output('out_b'))]));
    const [first, second] = unwrap(await store.sessions.load(SESSION)).events(3);
    expect([first?.timestampMs, (second?.timestampMs ?? 0) > 42]).toEqual([42, true]);
  });

  it('that its planner changes later does not change the session', async () => {
    const store = await bornStore({ root: temporary() });
    const mine = note(1);
    unwrap(await append(store, [mine]));
    Object.assign(mine.events[0].data, { outputChannel: 'nothing' });
    expect(unwrap(await store.sessions.load(SESSION)).events(3)[0]?.data).toMatchObject({
      outputChannel: 'recap',
    });
  });
});

describe('the manifest', () => {
  it('[pin-after-close] has a pin for every node after the segment that has it, also for one snapshot twice', async () => {
    const store = await bornStore({ root: temporary() });
    unwrap(await append(store, [advance(1), advance(2, snapshot(1))]));
    const records = unwrap(await store.sessions.load(SESSION)).manifest(2);
    expect(records.map((one) => [one.kind, one.kind === 'snapshot_pinned' && one.snapshotRef])).toEqual([
      ['segment_closed', false],
      ['snapshot_pinned', refOf(snapshot(1))],
      ['snapshot_pinned', refOf(snapshot(1))],
    ]);
  });

  it('[manifest-index-monotonic-contiguous] [event-index-monotonic-contiguous] counts without a gap', async () => {
    const store = await bornStore({ root: temporary() });
    for (let n = 1; n < 5; n += 1) unwrap(await append(store, [advance(n), note(n)]));
    const session = unwrap(await store.sessions.load(SESSION));
    expect(session.events().map(({ eventIndex }) => eventIndex)).toEqual([...Array(19).keys()]);
    expect(session.manifest().map(({ manifestIndex }) => manifestIndex)).toEqual([...Array(10).keys()]);
  });

  it('[paths-relative-only] names segments by their place in the session', async () => {
    const root = temporary();
    const store = await bornStore({ root });
    const [record] = unwrap(await store.sessions.load(SESSION)).manifest();
    expect(record).toMatchObject({ segmentRelPath: 'events/00000000-00000002.jsonl' });
  });
});

describe('content', () => {
  it('[snapshot-content-addressed] is kept under the digest of its canonical text, once', async () => {
    const fs = new CrashFileSystem();
    const store = await openStore({ root: ROOT, fs });
    expect(unwrap(await store.snapshots.put(snapshot(1)))).toBe(refOf(snapshot(1)));
    fs.calls = [];
    unwrap(await store.snapshots.put(snapshot(1)));
    expect(fs.calls).toEqual([]);
    expect(unwrap(await store.snapshots.get(refOf(snapshot(1))))).toEqual(snapshot(1));
  });

  it('[workflow-hash-jcs-sha256] gives a workflow its hash', async () => {
    const store = await openStore({ root: temporary() });
    expect(unwrap(await store.workflows.put(workflow()))).toBe(HASH);
    expect(unwrap(await store.workflows.get(HASH))).toEqual(workflow());
  });

  it('is written by many at once without one disturbing another', async () => {
    const root = temporary();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore({ root })));
    const refs = await Promise.all(
      stores.flatMap((store) => [store.snapshots.put(snapshot(1)), store.snapshots.put(snapshot(2))]),
    );
    expect(new Set(refs.map(unwrap)).size).toBe(2);
    expect(unwrap(await (await openStore({ root })).checkStore()).unreferenced.snapshots).toHaveLength(2);
  });

  it('of artifacts comes back by its digest, and not when it is not there', async () => {
    const store = await openStore({ root: temporary() });
    const digest = unwrap(await store.artifacts.put(Buffer.from('bytes')));
    expect(Buffer.from(unwrap(await store.artifacts.get(digest))).toString()).toBe('bytes');
    expect((await store.artifacts.get(HASH as never)).isErr()).toBe(true);
  });
});
