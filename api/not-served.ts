/** What a template may say and the service does not do yet. Saying so at the start beats a run that waits for ever. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { type CompiledFactory } from '../src/factory/compile';

/** Refuse a factory that needs what is not there; `details.problems` names every place. */
export function checkServed({ blocks }: CompiledFactory): Result<void, RailyardError> {
  const problems = blocks.flatMap(({ trigger, lens }, index) => {
    const found = [];
    if (trigger.type === 'webhook') {
      const message = 'Webhooks are not served by this version yet.';
      found.push({ pointer: `/blocks/${index}/trigger/type`, message, fix: 'Use "manual" or "event".' });
    }
    if (lens.feedbackLoop) {
      const message = 'lens.feedback_loop is not served by this version yet.';
      found.push({ pointer: `/blocks/${index}/lens/feedback_loop`, message, fix: 'Use false.' });
    }
    return found;
  });
  if (problems.length === 0) return ok();
  const message = 'The template needs what this version does not serve yet.';
  return err(
    problem('TEMPLATE_INVALID', message, {
      suggestion: 'Apply the fix given with each problem.',
      details: { problems },
    }),
  );
}
