/** Loops and what steers them: conditions of the closed set, decided by a step in the right place (locks, section 9). */
import { at, suggest, type TemplateProblem } from '../../factory/schema';
import { LOOP_CONTROL } from '../engine';
import {
  contractRefOf,
  type Draft,
  type DraftItem,
  type DraftLoop,
  type DraftStep,
  loopsOf,
  sequencesOf,
} from './draft';

export function checkLoops(draft: Draft): TemplateProblem[] {
  return [
    ...loopsOf(draft.items).flatMap((loop) => checkLoop(draft, loop)),
    ...sequencesOf(draft.items).flatMap(({ items, of }) => checkDecisions(draft, items, of)),
    ...checkConditions(draft),
  ];
}

const conditionOf = ({ conditions }: Draft, { loop }: DraftLoop) =>
  conditions.find(({ condition }) => condition.id === loop.while.conditionId)?.condition;

function checkLoop(draft: Draft, item: DraftLoop): TemplateProblem[] {
  const { path, loop, body } = item;
  const condition = conditionOf(draft, item);
  const where = [...path, 'while', 'conditionId'];
  if (!condition) {
    if (!draft.whole) return [];
    const known = draft.conditions.map((one) => one.condition.id);
    const fix = suggest(
      loop.while.conditionId,
      known,
      `Add {"id": "${loop.while.conditionId}", "kind": "loop_control", "loopId": "${loop.loopId}"} to "conditions".`,
    );
    return [at(where, `There is no condition "${loop.while.conditionId}".`, fix)];
  }
  if (condition.kind === 'loop_control') {
    if (condition.loopId !== undefined && condition.loopId !== loop.loopId) {
      const message = `The condition "${condition.id}" decides about the loop "${condition.loopId}", not "${loop.loopId}".`;
      return [at(where, message, `Use a condition with "loopId": "${loop.loopId}".`)];
    }
    const last = body.at(-1);
    if (last && isDecision(last)) return [];
    const fix = `End the body with a step that has "outputContract": {"contractRef": "${LOOP_CONTROL}"}.`;
    return draft.whole
      ? [at([...path, 'body'], `Nothing in the loop "${loop.loopId}" decides whether it goes on.`, fix)]
      : [];
  }
  if (condition.kind === 'always_true' && !acts(draft, body)) {
    return [
      at([...path, 'body'], 'The loop turns without ever reaching a step.', 'Give it a step that runs.'),
    ];
  }
  return [];
}

const acts = (draft: Draft, items: readonly DraftItem[]): boolean =>
  items.some(
    (item) =>
      item.kind === 'step' || (conditionOf(draft, item)?.kind !== 'always_false' && acts(draft, item.body)),
  );

const isDecision = (item: DraftItem): item is DraftStep =>
  item.kind === 'step' && contractRefOf(item.step) === LOOP_CONTROL;

/** A decision is heard where it stands: at the end of a loop's body, or right before a loop. Elsewhere it steers nothing. */
function checkDecisions(
  draft: Draft,
  items: readonly DraftItem[],
  around: DraftLoop | null,
): TemplateProblem[] {
  return items.flatMap((item, i) => {
    if (!isDecision(item)) return [];
    const next = items[i + 1];
    const target = next === undefined ? around : next.kind === 'loop' ? next : null;
    // A condition that is not there is a problem of its loop.
    const steers = target !== null && (conditionOf(draft, target)?.kind ?? 'loop_control') === 'loop_control';
    if (steers || !draft.whole) return [];
    const message = `The decision of the step "${item.step.id}" would steer no loop.`;
    const fix =
      'Put it at the end of the body of a loop with a loop_control condition, or right before such a loop.';
    return [at(item.path, message, fix)];
  });
}

function checkConditions({ conditions, items, whole }: Draft): TemplateProblem[] {
  const loops = loopsOf(items).map(({ loop }) => loop.loopId);
  return conditions.flatMap(({ path, condition: { id, kind, loopId } }) => {
    const where = [...path, 'loopId'];
    if (kind !== 'loop_control') {
      return loopId === undefined
        ? []
        : [at(where, `A condition ${kind} is about no loop.`, 'Remove "loopId", or make it loop_control.')];
    }
    if (loopId === undefined) {
      return [at(where, `The condition "${id}" does not say which loop it decides about.`, 'Add "loopId".')];
    }
    return loops.includes(loopId) || !whole
      ? []
      : [at(where, `There is no loop "${loopId}".`, suggest(loopId, loops, 'Remove the condition.'))];
  });
}
