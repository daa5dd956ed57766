/** The text of a step: its prompt or prompt blocks, with canonical texts embedded, and the checks on it. */
import { at, suggest, type TemplateProblem } from '../../factory/schema';
import { byCodeUnits, type EmbeddedRef, type PromptBlocks, utf8Length } from '../model';
import { type AuthoredBlocks, type AuthoredStep, type PromptItem } from './authored';
import { type Draft, type DraftStep, type Path, stepsOf } from './draft';
import { featureOf } from './features';
import { embeddedRef, MAX_REF_BYTES, MAX_STEP_REF_BYTES, refOf, refs } from './refs';

/** Of the compiled prompt of a step, canonical texts included. */
export const MAX_STEP_PROMPT_BYTES = 32_768;

export interface StepText {
  readonly prompt: string;
  readonly promptBlocks?: PromptBlocks;
  readonly embeddedRefs: readonly EmbeddedRef[];
}

const PLACEMENTS = ['goal', 'constraints', 'procedure', 'verify'] as const;
type Placement = (typeof PLACEMENTS)[number];

/** The text of a step; `added` are canonical texts that features put into its constraints. */
export function textOf(step: AuthoredStep, added: readonly string[]): StepText {
  const authored = step.promptBlocks ?? {};
  const own = new Set(refsIn(authored).map(({ refId }) => refId));
  const extra: PromptItem[] = added
    .filter((refId) => !own.has(refId))
    .map((refId) => ({ kind: 'ref', refId }));
  const constraints = [...(authored.constraints ?? []), ...extra];
  const blocks: AuthoredBlocks = { ...authored, ...(constraints.length > 0 ? { constraints } : {}) };
  const resolved = resolve(blocks);
  const sections = sectionsOf(resolved);
  return {
    prompt: [...(step.prompt === undefined ? [] : [step.prompt]), ...sections].join('\n\n'),
    ...(step.promptBlocks ? { promptBlocks: resolved } : {}),
    embeddedRefs: refsIn(blocks).flatMap(({ refId, placement }) => {
      const ref = refOf(refId);
      return ref ? [embeddedRef(ref, placement)] : [];
    }),
  };
}

function refsIn(blocks: AuthoredBlocks): { refId: string; placement: Placement; path: Path }[] {
  return PLACEMENTS.flatMap((placement) => {
    const here = blocks[placement];
    const items = here === undefined ? [] : Array.isArray(here) ? here : [here];
    return items.flatMap((item, i) =>
      typeof item === 'string'
        ? []
        : [{ refId: item.refId, placement, path: Array.isArray(here) ? [placement, i] : [placement] }],
    );
  });
}

const resolveItem = (item: PromptItem): string =>
  typeof item === 'string' ? item : (refOf(item.refId)?.text ?? item.refId);

function resolve({ goal, constraints, procedure, outputRequired, verify }: AuthoredBlocks): PromptBlocks {
  return {
    ...(goal === undefined ? {} : { goal: resolveItem(goal) }),
    ...(constraints ? { constraints: constraints.map(resolveItem) } : {}),
    ...(procedure ? { procedure: procedure.map(resolveItem) } : {}),
    ...(outputRequired ? { outputRequired } : {}),
    ...(verify ? { verify: verify.map(resolveItem) } : {}),
  };
}

function sectionsOf({ goal, constraints, procedure, outputRequired, verify }: PromptBlocks): string[] {
  const list = (
    title: string,
    items: readonly string[] | undefined,
    mark: (i: number) => string,
  ): string[] =>
    items && items.length > 0
      ? [
          [`**${title}**`, ...items.map((item, i) => `${mark(i)} ${item.replaceAll('\n', '\n  ')}`)].join(
            '\n',
          ),
        ]
      : [];
  const dash = (): string => '-';
  // By key, so that the text does not depend on the order in which an object was written.
  const outputs = Object.entries(outputRequired ?? {})
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([key, text]) => `${key}: ${text}`);
  return [
    ...(goal === undefined ? [] : [goal]),
    ...list('Constraints', constraints, dash),
    ...list('Procedure', procedure, (i) => `${i + 1}.`),
    ...list('Output required', outputs, dash),
    ...list('Verify', verify, dash),
  ];
}

