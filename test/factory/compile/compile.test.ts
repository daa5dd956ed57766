import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../src/canonical';
import { compileTemplate, MAX_PLAN_BYTES } from '../../../src/factory/compile';
import { block, compiled, problemsOf, template } from './templates';

const pointers = (source: unknown) => problemsOf(source).map(({ pointer }) => pointer);

describe('a compiled factory', () => {
  it('has every default filled in', () => {
    const { compiled: factory } = compiled(template([block('alpha', [], { outputs: {} })]));
    expect(factory).toEqual({
      version: 1,
      id: 'factory.demo',
      factory: { id: 'demo', name: 'Demo', version: null, pattern: null, description: null },
      config: {},
      blocks: [
        {
          ...{
            id: 'alpha',
            workflowId: 'demo.alpha',
            name: 'alpha',
            layer: 'L0',
            type: 'build',
            skill: 'noop',
          },
          ...{ model: null, timeoutMs: 300_000, runtime: 'claude-cli', lifecycle: 'one-shot', maxRetries: 2 },
          trigger: { type: 'dependency', cron: null, event: null, webhook: null },
          ...{ depends: [], files: [], env: [], config: {}, artifacts: [], metrics: [], publish: [] },
          ...{ gates: { before: null, after: null }, thresholds: [], group: null },
          scope: { gate: null, runParams: {} },
          lens: { perspective: null, aggregates: [], feedbackLoop: false },
          recordState: { trackPer: null, states: [] },
        },
      ],
      groups: [],
      moduleMapping: {},
    });
  });

  it('is named by the hash of its canonical JSON', () => {
    const { compiled: factory, factoryHash, plan } = compiled(template([block('alpha')]));
    expect(factoryHash).toBe(digestOf(factory)._unsafeUnwrap());
    expect(plan.factoryHash).toBe(factoryHash);
  });

  it('has artifact paths in one form', () => {
    const artifacts = [
      { key: 'a', path: '{{ workspace }}/./x//{{slug}}.md' },
      { key: 'b', path: 'y/z/../dir/' },
    ];
    expect(
      compiled(template([block('alpha', [], { outputs: { artifacts } })])).compiled.blocks[0]?.artifacts,
    ).toEqual([
      { key: 'a', path: '{{workspace}}/x/{{slug}}.md', format: 'file' },
      { key: 'b', path: '{{workspace}}/y/dir', format: 'directory' },
    ]);
  });

  it('takes a gate from the block or from the template', () => {
    const gates = [
      {
        before_block: 'alpha',
        approvers: ['lead', 'lead'],
        quorum: 2,
        timeout_hours: 0.1,
        self_approval: true,
      },
    ];
    const source = template([block('alpha', [], { execution: { human_gate: 'after' } })], {
      human_gates: gates,
    });
    expect(compiled(source).plan.blocks[0]?.gates).toEqual({
      before: {
        approvers: ['lead'],
        quorum: 2,
        timeoutMs: 360_000,
        autoApproveOnTimeout: false,
        selfApproval: true,
      },
      after: {
        approvers: [],
        quorum: 'any',
        timeoutMs: null,
        autoApproveOnTimeout: false,
        selfApproval: false,
      },
    });
  });

  it('joins the thresholds of block and template by metric, the own one first', () => {
    const metrics = [{ key: 'score' }, { key: 'other' }];
    const own = block('alpha', [], {
      outputs: { metrics },
      execution: { threshold: { metric: 'score', min: 85 }, retryable: false },
    });
    const thresholds = [
      { block: 'alpha', metric: 'other', min: 1 },
      { block: 'alpha', metric: 'score', min: 85, action: 'warn' as const, override_allowed: false },
    ];
    expect(compiled(template([own], { thresholds })).plan.blocks[0]).toMatchObject({
      thresholds: [
        { metric: 'score', min: 85, action: 'warn', overrideAllowed: false },
        { metric: 'other', min: 1, action: 'fail', overrideAllowed: true },
      ],
      maxRetries: 0,
    });
  });

  it('puts a block in the group that lists it or that it names', () => {
    const blocks = ['a', 'b', 'c'].map((id) => block(id));
    blocks.push(block('d', [], { execution: { parallel_group: 'mine' } }));
    const { plan } = compiled(
      template(blocks, { parallel_groups: { z: { blocks: ['c', 'a'], max_concurrent: 1 } } }),
    );
    expect(plan.groups).toEqual([
      { name: 'mine', blocks: ['d'], maxConcurrent: null },
      { name: 'z', blocks: ['a', 'c'], maxConcurrent: 1 },
    ]);
    expect(plan.blocks.map(({ group }) => group)).toEqual(['z', null, 'z', 'mine']);
  });

  it('is the same with an empty node envelope as without one', () => {
    const plain = compiled(template([block('a')]));
    expect(compiled(template([block('a', [], { node: {} })]))).toEqual(plain);
  });

  it('comes from the clone factory', () => {
    const text = readFileSync(join(__dirname, '../../../factories/clone-factory.json'), 'utf8');
    const { plan } = compiled(text);
    expect(plan.blocks).toHaveLength(18);
    expect(plan.blocks.find(({ id }) => id === 'clone-tester')).toMatchObject({
      thresholds: [{ metric: 'overall_score', min: 85 }],
      gates: { after: { approvers: ['expert', 'product_lead', 'tech_lead'] } },
    });
  });
});

