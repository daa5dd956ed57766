import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/canonical';
import { type Block } from '../../../src/factory/schema';
import { block, compiled, dag, problemsOf, template } from './templates';

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => ({
    key,
    child: shuffled(child, random),
    at: random(),
  }));
  return Object.fromEntries(entries.sort((a, b) => a.at - b.at).map(({ key, child }) => [key, child]));
}

/** A template with groups, gates and thresholds on a DAG. */
const full = dag().map((blocks) => {
  const ids = blocks.map(({ id }) => id);
  const third = (n: number) => ids.filter((_, i) => i % 3 === n);
  return template(blocks, {
    config: { z: '{{slug}}', a: { y: 1, b: [true] } },
    parallel_groups: { odd: third(1), even: { blocks: third(2), max_concurrent: 2 } },
    human_gates: third(0).map((id) => ({ after_block: id, approvers: ['lead'] })),
    thresholds: third(1).map((id) => ({ block: id, metric: 'score', min: 1 })),
    module_mapping: { M2: ids, M1: [] },
  });
});

describe('compiling', () => {
  it('accepts every DAG, and repeats itself to the byte', () => {
    fc.assert(
      fc.property(full, (source) => {
        const first = compiled(source);
        const again = compiled(JSON.stringify(source, null, 2));
        expect(canonicalJson(again.compiled)).toEqual(canonicalJson(first.compiled));
        expect(again).toEqual(first);
        expect(first.plan.blocks.map(({ id }) => id)).toEqual(source.blocks.map(({ id }) => id));
      }),
    );
  });

  it('does not see the order of keys', () => {
    fc.assert(
      fc.property(full, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (source, stream) => {
        const other = shuffled(source, () => Number(stream.next().value));
        expect(compiled(other).factoryHash).toBe(compiled(source).factoryHash);
        expect(JSON.stringify(compiled(other).plan)).toBe(JSON.stringify(compiled(source).plan));
      }),
    );
  });

  it('finds the cycle that one more edge makes, and shows a path that exists', () => {
    fc.assert(
      fc.property(dag(), fc.nat(), (blocks, pick) => {
        // Make the chain b0 ← b1 ← … ← bn sure, then close it.
        const chain = blocks.slice(0, 2 + (pick % blocks.length)).map((one, i) => withNeed(one, `b${i - 1}`));
        fc.pre(chain.length > 1);
        const closed = [withNeed(block('b0'), `b${chain.length - 1}`), ...chain.slice(1)];
        const needs = new Map(
          closed.map(({ id, inputs }) => [id, (inputs.depends ?? []).map((one) => one.block)]),
        );
        const problems = problemsOf(template(closed));
        expect(problems.length).toBeGreaterThan(0);
        for (const { message } of problems) {
          const path = (/circle: (.*) \(/.exec(message)?.[1] ?? '').split(' → ');
          expect(path.at(-1)).toBe(path[0]);
          expect(path.length).toBeGreaterThan(2);
          path.slice(1).forEach((to, i) => expect(needs.get(path[i] ?? '')).toContain(to));
        }
      }),
    );
  });

  it('shows each of two cycles, and nothing of what only waits for them', () => {
    const blocks = [
      block('w', ['a']),
      block('a', ['b']),
      block('b', ['a']),
      block('m', ['b']),
      block('c', ['d', 'm']),
      block('d', ['c']),
    ];
    const shown = problemsOf(template(blocks)).map(({ message }) => /circle: (.*) \(/.exec(message)?.[1]);
    expect(shown).toEqual(['a → b → a', 'c → d → c']);
  });

  it('takes a thousand blocks, in one chain and in one circle, in its stride', () => {
    const chain = Array.from({ length: 1000 }, (_, i) => block(`b${i}`, i === 0 ? [] : [`b${i - 1}`]));
    const started = performance.now();
    expect(compiled(template(chain)).plan.blocks).toHaveLength(1000);
    expect(problemsOf(template([block('b0', ['b999']), ...chain.slice(1)]))).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

function withNeed(one: Block, from: string): Block {
  if (from === 'b-1') return one;
  const depends = [...(one.inputs.depends ?? []), { block: from, key: 'out' }];
  return { ...one, inputs: { depends } };
}
