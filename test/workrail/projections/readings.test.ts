import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeContext } from '../../../src/workrail/model';
import * as p from '../../../src/workrail/projections';
import {
  attemptId,
  gapId,
  nodeId,
  NEEDS_APPROVAL,
  runId,
  scriptedSnapshots,
  SessionScript,
} from '../session-script';
import { scripts } from './random-script';

const begun = (): SessionScript => new SessionScript().run().node('root', null);
const view = (script: SessionScript): p.SessionView => p.project(p.sessionView, script.events);
const RUN = runId('run_1');
const ROOT = nodeId('root');

describe('the runs', () => {
  it('[runs-are-dags] have their branches from nodes and parents alone', () => {
    const { dag } = view(begun().step('a', 'root').step('b', 'root').step('c', 'a'));
    const run = dag.runs.get(RUN);
    expect([[...(run?.leaves ?? [])], run?.roots, run?.nodes.get(ROOT)?.children]).toEqual([
      ['b', 'c'],
      ['root'],
      ['a', 'b'],
    ]);
  });

  it('know ancestry as a walk up the parents knows it', () => {
    fc.assert(
      fc.property(scripts, fc.nat(), fc.nat(), (script, one, two) => {
        const run = view(script).dag.runs.get(RUN);
        const ids = [...(run?.nodes.keys() ?? [])];
        const [a, b] = [ids[one % ids.length], ids[two % ids.length]];
        if (!run || !a || !b) throw new Error('a script has a node');
        const walked = [...p.historyOf(run, b)].some((node) => node.nodeId === a);
        expect(p.isInHistory(run, a, b)).toBe(walked);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the outputs of a node', () => {
  it('are current until a later one of the node and channel supersedes them', () => {
    const { outputs } = view(
      begun()
        .notes('root', 'one', { id: 'o1' })
        .notes('root', 'two', { id: 'o2', supersedes: 'o1' })
        .artifact('root', 'x'),
    );
    expect(p.currentOutputs(outputs, ROOT, 'recap').map(({ outputId }) => outputId)).toEqual(['o2']);
    expect(p.currentNotes(outputs, ROOT)).toBe('two');
  });

  it('stay in the history when they are superseded', () => {
    const { outputs } = view(
      begun().notes('root', 'one', { id: 'o1' }).notes('root', 'two', { id: 'o2', supersedes: 'o1' }),
    );
    expect([...(outputs.byNode.get(ROOT)?.recap.history.keys() ?? [])]).toEqual(['o1', 'o2']);
  });

  it('are not superseded by an output of another channel or node', () => {
    const { outputs } = view(
      begun()
        .notes('root', 'one', { id: 'o1' })
        .artifact('root', 'x', { id: 'o2', supersedes: 'o1' })
        .step('a', 'root')
        .notes('a', 'two', { id: 'o3', supersedes: 'o1' }),
    );
    expect(p.currentNotes(outputs, ROOT)).toBe('one');
  });

  it('include each artifact that stands', () => {
    const { outputs } = view(
      begun()
        .artifact('root', 'x', { id: 'o1' })
        .artifact('root', 'y', { id: 'o2' })
        .artifact('root', 'z', { id: 'o3', supersedes: 'o1' }),
    );
    expect(p.currentArtifacts(outputs, ROOT).map(({ outputId }) => outputId)).toEqual(['o2', 'o3']);
  });
});

describe('gaps', () => {
  const resolved = (): SessionScript =>
    begun().gap('root', 'g1').step('a', 'root').gap('a', 'g2', { resolves: 'g1' });

  it('[gaps-append-only-resolution] are closed by a later record that links to them, and stay as recorded', () => {
    const { gaps } = view(resolved());
    expect([
      p.openGapsOfRun(gaps, RUN),
      gaps.byId.get(gapId('g1'))?.resolution,
      gaps.resolvedBy.get(gapId('g1')),
    ]).toEqual([[], { kind: 'unresolved' }, 'g2']);
  });

  it('are closed by the first record that links to them, whatever comes later', () => {
    const { gaps } = view(resolved().gap('a', 'g3', { resolves: 'g1' }));
    expect(gaps.resolvedBy.get(gapId('g1'))).toBe('g2');
  });

  it('[gaps-append-only-resolution] are not closed by a record that came before them', () => {
    const { gaps } = view(begun().gap('root', 'g2', { resolves: 'g1' }).gap('root', 'g1'));
    expect(p.openGapsOfNode(gaps, ROOT).map((gap) => gap.gapId)).toEqual(['g1']);
  });

  it('count as critical in a run exactly while a critical one is open', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const { gaps } = view(script);
        const critical = p.openGapsOfRun(gaps, RUN).filter(({ severity }) => severity === 'critical');
        expect(p.hasOpenCriticalGaps(gaps, RUN)).toBe(critical.length > 0);
      }),
    );
  });
});

describe('preferences', () => {
  const NEVER_STOP = { key: 'autonomy', value: 'full_auto_never_stop' } as const;
  const at = (
    script: SessionScript,
    node: string,
    baseline?: Parameters<typeof p.effectivePreferences>[3],
  ) => {
    const { dag, preferences } = view(script);
    return p.effectivePreferences(dag, preferences, nodeId(node), baseline);
  };

  it('[preferences-node-attached] hold at the node they were set at and below it', () => {
    const script = begun().step('a', 'root').prefer('a', NEVER_STOP).step('b', 'a').step('side', 'root');
    expect(['root', 'a', 'b', 'side'].map((node) => at(script, node).autonomy)).toEqual([
      'guided',
      'full_auto_never_stop',
      'full_auto_never_stop',
      'guided',
    ]);
  });

  it('[preferences-node-attached] are those of the nearest node, not of the last change', () => {
    const script = begun()
      .step('a', 'root')
      .prefer('a', NEVER_STOP)
      .prefer('root', { key: 'autonomy', value: 'full_auto_stop_on_user_deps' })
      .step('b', 'a');
    expect(at(script, 'b').autonomy).toBe('full_auto_never_stop');
  });

  it("are the session's baseline where no node says anything, and else the defaults", () => {
    const baseline = { autonomy: 'full_auto_never_stop', riskPolicy: 'balanced' } as const;
    expect([at(begun(), 'root', baseline), at(begun(), 'root')]).toEqual([
      baseline,
      { autonomy: 'guided', riskPolicy: 'conservative' },
    ]);
  });
});

describe('capabilities', () => {
  const status = (script: SessionScript, node: string) => {
    const { dag, capabilities } = view(script);
    return p.reliableStatus(dag, capabilities, nodeId(node)).delegation;
  };

  it('are what was observed last at the node', () => {
    const { capabilities } = view(
      begun()
        .capability('root', 'delegation', 'unavailable')
        .capability('root', 'delegation', 'available', 'weak'),
    );
    expect(p.observedAtNode(capabilities, ROOT, 'delegation')?.status).toBe('available');
  });

  it('can be relied on below a node that observed them strongly', () => {
    expect(status(begun().capability('root', 'delegation', 'available').step('a', 'root'), 'a')).toBe(
      'available',
    );
  });

  it('cannot be relied on because somebody says so', () => {
    expect(status(begun().capability('root', 'delegation', 'available', 'weak'), 'root')).toBe('unknown');
  });

  it('are as the latest strong observation says, nearer or not', () => {
    const script = begun()
      .step('a', 'root')
      .capability('a', 'delegation', 'available')
      .capability('root', 'delegation', 'unavailable');
    expect(status(script, 'a')).toBe('unavailable');
  });

  it('are not learnt from another branch', () => {
    expect(
      status(begun().step('a', 'root').step('b', 'root').capability('a', 'delegation', 'available'), 'b'),
    ).toBe('unknown');
  });
});

describe('the rest of a session', () => {
  it('has the context that was set last for each run', () => {
    const stored = { ticket: 1, gone: true };
    const merged = mergeContext(stored, { gone: null, branch: 'x' })._unsafeUnwrap();
    const { contexts } = view(
      begun().context(stored).run('run_2').context({ other: 1 }, 'run_2').context(merged),
    );
    expect([contexts.byRun.get(RUN)?.context, contexts.byRun.get(runId('run_2'))?.context]).toEqual([
      { ticket: 1, branch: 'x' },
      { other: 1 },
    ]);
  });

  it('keeps the outcome of an attempt by its node: the same attempt id elsewhere is another attempt', () => {
    const { advances } = view(
      begun().step('a', 'root').advanced('root', 'try_1', 'a').advanced('a', 'try_1', 'b'),
    );
    expect([
      p.advanceOf(advances, ROOT, attemptId('try_1'))?.outcome,
      p.advanceOf(advances, ROOT, attemptId('try_2')),
    ]).toEqual([{ kind: 'advanced', toNodeId: 'a' }, null]);
  });

  it('has the latest observation of each key', () => {
    expect(p.observedValue(view(begun().branch('one').branch('two')).observations, 'git_branch')).toBe('two');
  });

  it('is summed up with its runs, their tips and their notes', () => {
    const script = begun().branch('main').step('end', 'root', { isEnd: true }).notes('end', 'All done.');
    expect(p.summarise(view(script), scriptedSnapshots)).toMatchObject({
      sessionId: 'sess_1',
      eventCount: 7,
      gitBranch: 'main',
      runs: [
        {
          runId: 'run_1',
          workflowId: 'project.example',
          status: 'complete',
          tipNodeId: 'end',
          lastActivity: 6,
          recap: 'All done.',
        },
      ],
    });
  });
});

describe('the status of a run', () => {
  const status = (script: SessionScript) => p.runStatus(view(script), RUN, scriptedSnapshots);
  const blocked = (): SessionScript => begun().gap('root', 'g1');

  it.each([
    ['in_progress', 'before its first node', new SessionScript().run()],
    ['in_progress', 'while its tip is not complete', begun()],
    ['blocked', 'with an open critical gap at its tip', blocked()],
    ['in_progress', 'when that gap is resolved', blocked().gap('root', 'g2', { resolves: 'g1' })],
    ['in_progress', 'when the gap is at a node behind the tip', blocked().step('a', 'root')],
    ['in_progress', 'when the gap is a warning', begun().gap('root', 'g1', { severity: 'warning' })],
    [
      'in_progress',
      'when the gap is an unexpected one',
      begun().gap('root', 'g1', { reason: { category: 'unexpected', detail: 'invariant_violation' } }),
    ],
    [
      'in_progress',
      'in a run that never stops',
      blocked().prefer('root', { key: 'autonomy', value: 'full_auto_never_stop' }),
    ],
    [
      'blocked',
      'whatever risk it may take',
      blocked().prefer('root', { key: 'riskPolicy', value: 'aggressive' }),
    ],
    ['complete', 'with a complete tip', begun().step('end', 'root', { isEnd: true })],
    [
      'complete_with_gaps',
      'with a complete tip and an open critical gap anywhere',
      blocked().step('end', 'root', { isEnd: true }),
    ],
    [
      'complete',
      'with a complete tip and a gap that is only a warning',
      begun()
        .gap('root', 'g1', { severity: 'warning', reason: NEEDS_APPROVAL })
        .step('end', 'root', { isEnd: true }),
    ],
  ])('[run-status-closed-set] is %s %s', (expected, _when, script) => {
    expect(status(script)).toBe(expected);
  });
});
