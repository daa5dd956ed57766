import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DomainEvent } from '../../../src/workrail/model';
import { isTip, project, runDag, tipOfRun } from '../../../src/workrail/projections';
import { nodeId, runId, SessionScript } from '../session-script';
import { naiveTip } from './naive-tip';
import { scripts } from './random-script';

const tip = (events: readonly DomainEvent[], run = 'run_1'): string | undefined =>
  tipOfRun(project(runDag, events), runId(run))?.node.nodeId;

const forked = (): SessionScript =>
  new SessionScript().run().node('root', null).step('left', 'root').step('right', 'root');

describe('the preferred tip', () => {
  it('[preferred-tip-algorithm] is the leaf whose history was touched last', () => {
    expect(tip(forked().notes('left', 'more').events)).toBe('left');
  });

  it('[preferred-tip-algorithm] is the leaf created last where one event touched the history of several', () => {
    expect(tip(forked().notes('left', 'more').notes('root', 'for both').events)).toBe('right');
  });

  it('[preferred-tip-algorithm] has the beginning of an edge touched as well as its end', () => {
    const late = new SessionScript().run().node('root', null).node('left', 'root').node('right', 'root');
    expect(tip(late.edge('root', 'right').edge('root', 'left').events)).toBe('right');
  });

  it('[preferred-tip-algorithm] equals a naive reading of the rule on any run', () => {
    fc.assert(
      fc.property(scripts, ({ events }) => {
        expect(tip(events)).toBe(naiveTip(events, 'run_1'));
      }),
      { numRuns: 300 },
    );
  });

  it('[preferred-tip-per-run] is found for each run on its own, whatever happens in another', () => {
    const two = forked().run('run_2').node('other', null, { run: 'run_2' });
    expect([tip(two.events), tip(two.events, 'run_2')]).toEqual(['right', 'other']);
  });

  it('[preferred-tip-no-timestamps] does not change with the times of the events', () => {
    fc.assert(
      fc.property(
        scripts,
        fc.array(fc.integer({ min: 1, max: 2 ** 45 }), { minLength: 1 }),
        ({ events }, times) => {
          const timed = events.map((event, i) => ({ ...event, timestampMs: times[i % times.length] }));
          expect(tip(timed as DomainEvent[])).toBe(tip(events));
        },
      ),
    );
  });

  it('is not moved by an attempt or a trace, which the locks do not count as activity', () => {
    expect(tip(forked().advanced('left', 'try_1', 'gone').trace('left').events)).toBe('right');
  });

  it('is a blocked attempt while nothing follows it', () => {
    const blocked = new SessionScript()
      .run()
      .node('root', null)
      .node('blocked', 'root', { kind: 'blocked_attempt' });
    expect(tip(blocked.events)).toBe('blocked');
  });
});

describe('a checkpoint', () => {
  const marked = (): SessionScript =>
    new SessionScript().run().node('root', null).step('a', 'root').checkpoint('mark', 'a');

  it('leaves its node the tip', () => {
    expect(tip(marked().events)).toBe('a');
  });

  it('counts for its node when something is noted at it', () => {
    const two = marked().step('b', 'root').notes('mark', 'saved');
    expect(tip(two.events)).toBe('a');
  });

  it('is a branch like any other once work goes on from it', () => {
    const dag = project(runDag, marked().step('after', 'mark').events);
    const run = dag.runs.get(runId('run_1'));
    expect(run && ['a', 'mark', 'after'].map((id) => isTip(run, nodeId(id)))).toEqual([false, false, true]);
  });
});
