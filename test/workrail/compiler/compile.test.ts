import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv/dist/2020';
import { canonicalJson, sha256Digest } from '../../../src/canonical';
import { builtins, contractPack, embed } from '../../../src/workrail/compiler';
import { CompiledWorkflow } from '../../../src/workrail/model';
import { compiled, control, counted, decide, loop, step, workflow, type Json } from './workflows';

const refStep = (more: Json): Json => ({ id: 'a', title: 'A', promptBlocks: more });

describe('a compiled workflow', () => {
  it('has the sha256 of its canonical JSON as its hash [workflow-hash-jcs-sha256] [hash-format-sha256-hex]', () => {
    const { compiled: made, workflowHash } = compiled(workflow([step('a')]));
    expect(workflowHash).toBe(sha256Digest(canonicalJson(made)._unsafeUnwrap()));
  });

  it('hashes to what it hashed to before: a change here changes what every run is pinned to', () => {
    const source = workflow(
      [
        step('a', { functionReferences: ['f()'] }),
        loop('l', [step('b'), decide('c')]),
        {
          type: 'template_call',
          id: 'r',
          templateId: 'wr.templates.review_loop',
          params: { subject: 'it', criteria: ['x?'], maxRounds: 2 },
        },
      ],
      {
        conditions: [control('l')],
        functionDefinitions: [{ name: 'f()', definition: 'Do f.' }],
        features: ['wr.features.memory_notes', 'wr.features.final_check'],
        capabilities: { delegation: 'required' },
      },
    );
    expect(compiled(source).workflowHash).toBe(
      'sha256:692262ef5919301e1fe9420e5553790fa16e11c739da3c82cab04d08666f1ee2',
    );
  });

  it('fits the schema of the model', () => {
    const { compiled: made } = compiled(workflow([loop('l', [decide('d')])], { conditions: [control('l')] }));
    expect(CompiledWorkflow.parse(made)).toEqual(made);
  });

  it('keeps the order of steps, with the bodies of loops in place, and sorts loops and conditions', () => {
    const source = workflow(
      [step('z'), loop('y', [step('b'), loop('x', [step('c')]), step('a')]), step('m')],
      { conditions: [counted('y'), counted('x')] },
    );
    const { walk, steps, loops, conditions } = compiled(source).compiled;
    expect(steps.map(({ stepId }) => stepId)).toEqual(['z', 'b', 'c', 'a', 'm']);
    expect(walk.map((item) => (item.kind === 'step' ? item.stepId : item.loopId))).toEqual(['z', 'y', 'm']);
    expect(loops.map(({ loopId }) => loopId)).toEqual(['x', 'y']);
    expect(conditions.map(({ conditionId }) => conditionId)).toEqual(['x-control', 'y-control']);
  });

  it('embeds the contracts that it uses, sorted, and no others', () => {
    const source = workflow([step('a'), loop('l', [decide('d')])], {
      conditions: [control('l')],
      features: ['wr.features.divergence_disclosure'],
      capabilities: { web_browsing: 'required' },
    });
    expect(compiled(source).compiled.contracts.map(({ contractRef }) => contractRef)).toEqual([
      'wr.contracts.capability_observation',
      'wr.contracts.loop_control',
      'wr.contracts.workflow_divergence',
    ]);
  });

  it('probes required capabilities first, in the order of their names, and only those', () => {
    const source = workflow([step('a')], {
      capabilities: { web_browsing: 'required', delegation: 'required' },
    });
    const [first, second, third] = compiled(source).compiled.steps;
    expect([first?.probes, second?.probes, third?.stepId]).toEqual(['delegation', 'web_browsing', 'a']);
    expect(first?.provenance).toEqual({
      source: 'template_injected',
      originId: 'wr.templates.capability_probe',
    });
    const preferred = workflow([step('a')], { capabilities: { delegation: 'preferred' } });
    expect(compiled(preferred).compiled.steps.map(({ stepId }) => stepId)).toEqual(['a']);
  });

  it('does not probe again what the author probes before anything else', () => {
    const probe = {
      type: 'template_call',
      id: 'p',
      templateId: 'wr.templates.capability_probe',
      params: { capability: 'delegation' },
    };
    const ids = (steps: readonly Json[]) =>
      compiled(workflow(steps, { capabilities: { delegation: 'required' } })).compiled.steps.map(
        ({ stepId }) => stepId,
      );
    expect(ids([probe, step('a')])).toEqual(['p', 'a']);
    expect(ids([step('a'), probe])).toEqual(['wr-probe-delegation', 'a', 'p']);
  });

  it('has a template in the place of its call, in the order of the template', () => {
    const call = {
      type: 'template_call',
      id: 'r',
      templateId: 'wr.templates.review_loop',
      params: { subject: 'it', criteria: ['x?'], maxRounds: 4 },
    };
    const { steps, loops } = compiled(workflow([step('a'), call, step('b')])).compiled;
    expect(steps.map(({ stepId }) => stepId)).toEqual(['a', 'r-review', 'r-revise', 'r-decide', 'b']);
    expect(loops).toMatchObject([{ loopId: 'r', maxIterations: 4 }]);
    expect(steps[1]?.provenance.source).toBe('template_injected');
  });

  it('puts the step of a feature at its anchor, with where it comes from', () => {
    const last = compiled(workflow([step('a')], { features: ['wr.features.final_check'] })).compiled.steps.at(
      -1,
    );
    expect(last).toMatchObject({
      stepId: 'wr-final-check',
      provenance: { source: 'feature_injected', originId: 'wr.features.final_check' },
    });
  });

  it('embeds the text of a reference, and keeps its id, hash, size and place', () => {
    const text = builtins().refs.find(({ id }) => id === 'wr.refs.evidence')?.shown ?? '';
    const source = workflow([refStep({ goal: 'G', verify: [{ kind: 'ref', refId: 'wr.refs.evidence' }] })]);
    const [made] = compiled(source).compiled.steps;
    expect(made?.prompt).toContain(text.split('\n')[0]);
    expect(made?.promptBlocks?.verify).toEqual([text]);
    expect(made?.embeddedRefs).toEqual([
      {
        refId: 'wr.refs.evidence',
        refContentHash: sha256Digest(text),
        bytes: new TextEncoder().encode(text).length,
        placement: 'verify',
      },
    ]);
  });

  it('embeds a text once, though a feature and the author both ask for it', () => {
    const source = workflow(
      [refStep({ goal: 'G', constraints: [{ kind: 'ref', refId: 'wr.refs.notes' }] })],
      {
        features: ['wr.features.memory_notes'],
      },
    );
    expect(compiled(source).compiled.steps[0]?.embeddedRefs).toHaveLength(1);
  });

  it('holds recommendations', () => {
    const source = workflow([step('a')], {
      recommendedPreferences: { autonomy: 'guided', riskPolicy: 'balanced' },
    });
    expect(compiled(source).compiled).toMatchObject({
      recommendedAutonomy: 'guided',
      recommendedRiskPolicy: 'balanced',
    });
  });
});

