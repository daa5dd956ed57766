/** Gate decisions that come by signal. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sign } from '../../src/home';
import { GATE_DECISION } from '../../workflows/messages';
import { factory, gateAfter, scripted } from '../yard/templates';
import { decision, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

it('a decision that was signed for another run decides nothing here', async () => {
  const template = factory([scripted('page')], { human_gates: [gateAfter('page')] });
  const [run, other] = [await yard.start(template), await yard.start(template)];
  for (const one of [run, other]) await yard.untilBlock(one, 'page', 'waiting');
  const said = decision('page');
  const signal = (about: string) =>
    yard.client.workflow
      .getHandle(run)
      .signal(GATE_DECISION, { decision: said, signature: sign(yard.home, { run: about, decision: said }) });
  await signal(other);
  await yard.control(run, { type: 'pause', by: 'carl' });
  expect((await yard.untilStatus(run, 'paused')).gates).toMatchObject([{ block: 'page', outcome: null }]);
  await yard.control(run, { type: 'resume', by: 'carl' });
  await signal(run);
  await yard.untilStatus(run, 'completed');
  await yard.control(other, { type: 'cancel', by: 'carl' });
});
