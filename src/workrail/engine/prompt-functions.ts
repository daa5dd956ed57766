/** Definitions under a prompt, so that a rewound or new chat knows what `foo()` means (locks, section 5). */
import {
  byCodeUnits,
  type FunctionDefinition,
  type LoopFrame,
  type StepId,
  truncateUtf8,
  utf8Length,
} from '../model';

/** Of all definitions under one prompt. */
export const MAX_FUNCTIONS_BYTES = 8192;
/** Room for the note on what was left out. */
const OMISSION_BYTES = 48;
/** A definition that would be cut shorter than this is left out instead. */
const MIN_CUT_BYTES = 64;

const PRECEDENCE = { step: 0, loop: 1, workflow: 2 } as const;

/** The definitions of some names that a step sees: of one name the nearest, step before loops before workflow. */
export function visibleFunctions(
  functions: readonly FunctionDefinition[],
  stepId: StepId,
  loopPath: readonly LoopFrame[],
  names: readonly string[],
): FunctionDefinition[] {
  const nearest = new Map<string, FunctionDefinition>();
  const byDistance = functions
    .map((one) => ({ one, distance: distanceOf(one, stepId, loopPath) }))
    .filter(({ one, distance }) => distance !== null && names.includes(one.name))
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0));
  for (const { one } of byDistance) if (!nearest.has(one.name)) nearest.set(one.name, one);
  return [...nearest.values()].sort(
    (a, b) => PRECEDENCE[a.scope.kind] - PRECEDENCE[b.scope.kind] || byCodeUnits(a.name, b.name),
  );
}

function distanceOf(
  { scope }: FunctionDefinition,
  stepId: StepId,
  loopPath: readonly LoopFrame[],
): number | null {
  switch (scope.kind) {
    case 'step':
      return scope.stepId === stepId ? 0 : null;
    case 'loop': {
      const depth = loopPath.findIndex(({ loopId }) => loopId === scope.loopId);
      return depth === -1 ? null : loopPath.length - depth;
    }
    case 'workflow':
      return loopPath.length + 1;
  }
}

/** The section, within its budget: what does not fit is cut with the marker, the rest is counted. */
export function functionSection(functions: readonly FunctionDefinition[]): string {
  if (functions.length === 0) return '';
  const head = '**DEFINITIONS**';
  const lines = [head];
  let left = MAX_FUNCTIONS_BYTES - head.length - OMISSION_BYTES;
  for (const [i, { name, definition }] of functions.entries()) {
    const line = `- \`${name}\`: ${definition}`;
    const bytes = utf8Length(line) + 1;
    if (bytes <= left) {
      lines.push(line);
      left -= bytes;
      continue;
    }
    const cut = left > MIN_CUT_BYTES ? [truncateUtf8(line, left - 1)] : [];
    const omitted = functions.length - i - cut.length;
    const note = omitted > 0 ? [`Omitted ${omitted} function definitions.`] : [];
    return [...lines, ...cut, ...note].join('\n');
  }
  return lines.join('\n');
}

/** Which of some names a text mentions, for the definitions that a recap needs. */
export const namesIn = (text: string, functions: readonly FunctionDefinition[]): string[] =>
  [...new Set(functions.map(({ name }) => name))].filter((name) => text.includes(name));
