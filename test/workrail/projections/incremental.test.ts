import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lineageFault, project, sessionView, type SessionView } from '../../../src/workrail/projections';
import { SessionScript } from '../session-script';
import { scripts } from './random-script';

describe('a session view', () => {
  it('[projection-cache-rebuildable] is the same whether it is folded at once or in any pieces', () => {
    fc.assert(
      fc.property(scripts, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), ({ events }, cuts) => {
        const pieces = [0, ...cuts.sort((a, b) => a - b), events.length];
        const grown = pieces.reduce<SessionView>(
          (view, from, i) =>
            project(sessionView, events.slice(from, Math.max(from, pieces[i + 1] ?? from)), view),
          sessionView.initial(),
        );
        expect(grown).toEqual(project(sessionView, events));
      }),
    );
  });

  it('[determinism] is the same for the same events, however often it is folded', () => {
    fc.assert(
      fc.property(scripts, ({ events }) => {
        expect(project(sessionView, events)).toEqual(project(sessionView, structuredClone(events)));
      }),
    );
  });

  it('changes no event that it reads', () => {
    fc.assert(
      fc.property(scripts, ({ events }) => {
        const before = structuredClone(events);
        project(sessionView, events);
        expect(events).toEqual(before);
      }),
    );
  });
});

describe('the lineage of events', () => {
  const faults = (script: SessionScript): (string | undefined)[] => {
    const view = sessionView.initial();
    return script.events.flatMap((event) => {
      const found = lineageFault(view, event);
      sessionView.apply(view, event);
      return found ? [found.code] : [];
    });
  };

  it('has no fault in a session that was written in order', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        expect(faults(script)).toEqual([]);
      }),
    );
  });

  const begun = () => new SessionScript().run().node('root', null);
  it.each([
    ['a run that was not started', () => new SessionScript().node('root', null), 'run_missing'],
    ['a run that is started twice', () => begun().run(), 'run_duplicate'],
    ['a node that is there already', () => begun().node('root', null), 'node_duplicate'],
    ['a second root', () => begun().node('again', null), 'parent_missing'],
    [
      'a parent of another run',
      () => begun().run('run_2').node('b', 'root', { run: 'run_2' }),
      'parent_missing',
    ],
    ['something at a node that is not there', () => begun().notes('gone', 'text'), 'node_missing'],
    ['an edge to a node that is not there', () => begun().edge('root', 'gone'), 'node_missing'],
    [
      '[runs-are-dags] an edge that goes round, or past the parent',
      () => begun().step('a', 'root').step('b', 'a').edge('b', 'a'),
      'edge_not_of_parent',
    ],
    [
      'a checkpoint edge to a step',
      () => begun().node('a', 'root').edge('root', 'a', 'checkpoint_created'),
      'checkpoint_mismatch',
    ],
    [
      'an output that supersedes one of another node',
      () =>
        begun().notes('root', 'one', { id: 'o1' }).step('a', 'root').notes('a', 'two', { supersedes: 'o1' }),
      'superseded_missing',
    ],
  ])('names %s', (_what, script, code) => {
    expect(faults(script())).toEqual([code]);
  });

  it('names an event that is not in its place', () => {
    const [first] = new SessionScript().events;
    const view = sessionView.initial();
    expect(first && lineageFault(view, { ...first, eventIndex: 1 as typeof first.eventIndex })?.code).toBe(
      'order_invalid',
    );
  });
});
