/** Function definitions and the names that steps refer to. */
import { at, suggest, type TemplateProblem } from '../../factory/schema';
import { type Draft, type DraftFunction, type DraftLoop, functionsOf, stepsOf } from './draft';

export function checkFunctions(draft: Draft): TemplateProblem[] {
  const functions = functionsOf(draft);
  return [
    ...doubled(functions),
    ...stepsOf(draft.items).flatMap(({ item: { path, step }, around }) => {
      const visible = functions.filter((one) => sees(one, step.id, around));
      const names = visible.map(({ definition }) => definition.name);
      return (step.functionReferences ?? []).flatMap((name, i) =>
        names.includes(name) || !draft.whole
          ? []
          : [
              at(
                [...path, 'functionReferences', i],
                `The step "${step.id}" sees no function "${name}".`,
                suggest(
                  name,
                  names,
                  'Define it in "functionDefinitions" of the step, a loop around it or the workflow.',
                ),
              ),
            ],
      );
    }),
  ];
}

/** Does a step see a function? Its own, those of the loops around it, the workflow's. */
export function sees({ scope }: DraftFunction, stepId: string, around: readonly DraftLoop[]): boolean {
  if (scope.kind === 'workflow') return true;
  if (scope.kind === 'step') return scope.id === stepId;
  return around.some(({ loop }) => loop.loopId === scope.id);
}

function doubled(functions: readonly DraftFunction[]): TemplateProblem[] {
  const seen = new Set<string>();
  return functions.flatMap(({ path, scope, definition: { name } }) => {
    const key = JSON.stringify([scope, name]);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      at([...path, 'name'], `The function "${name}" is defined twice in one place.`, 'Remove one of them.'),
    ];
  });
}
