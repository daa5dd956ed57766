import { expect, it } from '@jest/globals';
import { checkServed } from '../../api/not-served';
import { compileTemplate } from '../../src/factory/compile';
import { type Block } from '../../src/factory/schema';
import { factory, scripted } from '../yard/templates';

const problemsOf = (...blocks: Block[]): unknown =>
  checkServed(compileTemplate(factory(blocks))._unsafeUnwrap().compiled).match(
    () => [],
    ({ details }) => details?.problems,
  );

it('a run that needs a webhook or a feedback loop is refused with the place of each, and no other', () => {
  const hook: Block = { ...scripted('a'), trigger: { type: 'webhook', webhook: '/in/a' } };
  const loop: Block = { ...scripted('b'), lens: { feedback_loop: true } };
  const byHand: Block = { ...scripted('c'), trigger: { type: 'manual' } };
  expect(problemsOf(hook, loop, byHand)).toMatchObject([
    { pointer: '/blocks/0/trigger/type' },
    { pointer: '/blocks/1/lens/feedback_loop' },
  ]);
  expect(problemsOf(byHand)).toEqual([]);
});
