import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TRUNCATION_MARKER, utf8Length } from '../../../src/workrail/model';
import {
  ancestryRecap,
  downstreamRecap,
  project,
  sessionView,
  type Recap,
} from '../../../src/workrail/projections';
import { nodeId, SessionScript } from '../session-script';
import { scripts } from './random-script';

const view = (script: SessionScript) => project(sessionView, script.events);
const texts = ({ notes }: Recap): string[] => notes.map(({ notesMarkdown }) => notesMarkdown);
const chain = (): SessionScript =>
  new SessionScript()
    .run()
    .node('a', null)
    .notes('a', 'first')
    .step('b', 'a')
    .notes('b', 'second')
    .step('c', 'b')
    .notes('c', 'third');

describe('the recap of a branch', () => {
  it('tells what led to a node, oldest first', () => {
    expect(ancestryRecap(view(chain()), nodeId('c'), 4096)).toEqual({
      notes: [
        { nodeId: 'a', notesMarkdown: 'first' },
        { nodeId: 'b', notesMarkdown: 'second' },
        { nodeId: 'c', notesMarkdown: 'third' },
      ],
      omitted: 0,
    });
  });

  it('keeps the most recent and counts what had no room', () => {
    const recap = ancestryRecap(view(chain()), nodeId('c'), 'third'.length + 3);
    expect([texts(recap), recap.omitted]).toEqual([['third'], 2]);
  });

  it('cuts the note that fits only in part, and says so', () => {
    const script = new SessionScript().run().node('a', null).notes('a', 'x'.repeat(100));
    expect(texts(ancestryRecap(view(script), nodeId('a'), 20))).toEqual([
      `${'x'.repeat(7)}${TRUNCATION_MARKER}`,
    ]);
  });

  it('does not tell of another branch', () => {
    expect(texts(ancestryRecap(view(chain().step('d', 'a').notes('d', 'aside')), nodeId('d'), 4096))).toEqual(
      ['first', 'aside'],
    );
  });

  it('tells what was noted at checkpoints along the way', () => {
    const script = chain().checkpoint('mark', 'b').notes('mark', 'saved');
    expect(texts(ancestryRecap(view(script), nodeId('c'), 4096))).toEqual([
      'first',
      'second',
      'saved',
      'third',
    ]);
  });

  it('tells what came after a node on the way to a later one', () => {
    expect(texts(downstreamRecap(view(chain()), nodeId('a'), nodeId('c'), 4096))).toEqual([
      'second',
      'third',
    ]);
  });

  it('has nothing to tell where the later node is on another branch', () => {
    expect(downstreamRecap(view(chain().step('d', 'a')), nodeId('b'), nodeId('d'), 4096)).toEqual({
      notes: [],
      omitted: 0,
    });
  });

  it('always fits its budget, and leaves no note uncounted', () => {
    fc.assert(
      fc.property(scripts, fc.nat({ max: 80 }), (script, maxBytes) => {
        const of = view(script);
        const [last] = [...of.dag.runOf.keys()].slice(-1);
        if (!last) throw new Error('a script has a node');
        const recap = ancestryRecap(of, last, maxBytes);
        const all = ancestryRecap(of, last, 2 ** 20);
        expect(texts(recap).reduce((sum, text) => sum + utf8Length(text), 0)).toBeLessThanOrEqual(maxBytes);
        expect(recap.notes.length + recap.omitted).toBe(all.notes.length);
      }),
    );
  });
});
