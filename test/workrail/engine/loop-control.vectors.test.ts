import { describe, expect, it } from '@jest/globals';
import { contractPack, embed } from '../../../src/workrail/compiler';
import { LOOP_CONTROL, readLoopControl } from '../../../src/workrail/engine';
import vectors from '../../vectors/reasons.json';

interface Case {
  readonly fn: string;
  readonly test: string;
  readonly args: readonly unknown[];
  readonly expected: { readonly kind: string; readonly decision?: string };
}

// The file holds cases of several functions; those of this one have this shape.
const cases = (vectors.cases as readonly unknown[] as readonly Case[]).filter(
  ({ fn }) => fn === 'evaluateLoopControlFromArtifacts',
);
const KINDS: Readonly<Record<string, string>> = { found: 'found', not_found: 'missing', invalid: 'invalid' };

describe('loop control, by the vectors', () => {
  it('has them all', () => {
    expect(cases.length).toBe(13);
  });

  it.each(cases.map((one) => [one.test, one] as const))('%s', (_, { args: [artifacts], expected }) => {
    const pack = contractPack(LOOP_CONTROL);
    if (!pack || !Array.isArray(artifacts)) throw new Error('no such case');
    const control = readLoopControl(embed(pack), artifacts);
    const decision = control.kind === 'found' ? control.decision : undefined;
    expect([control.kind, decision]).toEqual([KINDS[expected.kind], expected.decision]);
  });
});

describe('beyond the vectors', () => {
  it('a decision about another loop is none for the one that asked', () => {
    // Known difference: the recorded implementation lets any loop's decision steer any other.
    const pack = contractPack(LOOP_CONTROL);
    if (!pack) throw new Error('no such pack');
    const artifacts = [{ kind: 'wr.loop_control', loopId: 'other', decision: 'stop' }];
    // A well-formed id.
    const mine = 'mine' as Parameters<typeof readLoopControl>[2];
    expect(readLoopControl(embed(pack), artifacts, mine).kind).toBe('invalid');
  });
});
