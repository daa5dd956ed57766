import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/canonical';
import { workflowSchema } from '../../../src/workrail/compiler';
import { CompiledWorkflow } from '../../../src/workrail/model';
import { randomWorkflow } from './random-workflows';
import { compiled, step, workflow } from './workflows';

/** The same value with the keys of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

describe('compiling', () => {
  it('accepts nothing that the published schema refuses', () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(workflowSchema()) as object);
    fc.assert(
      fc.property(randomWorkflow, (source) => {
        compiled(source);
        expect(validate(source)).toBe(true);
      }),
    );
  });

  it('gives the same bytes for the same workflow, as text or value, whatever the order of keys [determinism]', () => {
    fc.assert(
      fc.property(randomWorkflow, (source) => {
        const first = compiled(source);
        expect(CompiledWorkflow.parse(first.compiled)).toEqual(first.compiled);
        for (const again of [JSON.stringify(source, null, 2), reversed(source)]) {
          const other = compiled(again);
          expect(canonicalJson(other.compiled)).toEqual(canonicalJson(first.compiled));
          expect(other.workflowHash).toBe(first.workflowHash);
        }
      }),
    );
  });

  it('does not see the order of features, conditions and functions, nor a feature said twice', () => {
    const features = [
      'wr.features.memory_notes',
      'wr.features.divergence_disclosure',
      'wr.features.follow_ups',
      'wr.features.final_check',
      'wr.features.subagent_guidance',
    ];
    const functions = ['f()', 'g()', 'h()'].map((name) => ({ name, definition: `Do ${name}.` }));
    const make = (some: readonly string[], definitions: readonly unknown[]) =>
      compiled(
        workflow([step('a', { functionReferences: ['f()', 'g()', 'h()'] })], {
          features: some,
          functionDefinitions: definitions,
          capabilities: { delegation: 'preferred' },
        }),
      ).workflowHash;
    const expected = make(features, functions);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(features, { minLength: features.length }),
        fc.subarray(features),
        fc.shuffledSubarray(functions, { minLength: 3 }),
        (order, twice, definitions) => {
          expect(make([...order, ...twice], definitions)).toBe(expected);
        },
      ),
    );
  });
});
