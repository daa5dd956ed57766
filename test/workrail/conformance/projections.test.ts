import { describe, expect, it } from '@jest/globals';
import { CAPABILITIES, readEvent, type DomainEvent, type NodeId } from '../../../src/workrail/model';
import * as p from '../../../src/workrail/projections';
import { readCalls, sorted, titleOf, type Call, type Compared } from './vectors';

/** Folded events, or that they do not fit together. */
type Folded = { readonly ok: p.SessionView } | { readonly err: true };

/**
 * Many cases have events of one kind alone; the runs and nodes that those are scoped to are put under them, with places
 * before the first. The data are the reference's events, with ids and digests that are placeholders.
 */
function fold(args: readonly unknown[], parents: Readonly<Record<string, string | null>> = {}): Folded {
  const events = args[0] as DomainEvent[];
  const view = p.sessionView.initial();
  const begins = (kind: DomainEvent['kind']) => events.some((event) => event.kind === kind);
  const hasDag = begins('run_started') || begins('edge_created') || begins('node_created');
  for (const event of hasDag ? [] : scaffold(events, parents)) if (!feed(view, event)) return { err: true };
  let last = (events[0]?.eventIndex ?? 0) - 1;
  for (const event of events) {
    // Places may be left out, but never go back.
    if (!feed(view, event, Math.max(last, event.eventIndex - 1))) return { err: true };
    last = event.eventIndex;
  }
  return { ok: view };
}

function feed(view: p.SessionView, event: DomainEvent, last = event.eventIndex - 1): boolean {
  const before = { ...view, lastEventIndex: last as DomainEvent['eventIndex'] };
  if (p.lineageFault(before, event)) return false;
  p.sessionView.apply(view, event);
  return true;
}

function scaffold(
  events: readonly DomainEvent[],
  parents: Readonly<Record<string, string | null>>,
): DomainEvent[] {
  const scopes = events.flatMap((event) =>
    event.scope ? [event.scope as { runId: string; nodeId?: string }] : [],
  );
  const runs = [...new Set(scopes.map(({ runId }) => runId))];
  const nodes = scopes.flatMap(({ runId, nodeId }) => (nodeId === undefined ? [] : [{ runId, nodeId }]));
  const [run = 'run_1'] = runs;
  const all = new Map<string, { runId: string; parent: string | null }>();
  for (const [nodeId, parent] of Object.entries(parents)) all.set(nodeId, { runId: run, parent });
  for (const { runId, nodeId } of nodes) if (!all.has(nodeId)) all.set(nodeId, { runId, parent: null });
  const roots = new Map<string, string>();
  const made = [...all].map(([nodeId, { runId, parent }]) => {
    const root = roots.get(runId);
    if (root === undefined) roots.set(runId, nodeId);
    // A run has one root; where the case says no parent, the others hang on it.
    return {
      kind: 'node_created',
      scope: { runId, nodeId },
      data: { nodeKind: 'step', parentNodeId: parent ?? root ?? null },
    };
  });
  const started = runs.map((runId) => ({ kind: 'run_started', scope: { runId }, data: {} }));
  return [...started, ...made].map((event, i, { length }) => ({
    ...event,
    eventIndex: i - length,
  })) as unknown as DomainEvent[];
}

const record = <V>(entries: Iterable<readonly [string, V]>): Record<string, V> => Object.fromEntries(entries);
const at = <T extends { createdAt: number }>({ createdAt, ...rest }: T) => ({
  ...rest,
  createdAtEventIndex: createdAt,
});

function dagOf({ dag }: p.SessionView) {
  const runs = [...dag.runs.values()].map((run) => {
    const nodes = [...run.nodes.values()].map(
      ({ nodeId, nodeKind, parentNodeId, workflowHash, snapshotRef, createdAt }) =>
        [
          nodeId,
          { nodeId, nodeKind, parentNodeId, workflowHash, snapshotRef, createdAtEventIndex: createdAt },
        ] as const,
    );
    const { workflowId, workflowHash } = run.workflow ?? {};
    return [
      run.runId,
      {
        runId: run.runId,
        workflow: { kind: 'with_workflow', workflowId, workflowHash },
        nodesById: record(nodes),
        edges: run.edges.map(at),
        tipNodeIds: [...run.leaves].sort(),
        preferredTipNodeId: p.preferredTip(run)?.node.nodeId ?? null,
      },
    ] as const;
  });
  return { runsById: record(runs) };
}

function gapsOf({ gaps, dag }: p.SessionView) {
  const shown = ({ recordedAt, ...gap }: p.Gap) => ({ ...gap, recordedAtEventIndex: recordedAt });
  const critical = [...dag.runs.keys()].flatMap((runId) => {
    const open = p.openGapsOfRun(gaps, runId).filter(({ severity }) => severity === 'critical');
    return open.length > 0 ? [[runId, open.map(shown)] as const] : [];
  });
  return {
    byGapId: record([...gaps.byId].map(([id, gap]) => [id, shown(gap)])),
    resolvedGapIds: { $set: [...gaps.resolvedBy.keys()] },
    unresolvedCriticalByRunId: record(critical),
  };
}

function outputsOf({ outputs }: p.SessionView) {
  const nodes = [...outputs.byNode].map(([nodeId, { recap, artifact }]) => {
    const list = (of: ReadonlyMap<string, p.RecordedOutput>) => [...of.values()].map(at);
    return [
      nodeId,
      {
        historyByChannel: { recap: list(recap.history), artifact: list(artifact.history) },
        currentByChannel: { recap: list(recap.current), artifact: list(artifact.current) },
      },
    ] as const;
  });
  return { nodesById: record(nodes) };
}

