/** One execution of one step: `stepId`, or `loop@iteration/…::stepId` inside loops (locks, section 1). */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { LoopId, StepId } from './ids';

/** Where a step stands among the loops around it, outermost first. */
export const LoopFrame = z.strictObject({ loopId: LoopId, iteration: z.int().nonnegative() });
export type LoopFrame = z.infer<typeof LoopFrame>;

/** The text of a step instance; sorted by code units wherever it is listed. */
export const StepInstanceKey = z
  .string()
  .refine((text) => parseStepInstanceKey(text).isOk(), 'not a step instance key')
  .brand<'StepInstanceKey'>();
export type StepInstanceKey = z.infer<typeof StepInstanceKey>;

export function stepInstanceKey(stepId: StepId, loopPath: readonly LoopFrame[]): StepInstanceKey {
  const loops = loopPath.map(({ loopId, iteration }) => `${loopId}@${iteration}`).join('/');
  // Its parts are delimiter-safe by their brands, so the text parses.
  return (loops === '' ? stepId : `${loops}::${stepId}`) as StepInstanceKey;
}

/** The parts of a key; the error says which part is wrong. */
export function parseStepInstanceKey(
  text: string,
): Result<{ readonly stepId: StepId; readonly loopPath: readonly LoopFrame[] }, string> {
  const cut = text.indexOf('::');
  const step = StepId.safeParse(cut === -1 ? text : text.slice(cut + 2));
  if (!step.success) return err('The step id is not of [a-z0-9_-].');
  if (cut === -1) return ok({ stepId: step.data, loopPath: [] });
  const loopPath: LoopFrame[] = [];
  for (const part of text.slice(0, cut).split('/')) {
    const [, loop = '', count = ''] = /^([^@]*)@(0|[1-9][0-9]*)$/.exec(part) ?? [];
    const frame = LoopFrame.safeParse({ loopId: loop, iteration: count === '' ? -1 : Number(count) });
    if (!frame.success) return err('A loop is written loopId@iteration, with the iteration from 0.');
    loopPath.push(frame.data);
  }
  return ok({ stepId: step.data, loopPath });
}