describe('all problems come at once', () => {
  it('from every check', () => {
    const blocks = [block('a', ['b']), block('b', ['a', 'x']), block('C')];
    const source = template(blocks, { human_gates: [{ after_block: 'q' }], config: { x: '{{' } });
    expect(pointers(source)).toEqual([
      '/blocks/2/id',
      '/blocks/1/inputs/depends/1/block',
      '/blocks/0/inputs/depends/0',
      '/human_gates/0/after_block',
      '/config/x',
    ]);
  });

  it('from the schema and from the checks, where the rest can be judged', () => {
    const wrong = { ...block('a'), layer: 'L9', modle: 'opus', state: {}, timeout: 'long' };
    const source = template([block('b', ['b'])], { human_gates: [{}] });
    const problems = problemsOf({ ...source, blocks: [wrong, ...source.blocks] });
    expect(problems.map(({ pointer, fix }) => [pointer, fix])).toEqual([
      ['/blocks/0/layer', expect.stringContaining('Use "L')],
      ['/blocks/0/timeout', 'Make it a number.'],
      ['/blocks/0/modle', 'Use "model".'],
      ['/blocks/0/state', 'Remove "state".'],
      ['/human_gates/0', expect.stringContaining('Keep "after_block"')],
      ['/blocks/1/inputs/depends/0/block', 'Remove this dependency.'],
    ]);
  });

  it('but no problem that only follows from another', () => {
    const renamed = { ...block('a'), outputs: { artifact: [] } };
    expect(pointers(template([renamed as never, block('b', ['a'])]))).toEqual(['/blocks/0/outputs/artifact']);
    const nameless = { ...block('a'), id: 7 };
    expect(pointers(template([nameless as never, block('b', ['a'])]))).toEqual(['/blocks/0/id']);
  });

  it.each<[object, string, string]>([
    [{ ...template([block('a')]), paralel_groups: {} }, '/paralel_groups', 'Use "parallel_groups".'],
    [
      template([block('a')], { parallel_groups: { g: { blocks: [], max_conc: 1 } as never } }),
      '/parallel_groups/g/max_conc',
      'Use one of',
    ],
    [
      template([block('a')], { parallel_groups: { g: { blocks: [], max_concurrent: 0 } } }),
      '/parallel_groups/g/max_concurrent',
      'Correct',
    ],
    [template([block('a')], { parallel_groups: { g: 3 as never } }), '/parallel_groups/g', 'expected array'],
    [template([]), '/blocks', 'Correct'],
    [{ blocks: [block('a')] }, '/factory', 'Add "factory", an object.'],
    [[], '', 'Make it an object.'],
  ])('with a fix for each slip against the schema (%#)', (source, pointer, fix) => {
    const [problem, ...others] = problemsOf(source);
    expect(others).toEqual([]);
    expect(problem).toEqual({ pointer, message: expect.any(String), fix: expect.stringContaining(fix) });
  });

  it('and a plan that is too large is one', () => {
    const keys = Array.from({ length: 50 }, (_, i) => ({ key: `${'k'.repeat(990)}-${i}` }));
    const blocks = Array.from({ length: 25 }, (_, i) =>
      block(`b${i}`, [], { outputs: { artifacts: keys.map(({ key }) => ({ key, path: `${i}/${key}` })) } }),
    );
    const [problem] = problemsOf(template(blocks));
    expect(problem).toMatchObject({ pointer: '/blocks', fix: 'Split the factory into smaller ones.' });
    expect(problem?.message).toContain(String(MAX_PLAN_BYTES));
  });
});

describe('what is not JSON', () => {
  it('is refused with its line and column', () => {
    const error = compileTemplate('{\n  "factory": {},\n  // blocks\n}')._unsafeUnwrapErr();
    expect(error).toMatchObject({ code: 'TEMPLATE_NOT_JSON', details: { line: 3, column: 3 } });
    expect(error.message).toContain('line 3, column 3: JSON has no comments');
  });

  it('is refused as a value too', () => {
    const proto: unknown = JSON.parse('{"__proto__":1}');
    for (const config of [{ x: undefined }, { x: NaN }, proto]) {
      const error = compileTemplate({ ...template([block('a')]), config })._unsafeUnwrapErr();
      expect(error.code).toBe('TEMPLATE_NOT_JSON');
    }
  });
});
