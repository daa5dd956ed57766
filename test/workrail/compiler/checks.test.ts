import { describe, expect, it } from '@jest/globals';
import {
  control,
  counted,
  decide,
  loop,
  pointersOf,
  problemsOf,
  refusal,
  step,
  workflow,
  type Json,
} from './workflows';

const one = (more: Json): Json => workflow([step('a', more)]);

/** What is wrong, where it is reported, and a word of its fix. */
const FAULTS: readonly (readonly [string, unknown, string, string])[] = [
  ['a workflow that is a list', [], '', 'steps'],
  ['no steps', workflow([]), '/steps', 'Correct'],
  ['a misspelt key', workflow([step('a')], { agentRol: 'x' }), '/agentRol', 'agentRole'],
  [
    'a misspelt key of a step',
    one({ requireConfirmatio: true }),
    '/steps/0/requireConfirmatio',
    'requireConfirmation',
  ],
  ['an unknown type of step', workflow([{ ...step('a'), type: 'lop' }]), '/steps/0/type', '"loop"'],
  ['a step id with a delimiter', workflow([step('A: bé')]), '/steps/0/id', '"a-be"'],
  ['two steps with one id', workflow([step('a'), step('a')]), '/steps/1/id', '"a-2"'],
  ['an id reserved for injected steps', workflow([step('wr-a')]), '/steps/0/id', '"a"'],
  ['a text over its budget', one({ title: 'é'.repeat(2000) }), '/steps/0/title', 'Shorten'],
  ['no prompt', workflow([{ id: 'a', title: 'A' }]), '/steps/0', 'prompt'],
  ['a prompt and prompt blocks', one({ promptBlocks: { goal: 'x' } }), '/steps/0', 'one of the two'],
  [
    'a canonical text in prose',
    one({ prompt: 'See {{wr.refs.notes}}.' }),
    '/steps/0/prompt',
    '"kind": "ref"',
  ],
  [
    'an unknown canonical text',
    workflow([{ id: 'a', title: 'A', promptBlocks: { goal: { kind: 'ref', refId: 'wr.refs.note' } } }]),
    '/steps/0/promptBlocks/goal/refId',
    '"wr.refs.notes"',
  ],
  [
    'more canonical text than a step can hold',
    workflow([
      {
        id: 'a',
        title: 'A',
        promptBlocks: {
          procedure: Array.from({ length: 30 }, () => ({ kind: 'ref', refId: 'wr.refs.notes' })),
        },
      },
    ]),
    '/steps/0',
    'fewer',
  ],
  [
    'an unknown contract',
    one({ outputContract: { contractRef: 'wr.contracts.loop_contrl' } }),
    '/steps/0/outputContract/contractRef',
    '"wr.contracts.loop_control"',
  ],
  [
    'a contract of the factory',
    one({ output: { contractRef: 'wr.contracts.block_result' } }),
    '/steps/0/output/contractRef',
    'wr.contracts.',
  ],
  [
    'an inline schema',
    one({ output: { contractRef: 'wr.contracts.workflow_divergence', schema: {} } }),
    '/steps/0/output/schema',
    'contractRef',
  ],
  [
    'an unknown template',
    workflow([{ type: 'template_call', id: 't', templateId: 'wr.templates.review' }]),
    '/steps/0/templateId',
    'wr.templates.review_loop',
  ],
  [
    'parameters a template does not have',
    workflow([
      {
        type: 'template_call',
        id: 't',
        templateId: 'wr.templates.capability_probe',
        params: { capability: 'delegating' },
      },
    ]),
    '/steps/0/params/capability',
    '"delegation"',
  ],
  [
    'an unknown feature',
    workflow([step('a')], { features: ['wr.features.x'] }),
    '/features/0',
    'wr.features.',
  ],
  [
    'a feature without its capability',
    workflow([step('a')], { features: ['wr.features.subagent_guidance'] }),
    '/features/0',
    'delegation',
  ],
  [
    'an unknown capability',
    workflow([step('a')], { capabilities: { telepathy: 'required' } }),
    '/capabilities/telepathy',
    '',
  ],
  [
    'a function that the step does not see',
    workflow([
      step('a', { functionDefinitions: [{ name: 'f()', definition: 'x' }] }),
      step('b', { functionReferences: ['f()'] }),
    ]),
    '/steps/1/functionReferences/0',
    'functionDefinitions',
  ],
  [
    'a condition that is not there',
    workflow([loop('l', [decide('d')])]),
    '/steps/0/while/conditionId',
    '"kind": "loop_control"',
  ],
  [
    'a condition of another loop',
    workflow(
      [
        loop('l', [decide('d')]),
        loop('m', [decide('e')], { while: { kind: 'condition_ref', conditionId: 'l-control' } }),
      ],
      {
        conditions: [control('l')],
      },
    ),
    '/steps/1/while/conditionId',
    '"loopId": "m"',
  ],
  [
    'a loop that nothing decides about',
    workflow([loop('l', [step('a')])], { conditions: [control('l')] }),
    '/steps/0/body',
    'wr.contracts.loop_control',
  ],
  ['a decision that steers no loop', workflow([decide('d'), step('a')]), '/steps/0', 'right before'],
  [
    'a loop without a limit',
    workflow(
      [{ ...loop('l', [decide('d')]), maxIterations: undefined }].map(
        (l) => JSON.parse(JSON.stringify(l)) as Json,
      ),
      {
        conditions: [control('l')],
      },
    ),
    '/steps/0/maxIterations',
    'maxIterations',
  ],
  [
    'a loop that reaches no step',
    workflow([step('a'), loop('l', [loop('m', [step('b')])])], {
      conditions: [counted('l'), counted('m', 'always_false')],
    }),
    '/steps/1/body',
    'step that runs',
  ],
  [
    'a condition by an expression',
    workflow([loop('l', [step('a')])], {
      conditions: [{ id: 'l-control', kind: 'expression' }],
    }),
    '/conditions/0/kind',
    'loop_control',
  ],
  [
    'a pattern with a lookahead',
    one({ validationCriteria: { and: [{ type: 'regex', pattern: '(?=a)b' }] } }),
    '/steps/0/validationCriteria/and/0/pattern',
    'RE2',
  ],
  [
    'a rule of an unknown type',
    one({ validationCriteria: { type: 'schema' } }),
    '/steps/0/validationCriteria/type',
    '"contains"',
  ],
  [
    'a minimum above the maximum',
    one({ validationCriteria: { type: 'length', min: 5, max: 2 } }),
    '/steps/0/validationCriteria/min',
    'Swap',
  ],
];

