import { describe, expect, it } from '@jest/globals';
import { type StepOutput } from '../../../src/workrail/protocol';
import { counted, loop, step, workflow } from '../compiler/workflows';
import { desk, eventsOfKind, payloadOf, STEPS } from './protocols';

const promptOf = ({ pending }: StepOutput): string => pending?.prompt ?? '';

describe('whoever reads a place again', () => {
  it('hears the most recent notes, and how many older ones are not shown', async () => {
    const long = workflow([loop('many', [step('work')], { maxIterations: 30 }), step('end')], {
      conditions: [counted('many')],
    });
    const at = await desk([long]);
    let answer = await at.agent.start();
    for (let n = 0; n < 30; n += 1) {
      const notesMarkdown = `Note ${n}: ${'lorem ipsum '.repeat(50)}`;
      answer = await at.agent.next(answer, { output: { notesMarkdown } });
      expect(promptOf(answer)).not.toContain('Note ');
    }
    const prompt = promptOf(await at.agent.read(answer));
    expect(prompt).toContain('Note 29:');
    expect(prompt).not.toContain('Note 0:');
    const shown = prompt.match(/Note \d+:/g) ?? [];
    const omitted = Number(/\((\d+) older notes are not shown/.exec(prompt)?.[1]);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.length + omitted).toBe(30);
  });

  it('hears that the workflow has been changed or taken away; the run goes on as it was pinned', async () => {
    const at = await desk();
    const first = await at.agent.start();
    expect((await at.agent.read(first)).warnings).toEqual([]);
    at.shelf.put({ ...STEPS, description: 'Another one.' });
    const changed = await at.agent.read(first);
    expect(changed.warnings.join()).toContain('has been changed since this run was started');
    at.shelf.remove('user.sample');
    expect((await at.agent.read(first)).warnings.join()).toContain('no longer where it came from');
    expect((await at.agent.next(changed)).pending?.stepId).toBe('two');
  });

  it('gets the definitions of functions that the step uses, and of those its notes mention', async () => {
    const functionDefinitions = [
      { name: 'probe()', definition: 'Look at one thing.' },
      { name: 'sum()', definition: 'Add it up.' },
      { name: 'never()', definition: 'Not used here.' },
    ];
    const steps = [
      step('one', { functionReferences: ['sum()', 'never()'] }),
      step('two', { functionReferences: ['probe()'] }),
    ];
    const at = await desk([workflow(steps, { functionDefinitions })]);
    const second = await at.agent.next(await at.agent.start(), {
      output: { notesMarkdown: 'Used sum() twice.' },
    });
    const prompt = promptOf(await at.agent.read(second));
    expect(prompt).toContain('Look at one thing.');
    expect(prompt).toContain('Add it up.');
    expect(prompt).not.toContain('Not used here.');
    expect(prompt.indexOf('Look at one')).toBeLessThan(prompt.indexOf('Add it up'));
  });

  it('is told the gaps as they are now, where a replay tells them as they were', async () => {
    const at = await desk();
    const first = await at.agent.start({ preferences: { autonomy: 'full_auto_never_stop' } });
    const second = await at.agent.next(first, { output: {} });
    await at.agent.next(second, { output: {} });
    expect((await at.agent.read(second)).gapCount).toBe(2);
    expect((await at.agent.next(first)).gapCount).toBe(1);
  });
});

describe('notes that are too long', () => {
  it('are cut to their budget, and whoever wrote them hears it', async () => {
    const at = await desk();
    const second = await at.agent.next(await at.agent.start(), {
      output: { notesMarkdown: 'ü'.repeat(5000) },
    });
    expect(second.warnings.join()).toContain('their end was cut');
    const [output] = await eventsOfKind(at, second, 'node_output_appended');
    const payload = output?.data.payload;
    const kept = payload?.payloadKind === 'notes' ? payload.notesMarkdown : '';
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4096);
    expect(kept.endsWith('\n\n[TRUNCATED]')).toBe(true);
  });
});

describe('preferences', () => {
  it('are what a caller sets at the start, with a warning beyond what is recommended', async () => {
    const at = await desk([
      workflow([step('one'), step('two')], { recommendedPreferences: { autonomy: 'guided' } }),
    ]);
    const first = await at.agent.start({ preferences: { autonomy: 'full_auto_never_stop' } });
    expect(first.preferences).toEqual({ autonomy: 'full_auto_never_stop', riskPolicy: 'conservative' });
    expect(first.warnings).toHaveLength(1);
    const outputs = await eventsOfKind(at, first, 'node_output_appended');
    expect(JSON.stringify(outputs)).toContain('autonomy_exceeds_recommendation');
    const second = await at.agent.next(first);
    expect([second.preferences, second.warnings]).toEqual([first.preferences, []]);
  });

  it('are what a caller sets with a step, hold from there on, and go with a rewind', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const second = await at.agent.next(first, { preferences: { riskPolicy: 'balanced' } });
    expect(second.preferences.riskPolicy).toBe('balanced');
    expect((await at.agent.next(second)).preferences.riskPolicy).toBe('balanced');
    expect((await at.agent.read(first)).preferences.riskPolicy).toBe('conservative');
    const [changed] = await eventsOfKind(at, first, 'preferences_changed');
    expect(changed?.scope.nodeId).toBe(payloadOf(second.stateToken).nodeId);
  });

  it('hold for the very step they come with', async () => {
    const at = await desk();
    const free = await at.agent.next(await at.agent.start(), {
      output: {},
      preferences: { autonomy: 'full_auto_never_stop' },
    });
    expect(free).toMatchObject({ kind: 'ok', gapCount: 1 });
  });
});

describe('outputs', () => {
  it('are kept at the node they led to: notes, then artifacts by digest, each once', async () => {
    const at = await desk();
    const artifacts = [{ kind: 'b', n: 1 }, { kind: 'a' }, { n: 1, kind: 'b' }];
    const second = await at.agent.next(await at.agent.start(), {
      output: { notesMarkdown: 'Made.', artifacts },
    });
    const outputs = await eventsOfKind(at, second, 'node_output_appended');
    expect(outputs.map(({ data }) => data.outputChannel)).toEqual(['recap', 'artifact', 'artifact']);
    const refs = outputs.flatMap(({ data: { payload } }) =>
      payload.payloadKind === 'artifact_ref' ? [payload.sha256] : [],
    );
    expect([...refs].sort()).toEqual(refs);
    const texts = await Promise.all(
      refs.map(async (ref) => Buffer.from((await at.store.artifacts.get(ref))._unsafeUnwrap()).toString()),
    );
    expect(texts.sort()).toEqual(['{"kind":"a"}', '{"kind":"b","n":1}']);
    expect(new Set(outputs.map(({ scope }) => scope.nodeId))).toEqual(
      new Set([payloadOf(second.stateToken).nodeId]),
    );
  });

  it('disclose a divergence from the script', async () => {
    const steps = [
      step('one', { outputContract: { contractRef: 'wr.contracts.workflow_divergence' } }),
      step('two'),
    ];
    const at = await desk([workflow(steps)]);
    const artifacts = [{ kind: 'wr.workflow_divergence', reason: 'efficiency_skip', summary: 'Skipped it.' }];
    const second = await at.agent.next(await at.agent.start(), { output: { artifacts } });
    const [divergence] = await eventsOfKind(at, second, 'divergence_recorded');
    expect(divergence?.data).toMatchObject({ reason: 'efficiency_skip', summary: 'Skipped it.' });
  });
});
