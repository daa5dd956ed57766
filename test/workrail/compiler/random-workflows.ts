/** Workflows with loops in loops, of every kind of condition. */
import fc from 'fast-check';
import { control, counted, decide, loop, step, workflow, type Json } from './workflows';

type Shape =
  | 'step'
  | {
      readonly kind: 'loop_control' | 'always_true' | 'always_false';
      readonly max: number;
      readonly before: boolean;
      readonly body: readonly Shape[];
    };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constant<Shape>('step'),
    fc.record({
      kind: fc.constantFrom('loop_control', 'always_true', 'always_false'),
      max: fc.integer({ min: 1, max: 3 }),
      /** Is there a decision right before the loop? */
      before: fc.boolean(),
      body: fc.array(tie('shape'), { minLength: 1, maxLength: 2 }),
    }),
  ),
}));

/** Steps and loops with ids in the order in which they come. */
export const randomWorkflow: fc.Arbitrary<Json> = fc
  .array(shape, { minLength: 1, maxLength: 3 })
  .map((shapes) => {
    let count = 0;
    const conditions: Json[] = [];
    const items = (some: readonly Shape[]): Json[] =>
      some.flatMap((one) => {
        const id = count++;
        if (one === 'step') return [step(`s${id}`)];
        const name = `l${id}`;
        const byDecision = one.kind === 'loop_control';
        conditions.push(byDecision ? control(name) : counted(name, one.kind));
        // Every body begins with a step, so that no loop turns without one.
        const body = [step(`b${id}`), ...items(one.body), ...(byDecision ? [decide(`d${id}`)] : [])];
        const made = loop(name, body, { maxIterations: one.max });
        return byDecision && one.before ? [decide(`e${id}`), made] : [made];
      });
    return workflow(items(shapes), { conditions });
  });