describe('the compiler refuses', () => {
  it.each(FAULTS)('%s, and says where and what to do', (_, source, pointer, fix) => {
    const found = problemsOf(source).find((problem) => problem.pointer === pointer);
    expect(found?.message).toMatch(/\S/);
    expect(found?.fix).toContain(fix);
  });

  it('each fault of the list by itself, without problems that follow from it', () => {
    for (const [name, source] of FAULTS) expect([name, problemsOf(source).length]).toEqual([name, 1]);
  });

  it('everything that is wrong at once, each at its own place', () => {
    const source = workflow(
      [
        step('A'),
        step('b', { outputContract: { contractRef: 'wr.contracts.x' } }),
        loop('l', [step('c', { functionReferences: 3 }), decide('b')]),
      ],
      { id: 'wr.mine', conditions: [control('l')], version: 7 },
    );
    expect(pointersOf(source).sort()).toEqual([
      '/id',
      '/steps/0/id',
      '/steps/1/outputContract/contractRef',
      '/steps/2/body/0/functionReferences',
      '/steps/2/body/1/id',
      '/version',
    ]);
  });

  it('text that is not JSON, by line and column', () => {
    const { code, details } = refusal('{\n  "id": "user.x",\n  "id": "user.y"\n}');
    expect({ code, line: details?.line, column: details?.column }).toEqual({
      code: 'WORKFLOW_NOT_JSON',
      line: 3,
      column: 3,
    });
  });

  it('loops nested without end, and stays on its feet', () => {
    let deep = step('a');
    for (let n = 0; n < 60; n++) deep = loop(`l${n}`, [deep]);
    expect(problemsOf(workflow([deep])).some(({ message }) => message.includes('nested'))).toBe(true);
  });
});