function statusOf(view: p.SessionView) {
  const runs = [...view.dag.runs.keys()].map((runId) => {
    const tip = p.tipOfRun(view.dag, runId)?.node.nodeId;
    return [
      runId,
      {
        runId,
        preferredTipNodeId: tip ?? null,
        effectivePreferencesAtTip: tip && p.effectivePreferences(view.dag, view.preferences, tip),
        hasUnresolvedCriticalGaps: p.hasOpenCriticalGaps(view.gaps, runId),
        isBlocked: p.runStatus(view, runId, () => undefined) === 'blocked',
      },
    ] as const;
  });
  return { byRunId: record(runs) };
}

function capabilitiesOf({ capabilities }: p.SessionView) {
  const shown = (observed: p.Observed | null) =>
    observed && {
      status: observed.status,
      provenance: observed.provenance,
      observedAtEventIndex: observed.observedAt,
    };
  const nodes = [...capabilities.byNode.keys()].map((nodeId) => {
    const each = CAPABILITIES.map(
      (one) => [one, shown(p.observedAtNode(capabilities, nodeId, one))] as const,
    );
    return [nodeId, { byCapability: record(each) }] as const;
  });
  return { nodesById: record(nodes) };
}

function advancesOf({ advances }: p.SessionView) {
  const nodes = [...advances.byNode].map(
    ([
      nodeId,
      {
        latest: { attemptId, outcome, recordedAt },
      },
    ]) =>
      [nodeId, { nodeId, latestAttemptId: attemptId, outcome, recordedAtEventIndex: recordedAt }] as const,
  );
  return { byNodeId: record(nodes) };
}

function contextsOf({ contexts }: p.SessionView) {
  const runs = [...contexts.byRun].map(
    ([runId, { setAt, ...set }]) => [runId, { runId, ...set, setAtEventIndex: setAt }] as const,
  );
  return { byRunId: record(runs) };
}

function artifactsOf({ outputs }: p.SessionView) {
  const nodes = [...outputs.byNode.keys()].flatMap((nodeId) => {
    const artifacts = p.currentArtifacts(outputs, nodeId).map(({ payloadKind: _kind, ...one }) => at(one));
    return artifacts.length > 0 ? [[nodeId, { artifacts }] as const] : [];
  });
  return { byNodeId: record(nodes) };
}

function preferencesOf({ dag, preferences }: p.SessionView, events: readonly DomainEvent[]) {
  const changes = (nodeId: NodeId) =>
    events.filter((event) => event.kind === 'preferences_changed' && event.scope.nodeId === nodeId);
  const nodes = [...dag.runOf.keys()].map(
    (nodeId) =>
      [
        nodeId,
        {
          nodeId,
          effective: p.effectivePreferences(dag, preferences, nodeId),
          changesAtThisNode: changes(nodeId),
        },
      ] as const,
  );
  return { byNodeId: record(nodes) };
}

const READ: Readonly<Record<string, (view: p.SessionView, args: readonly unknown[]) => unknown>> = {
  projectRunDagV2: dagOf,
  projectGapsV2: gapsOf,
  projectNodeOutputsV2: outputsOf,
  projectRunStatusSignalsV2: statusOf,
  projectCapabilitiesV2: capabilitiesOf,
  projectAdvanceOutcomesV2: advancesOf,
  projectRunContextV2: contextsOf,
  projectArtifactsV2: artifactsOf,
  projectPreferencesV2: (view, args) => preferencesOf(view, args[0] as DomainEvent[]),
  projectSessionHealthV2: () => ({ kind: 'healthy' }),
};

function ours({ fn, args }: Call): unknown {
  if (fn === 'projectSessionHealthV2') {
    const folded = fold([(args[0] as { events: unknown }).events]);
    return { ok: { kind: 'ok' in folded ? 'healthy' : 'corrupt_tail' } };
  }
  // A context that is none is refused where it is read, before anything is folded.
  if (fn === 'projectRunContextV2' && (args[0] as unknown[]).some((event) => readEvent(event).isErr()))
    return { err: true };
  const folded = fold(args, fn === 'projectPreferencesV2' ? (args[1] as Record<string, string | null>) : {});
  return 'ok' in folded ? { ok: READ[fn]?.(folded.ok, args) } : folded;
}

/** Which error it is called there is not locked, nor why a session is not healthy. */
function theirs({ fn, expected }: Call): unknown {
  if ('err' in (expected as object)) return { err: true };
  const { ok } = expected as { ok: { kind: string } };
  return fn === 'projectSessionHealthV2' ? { ok: { kind: ok.kind } } : { ok };
}

const calls = readCalls('projections');
const compared = calls.map((call, i): Compared => ({
  title: titleOf(call, i),
  ours: () => ours(call),
  theirs: theirs(call),
}));

const BY_PARENT =
  'a node with a child is no leaf, whether or not the edge is recorded too; the preferred tip is the same';

describe('projections as the reference reads them', () => {
  const { agreeing, differing, unknown } = sorted(compared, {
    14: BY_PARENT,
    16: BY_PARENT,
    19: BY_PARENT,
    33: 'a record that resolves a gap nobody recorded resolves nothing',
    39: 'the locks make the latest recap the current one; two are no corruption',
    63: 'a run is blocked by an open gap at its tip (locks, section 2.1), not by the kind of the tip',
    69: 'an artifact is what its digest names; the reference knows only those with inlined content',
  });

  it.each(agreeing)('are read alike: %s', (_title, one) => {
    expect(one.ours()).toEqual(one.theirs);
  });

  it.each(differing)('differ in %s: %s', (_title, _reason, one) => {
    expect(one.ours()).not.toEqual(one.theirs);
  });

  it('have every difference in their data', () => {
    expect(unknown).toEqual([]);
  });
});
