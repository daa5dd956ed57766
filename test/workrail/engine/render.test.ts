import { describe, expect, it } from '@jest/globals';
import {
  MAX_FUNCTIONS_BYTES,
  MAX_PROMPT_BYTES,
  MAX_RECAP_BYTES,
  renderPending,
} from '../../../src/workrail/engine';
import { TRUNCATION_MARKER, utf8Length } from '../../../src/workrail/model';
import { compiled, control, decide, loop, step, workflow, type Json } from '../compiler/workflows';
import { ack, begun, deciding, moved } from './runs';

const shown = (source: Json, recap?: string): string => {
  const { compiled: made } = compiled(source);
  return renderPending(made, begun(made), recap === undefined ? {} : { recap })._unsafeUnwrap().prompt;
};
const fn = (name: string, definition: string): Json => ({ name, definition });

describe('a rendered prompt', () => {
  it('has role, prompt, requirements and recap, in this order', () => {
    const text = shown(
      workflow([step('a', { validationCriteria: { type: 'contains', value: 'Finding' } })], {
        agentRole: 'Be brief.',
      }),
      'Earlier: x.',
    );
    const places = [
      'Be brief.',
      'Do a.',
      'OUTPUT REQUIREMENTS',
      'must contain "Finding"',
      'RECAP',
      'Earlier: x.',
    ];
    const found = places.map((part) => text.indexOf(part));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).not.toContain(-1);
  });

  it("has the step's own role where there is one", () => {
    const text = shown(workflow([step('a', { agentRole: 'Be long.' })], { agentRole: 'Be brief.' }));
    expect([text.includes('Be long.'), text.includes('Be brief.')]).toEqual([true, false]);
  });

  it('shows five requirements at most', () => {
    const rules = Array.from({ length: 9 }, (_, i) => ({ type: 'contains', value: `part-${i}` }));
    const text = shown(workflow([step('a', { validationCriteria: { and: rules } })]));
    expect(text.match(/part-\d/g)).toEqual(['part-0', 'part-1', 'part-2', 'part-3', 'part-4']);
  });

  it('shows the contract and not the criteria where a step has both', () => {
    const text = shown(
      workflow([
        step('a', {
          outputContract: { contractRef: 'wr.contracts.workflow_divergence' },
          validationCriteria: { type: 'contains', value: 'nowhere' },
        }),
      ]),
    );
    expect(text).toContain('- Artifact contract: wr.contracts.workflow_divergence');
    expect(text).toContain('kind: "wr.workflow_divergence"');
    expect(text).not.toContain('nowhere');
    expect(text.split('OUTPUT REQUIREMENTS (System):**')[1]?.match(/^- /gm)).toHaveLength(5);
  });

  it('says how notes are to be written exactly where notes are needed', () => {
    expect(shown(workflow([step('a')]))).toContain('NOTES (System)');
    const contracted = step('a', { outputContract: { contractRef: 'wr.contracts.workflow_divergence' } });
    expect(shown(workflow([contracted]))).not.toContain('NOTES (System)');
  });

  it('cuts a recap that is too long, with the marker, and stays in its budget [truncation-marker-format]', () => {
    const text = shown(workflow([step('a', { prompt: 'é'.repeat(8000) })]), '語'.repeat(20_000));
    expect(text.endsWith(TRUNCATION_MARKER)).toBe(true);
    expect(utf8Length(text)).toBeLessThanOrEqual(MAX_PROMPT_BYTES);
    expect(utf8Length(text.split('RECAP (System):**\n')[1] ?? '')).toBeLessThanOrEqual(MAX_RECAP_BYTES);
  });

  it('tells the decision step of the last iteration that it is the last', () => {
    const { compiled: made } = compiled(
      workflow([loop('l', [step('b'), decide('c')], { maxIterations: 2 })], { conditions: [control('l')] }),
    );
    const first = moved(made, begun(made), ack()).snapshot;
    const second = moved(made, moved(made, first, deciding('continue')).snapshot, ack()).snapshot;
    const text = (at: typeof first) => renderPending(made, at)._unsafeUnwrap().prompt;
    expect(text(first)).toContain('iteration 1 of at most 2.)');
    expect(text(second)).toContain('iteration 2 of at most 2. It is the last one');
  });
});

describe('definitions under a prompt', () => {
  const scoped = workflow(
    [
      loop(
        'l',
        [
          step('a', {
            functionReferences: ['b()', 'a()', 'c()', 'same()'],
            functionDefinitions: [fn('c()', 'of the step')],
          }),
          decide('d'),
        ],
        { functionDefinitions: [fn('b()', 'of the loop'), fn('same()', 'the nearer')] },
      ),
    ],
    {
      conditions: [control('l')],
      functionDefinitions: [fn('a()', 'of the workflow'), fn('same()', 'the farther'), fn('unseen()', 'x')],
    },
  );

  it("are those the step refers to: its own, then its loops', then the workflow's, by name; the nearer hides the farther", () => {
    const lines = shown(scoped).match(/^- `.*$/gm);
    expect(lines).toEqual([
      '- `c()`: of the step',
      '- `b()`: of the loop',
      '- `same()`: the nearer',
      '- `a()`: of the workflow',
    ]);
  });

  it('include what the recap mentions, after what the step needs', () => {
    const lines = shown(scoped, 'We used unseen() before.').match(/^- `.*$/gm);
    expect(lines?.at(-1)).toBe('- `unseen()`: x');
  });

  it('that are too long are cut with the marker, and the rest is counted', () => {
    const names = ['a()', 'b()', 'c()', 'd()'];
    const text = shown(
      workflow([step('a', { functionReferences: names })], {
        functionDefinitions: names.map((name) => fn(name, `${name} ${'é'.repeat(2500)}`)),
      }),
    );
    const section = /\*\*DEFINITIONS\*\*[\s\S]*?Omitted \d+ function definitions\./.exec(text)?.[0] ?? '';
    expect(section).toContain(TRUNCATION_MARKER);
    expect(section).toContain('Omitted 2 function definitions.');
    expect(utf8Length(section)).toBeLessThanOrEqual(MAX_FUNCTIONS_BYTES);
  });
});
