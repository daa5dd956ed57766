/** What is worth a word and stops nothing. In the compiled workflow, so without anything about where it was found. */
import { type CompiledWarning, StepId, type ValidationCriteria } from '../model';
import { rulesOf } from '../engine';
import { sees } from './check-functions';
import { type Draft, functionsOf, loopsOf, stepsOf } from './draft';

/** Less than this asks for no substance. */
const MIN_SUBSTANCE = 40;

export function warningsOf(draft: Draft): CompiledWarning[] {
  return [...legacyId(draft), ...gameable(draft), ...unusedFunctions(draft), ...unusedConditions(draft)];
}

function legacyId({ head: { id = '' } }: Draft): CompiledWarning[] {
  if (id.includes('.')) return [];
  return [{ kind: 'legacy_id', message: `The id "${id}" has no namespace; give it one, as in "user.name".` }];
}

/** Criteria that a single phrase satisfies are no evidence (locks, section 19). */
function gameable({ items }: Draft): CompiledWarning[] {
  return stepsOf(items).flatMap(({ item: { step } }) =>
    step.validationCriteria && isGameable(step.validationCriteria)
      ? [
          {
            kind: 'gameable_validation' as const,
            message: `A phrase alone satisfies the criteria of "${step.id}"; ask for a work product and for substance.`,
            stepId: StepId.parse(step.id),
          },
        ]
      : [],
  );
}

function isGameable(criteria: ValidationCriteria): boolean {
  const rules = rulesOf(criteria);
  const products = rules.filter(({ type }) => type !== 'length').length;
  const substance = rules.some((rule) => rule.type === 'length' && (rule.min ?? 0) >= MIN_SUBSTANCE);
  return products + (substance ? 1 : 0) < 2;
}

function unusedFunctions(draft: Draft): CompiledWarning[] {
  const steps = stepsOf(draft.items);
  return functionsOf(draft)
    .filter(
      (one) =>
        !steps.some(
          ({ item: { step }, around }) =>
            (step.functionReferences ?? []).includes(one.definition.name) && sees(one, step.id, around),
        ),
    )
    .map(({ definition: { name } }) => ({
      kind: 'unused_function' as const,
      message: `No step refers to the function "${name}".`,
    }));
}

/** The ids of the conditions that loops go by. */
export const usedConditions = ({ items }: Draft): ReadonlySet<string> =>
  new Set(loopsOf(items).map(({ loop }) => loop.while.conditionId));

function unusedConditions(draft: Draft): CompiledWarning[] {
  const used = usedConditions(draft);
  return draft.conditions
    .filter(({ condition }) => !used.has(condition.id))
    .map(({ condition: { id } }) => ({
      kind: 'unused_condition' as const,
      message: `No loop goes by the condition "${id}".`,
    }));
}
