/** Small templates for tests: a good one, changed in one place. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileTemplate, type Compilation, type TemplateProblem } from '../../../src/factory/compile';
import { type Block, type Template } from '../../../src/factory/schema';

/** A block with one artifact `out` and one metric `score`. */
export function block(id: string, needs: readonly string[] = [], change: Partial<Block> = {}): Block {
  return {
    id,
    name: id,
    layer: 'L0',
    type: 'build',
    skill: 'noop',
    trigger: { type: 'dependency' },
    inputs: { depends: needs.map((from) => ({ block: from, key: 'out' })) },
    outputs: {
      artifacts: [{ key: 'out', path: `{{workspace}}/${id}.json`, format: 'json' }],
      metrics: [{ key: 'score', type: 'number' }],
    },
    execution: {},
    lifecycle: { mode: 'one-shot' },
    ...change,
  };
}

export function template(blocks: readonly Block[], change: Partial<Template> = {}): Template {
  return { factory: { id: 'demo', name: 'Demo' }, blocks: [...blocks], ...change };
}

export function compiled(source: unknown): Compilation {
  const result = compileTemplate(source);
  if (result.isErr()) throw new Error(JSON.stringify(result.error, null, 1));
  return result.value;
}

/** The problems of a template that does not compile. */
export function problemsOf(source: unknown): TemplateProblem[] {
  const error = compileTemplate(source)._unsafeUnwrapErr();
  if (error.code !== 'TEMPLATE_INVALID') throw new Error(JSON.stringify(error));
  return error.details?.problems as TemplateProblem[]; // what TEMPLATE_INVALID carries
}

/** Blocks b0, b1, … each needing some of those before it. */
export const dag = (maxLength = 30): fc.Arbitrary<Block[]> =>
  fc
    .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength })
    .map((rows) =>
      rows.map((picks, i) =>
        block(`b${i}`, i === 0 ? [] : [...new Set(picks.map((pick) => `b${pick % i}`))]),
      ),
    );

/** A template with one thing wrong: its name, the template, and the pointer, message and fix to be reported. */
export type Refusal = [name: string, source: object, pointer: string, message: string, fix: string];

/** Each of these templates is refused with exactly its one problem. */
export function refuses(cases: readonly Refusal[]): void {
  it.each(cases)('%s', (_name, source, pointer, message, fix) => {
    const [problem, ...others] = problemsOf(source);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ pointer });
    expect(problem?.message).toContain(message);
    expect(problem?.fix).toContain(fix);
  });
}
