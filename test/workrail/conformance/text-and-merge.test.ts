import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '../../../src/canonical';
import {
  DedupeKey,
  LoopFrame,
  MAX_NOTES_BYTES,
  mergeContext,
  NodeId,
  orderOutputs,
  parseStepInstanceKey,
  StepId,
  stepInstanceKey,
  truncateUtf8,
  type DomainEvent,
  type NodeOutput,
} from '../../../src/workrail/model';
import {
  ancestryRecap,
  downstreamRecap,
  sessionView,
  type Recap,
  type SessionView,
} from '../../../src/workrail/projections';
import { readCalls, sorted, titleOf, type Call, type Compared } from './vectors';

const ROOM = 2 ** 20;
const verdict = (isOk: boolean): string => (isOk ? 'accepted' : 'refused');
const theirVerdict = (expected: unknown): string => verdict('ok' in (expected as object));

/** The reference's own DAG and outputs, as the events they come from. */
interface TheirRun {
  readonly dag: { readonly nodesById: Readonly<Record<string, object & { createdAtEventIndex: number }>> };
  readonly outputs: {
    readonly nodesById: Readonly<Record<string, { currentByChannel: { recap: readonly object[] } }>>;
  };
}

function viewOf({ dag, outputs }: TheirRun): SessionView {
  const view = sessionView.initial();
  // The data are of the shape of events' payloads; ids and digests are the reference's placeholders.
  const feed = (event: object) =>
    sessionView.apply(view, { scope: { runId: 'run_1' }, ...event } as unknown as DomainEvent);
  for (const [nodeId, data] of Object.entries(dag.nodesById)) {
    feed({
      kind: 'node_created',
      scope: { runId: 'run_1', nodeId },
      eventIndex: data.createdAtEventIndex,
      data,
    });
  }
  for (const [nodeId, { currentByChannel }] of Object.entries(outputs.nodesById)) {
    for (const data of currentByChannel.recap) {
      feed({ kind: 'node_output_appended', scope: { runId: 'run_1', nodeId }, eventIndex: 0, data });
    }
  }
  return view;
}
const texts = ({ notes }: Recap): string[] => notes.map(({ notesMarkdown }) => notesMarkdown);

/** What we do with a call, and what of the answer is locked. The data are cast to what the call takes. */
const ADAPTERS: Readonly<Record<string, (call: Call) => Omit<Compared, 'title'>>> = {
  toNotesMarkdownV1: ({ args, expected }) => ({
    ours: () => truncateUtf8(String(args[0]), MAX_NOTES_BYTES),
    theirs: expected,
  }),
  mergeContext: ({ args, expected }) => {
    const [stored, delta] = args.map((one) => (one ?? {}) as JsonObject);
    return {
      ours: () => mergeContext(stored ?? {}, delta ?? {}).unwrapOr('refused' as never),
      theirs: (expected as { ok?: unknown }).ok ?? 'refused',
    };
  },
  stepInstanceKeyFromParts: ({ args, expected }) => ({
    ours: () => stepInstanceKey(StepId.parse(args[0]), LoopFrame.array().parse(args[1])),
    theirs: expected,
  }),
  parseStepInstanceKeyV1: ({ args, expected }) => ({
    ours: () =>
      parseStepInstanceKey(String(args[0]))
        .map(({ stepId, loopPath }) => stepInstanceKey(stepId, loopPath))
        .isOk(),
    theirs: 'ok' in (expected as object),
  }),
  buildDedupeKey: ({ args, expected }) => ({
    ours: () => verdict(DedupeKey.safeParse([args[0], ...(args[1] as string[])].join(':')).success),
    theirs: theirVerdict(expected),
  }),
  isValidDedupeKey: ({ args, expected }) => ({
    ours: () => DedupeKey.safeParse(args[0]).success,
    theirs: expected,
  }),
  normalizeOutputsForAppend: ({ args, expected }) => ({
    ours: () => orderOutputs(args[0] as NodeOutput[]),
    theirs: expected,
  }),
  collectAncestryRecap: ({ args, expected }) => {
    const { nodeId, ...run } = args[0] as TheirRun & { nodeId: string };
    return {
      ours: () => texts(ancestryRecap(viewOf(run), NodeId.parse(nodeId), ROOM)),
      theirs: (expected as { ok: unknown }).ok,
    };
  },
  collectDownstreamRecap: ({ args, expected }) => {
    const { fromNodeId, toNodeId, ...run } = args[0] as TheirRun & { fromNodeId: string; toNodeId: string };
    return {
      ours: () => texts(downstreamRecap(viewOf(run), NodeId.parse(fromNodeId), NodeId.parse(toNodeId), ROOM)),
      theirs: (expected as { ok: unknown }).ok,
    };
  },
};

const calls = readCalls('text-and-merge');
const compared = calls.flatMap((call, i): Compared[] => {
  const adapted = ADAPTERS[call.fn]?.(call);
  return adapted ? [{ title: titleOf(call, i), ...adapted }] : [];
});

describe('small rules as the reference has them', () => {
  const { agreeing, differing, unknown } = sorted(compared, {
    23: 'JSON.parse of the data has lost the key __proto__; a test of our own has it',
  });

  it.each(agreeing)('are the same here: %s', (_title, one) => {
    expect(one.ours()).toEqual(one.theirs);
  });

  it.each(differing)('differ in %s: %s', (_title, _reason, one) => {
    expect(one.ours()).not.toEqual(one.theirs);
  });

  it('have every difference in their data, and an adapter for every case', () => {
    expect(unknown).toEqual([]);
    expect(compared.length).toBe(calls.length);
  });
});
