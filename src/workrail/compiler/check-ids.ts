/** Ids of steps, loops and conditions: they are part of a run's state, so each must be safe and its own. */
import { at, type TemplateProblem } from '../../factory/schema';
import { type Draft, type DraftStep, loopsOf, type Path, stepsOf } from './draft';
import { INJECTED_PREFIX } from './inject';

export function checkIds({ items, conditions }: Draft): TemplateProblem[] {
  const steps = stepsOf(items).map(({ item }) => item);
  return [
    ...twice(
      'step',
      steps.map(({ path, step }) => ({ path: [...path, 'id'], id: step.id })),
    ),
    ...twice(
      'loop',
      loopsOf(items).map(({ path, loop }) => ({ path: [...path, 'loopId'], id: loop.loopId })),
    ),
    ...twice(
      'condition',
      conditions.map(({ path, condition }) => ({ path: [...path, 'id'], id: condition.id })),
    ),
    ...steps.flatMap(reserved),
  ];
}

function twice(noun: string, ids: readonly { path: Path; id: string }[]): TemplateProblem[] {
  const taken = new Set(ids.map(({ id }) => id));
  const seen = new Set<string>();
  return ids.flatMap(({ path, id }) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const use = freeId(id, taken);
    taken.add(use);
    return [at(path, `The id "${id}" is already the id of another ${noun}.`, `Use "${use}".`)];
  });
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) if (!taken.has(`${id}-${n}`)) return `${id}-${n}`;
}

function reserved({ path, step, provenance }: DraftStep): TemplateProblem[] {
  if (provenance.source !== 'authored' || !step.id.startsWith(INJECTED_PREFIX)) return [];
  const message = `Ids that begin with "${INJECTED_PREFIX}" are for steps that the compiler adds.`;
  return [at([...path, 'id'], message, `Use "${step.id.slice(INJECTED_PREFIX.length) || 'step'}".`)];
}