describe('a warning', () => {
  const kinds = (source: unknown) => compiled(source).compiled.compiledWarnings.map(({ kind }) => kind);

  it.each([
    [{ type: 'contains', value: 'analysisComplete = true' }, ['gameable_validation']],
    [{ type: 'regex', pattern: 'done' }, ['gameable_validation']],
    [
      {
        and: [
          { type: 'contains', value: 'done' },
          { type: 'length', min: 5 },
        ],
      },
      ['gameable_validation'],
    ],
    [
      {
        and: [
          { type: 'regex', pattern: 'Finding \\d+:' },
          { type: 'length', min: 200 },
        ],
      },
      [],
    ],
  ])('is given for criteria that a phrase satisfies: %j', (validationCriteria, expected) => {
    expect(kinds(workflow([step('a', { validationCriteria })]))).toEqual(expected);
  });

  it('is given for a function and a condition that nothing uses', () => {
    const source = workflow([step('a')], {
      functionDefinitions: [{ name: 'f()', definition: 'x' }],
      conditions: [{ id: 'c', kind: 'always_true' }],
    });
    expect(kinds(source)).toEqual(['unused_function', 'unused_condition']);
  });
});

describe('a contract pack', () => {
  it.each(builtins().contracts.map(({ id }) => id))(
    '%s accepts its own example by its embedded schema',
    (id) => {
      const pack = contractPack(id);
      if (!pack) throw new Error('unknown pack');
      const { schema, example } = embed(pack);
      expect(new Ajv({ strict: false }).validate(schema, example)).toBe(true);
      expect(pack.schema.safeParse(example).success).toBe(true);
    },
  );

  it('is embedded with what has no order sorted', () => {
    const pack = contractPack('wr.contracts.capability_observation');
    if (!pack) throw new Error('unknown pack');
    expect(embed(pack).schema.required).toEqual(['capability', 'evidence', 'kind', 'status']);
  });
});
