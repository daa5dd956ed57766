/**
 * What Block v2 allows and this version does not walk yet. Saying so at compile time beats ignoring it in a run; each
 * line goes when its feature comes.
 */
import { at, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

export function checkUnsupported({ template }: Draft): TemplateProblem[] {
  return template.blocks.flatMap(({ trigger, lifecycle, lens, scope }, index) => {
    const problems: TemplateProblem[] = [];
    const refuse = (path: readonly string[], what: string, fix: string): void => {
      problems.push(at(['blocks', index, ...path], `${what} is not supported by this version yet.`, fix));
    };
    if (trigger.type !== 'dependency') {
      refuse(['trigger', 'type'], `The trigger "${trigger.type}"`, 'Use "dependency".');
    }
    if (lifecycle.mode !== 'one-shot') {
      refuse(['lifecycle', 'mode'], `The lifecycle "${lifecycle.mode}"`, 'Use "one-shot".');
    }
    if ((lens?.aggregates ?? []).length > 0) {
      refuse(
        ['lens', 'aggregates'],
        'lens.aggregates',
        'Use null, and list the artifacts in inputs.depends.',
      );
    }
    if (lens?.feedback_loop === true) refuse(['lens', 'feedback_loop'], 'lens.feedback_loop', 'Use false.');
    if (typeof scope?.gate === 'number') refuse(['scope', 'gate'], 'scope.gate', 'Use null.');
    return problems;
  });
}