export function checkPrompts(draft: Draft): TemplateProblem[] {
  return stepsOf(draft.items).flatMap(({ item }) => [
    ...checkForm(item),
    ...checkProse(item),
    ...checkRefs(item),
    ...checkSizes(item, refsAddedTo(draft, item)),
  ]);
}

/** Canonical texts that features add to a step: to every one that an agent performs, except probes. */
export function refsAddedTo({ features }: Draft, { step, probes }: DraftStep): string[] {
  if (step.performedBy === 'person' || probes !== undefined) return [];
  const added = features.flatMap(({ featureId }) => featureOf(featureId)?.refId ?? []);
  return [...new Set(added)].sort(byCodeUnits);
}

function checkForm({ path, step: { prompt, promptBlocks } }: DraftStep): TemplateProblem[] {
  if (prompt === undefined && promptBlocks === undefined) {
    return [at(path, 'The step has no prompt.', 'Add "prompt", or "promptBlocks" with at least a goal.')];
  }
  if (prompt !== undefined && promptBlocks !== undefined) {
    return [at(path, 'The step has a prompt and prompt blocks.', 'Keep one of the two.')];
  }
  if (promptBlocks && Object.keys(promptBlocks).length === 0) {
    return [at([...path, 'promptBlocks'], 'The prompt blocks are empty.', 'Add at least a goal.')];
  }
  return [];
}

/** A canonical text named where nothing looks it up. */
const PROSE_REF = /\bwr\.refs\.[a-z_]+/;

function checkProse({ path, step }: DraftStep): TemplateProblem[] {
  const texts: [Path, string | undefined][] = [
    [['prompt'], step.prompt],
    [['agentRole'], step.agentRole],
  ];
  return texts.flatMap(([key, text]) => {
    const found = text === undefined ? null : PROSE_REF.exec(text);
    if (!found) return [];
    const message = `"${found[0]}" stands in prose, where no text is looked up.`;
    return [at([...path, ...key], message, `Use promptBlocks with {"kind": "ref", "refId": "${found[0]}"}.`)];
  });
}

function checkRefs({ path, step }: DraftStep): TemplateProblem[] {
  return refsIn(step.promptBlocks ?? {}).flatMap(({ refId, path: inside }) => {
    if (refOf(refId)) return [];
    const known = refs().map((one) => one.refId);
    const where = [...path, 'promptBlocks', ...inside, 'refId'];
    return [at(where, `There is no canonical text "${refId}".`, suggest(refId, known, ''))];
  });
}

/** Too much is refused, never cut. */
function checkSizes({ path, step }: DraftStep, added: readonly string[]): TemplateProblem[] {
  const { prompt, embeddedRefs } = textOf(step, added);
  const large = embeddedRefs.find(({ bytes }) => bytes > MAX_REF_BYTES);
  const injected = embeddedRefs.reduce((sum, { bytes }) => sum + bytes, 0);
  const whole = utf8Length(prompt);
  return [
    ...(large
      ? [
          at(
            path,
            `"${large.refId}" has ${large.bytes} bytes; at most ${MAX_REF_BYTES} fit.`,
            'Leave it out.',
          ),
        ]
      : []),
    ...(injected > MAX_STEP_REF_BYTES
      ? [
          at(
            path,
            `The canonical texts of this step have ${injected} bytes; at most ${MAX_STEP_REF_BYTES} fit.`,
            'Refer to fewer of them, or switch a feature off.',
          ),
        ]
      : []),
    ...(whole > MAX_STEP_PROMPT_BYTES
      ? [at(path, `The prompt has ${whole} bytes; at most ${MAX_STEP_PROMPT_BYTES} fit.`, 'Divide the step.')]
      : []),
  ];
}
