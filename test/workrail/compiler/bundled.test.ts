import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderPending, start } from '../../../src/workrail/engine';
import { compiled } from './workflows';

const FOLDER = join(__dirname, '..', '..', '..', 'workrail-workflows');

describe('the bundled workflows', () => {
  it.each(readdirSync(FOLDER))('%s compiles without a warning and shows its first step', (name) => {
    const made = compiled(readFileSync(join(FOLDER, name), 'utf8'), { sourceKind: 'bundled' });
    expect(made.compiled.compiledWarnings).toEqual([]);
    const { snapshot } = start(made.compiled)._unsafeUnwrap();
    expect(renderPending(made.compiled, snapshot)._unsafeUnwrap().prompt).toContain('OUTPUT REQUIREMENTS');
  });

  it.each(readdirSync(FOLDER))('%s asks for evidence at every step that has no contract', (name) => {
    const { steps } = compiled(readFileSync(join(FOLDER, name), 'utf8'), { sourceKind: 'bundled' }).compiled;
    const unchecked = steps.filter(
      ({ outputContract, validationCriteria }) => !outputContract && !validationCriteria,
    );
    expect(unchecked.map(({ stepId }) => stepId)).toEqual([]);
  });
});

describe('the guide on workflows', () => {
  it('shows workflows and steps that compile', () => {
    const page = readFileSync(join(FOLDER, '..', 'docs', 'guides', 'workflows.md'), 'utf8');
    const [whole, call] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => json);
    expect(compiled(whole).compiled.compiledWarnings).toEqual([]);
    const step: unknown = JSON.parse(call ?? '');
    expect(compiled({ id: 'user.x', name: 'X', steps: [step] }).compiled.steps).toHaveLength(3);
  });
});
