import { describe, expect, it } from '@jest/globals';
import { type Block } from '../../../src/factory/schema';
import { parseEvent } from '../../../src/factory/compile/event-pattern';
import { block, compiled, refuses, template } from './templates';

const triggered = (trigger: Block['trigger'], change: Partial<Block> = {}) =>
  template([block('a', [], { trigger, ...change })]);
const scoped = (
  id: string,
  gate: 1 | 2 | 3 | 4,
  needs: readonly string[] = [],
  change: Partial<Block> = {},
) => block(id, needs, { scope: { gate }, ...change });

describe('the compiler refuses, in triggers:', () => {
  refuses([
    [
      'a cron trigger without its cron',
      triggered({ type: 'cron' }),
      '/blocks/0/trigger',
      'needs its "cron"',
      'Add "cron": "0 3 * * *"',
    ],
    [
      'a cron expression of four fields',
      triggered({ type: 'cron', cron: '* * * *' }),
      '/blocks/0/trigger/cron',
      'five fields, this one has 4',
      'Use for example',
    ],
    [
      'a minute that no clock shows',
      triggered({ type: 'cron', cron: '60 * * * *' }),
      '/blocks/0/trigger/cron',
      '"60" is no minute',
      'Use for example',
    ],
    [
      'a day that never comes',
      triggered({ type: 'cron', cron: '0 0 30 2 *' }),
      '/blocks/0/trigger/cron',
      'never comes',
      'Use for example',
    ],
    [
      'an event whose filter has no value',
      triggered({ type: 'event', event: 'saved(kind)' }),
      '/blocks/0/trigger/event',
      '"kind" is not a filter "key=value"',
      'Use for example "expert.updated(status=final)"',
    ],
    [
      'an event with a placeholder, since nobody would fill it in',
      triggered({ type: 'event', event: 'saved(kind={{kind}})' }),
      '/blocks/0/trigger/event',
      'placeholders are not filled in',
      'Use for example',
    ],
    [
      'a webhook that is no path',
      triggered({ type: 'webhook', webhook: 'hooks?x' }),
      '/blocks/0/trigger/webhook',
      'not a path',
      'Use for example "/expert-updated"',
    ],
    [
      'one webhook for two blocks',
      template(['a', 'b'].map((id) => block(id, [], { trigger: { type: 'webhook', webhook: '/same' } }))),
      '/blocks/1/trigger/webhook',
      'already that of block "a"',
      'webhook of its own',
    ],
    [
      'a cron that has no effect',
      triggered({ type: 'manual', cron: '* * * * *' }),
      '/blocks/0/trigger/cron',
      'has no effect',
      'use "type": "cron"',
    ],
    [
      'a block on demand that nothing can ask for',
      triggered({ type: 'dependency' }, { lifecycle: { mode: 'on-demand' } }),
      '/blocks/0/trigger/type',
      'nothing can ask for it',
      'Use the trigger "manual"',
    ],
    [
      'a feedback loop without artifacts',
      triggered({ type: 'dependency' }, { lens: { feedback_loop: true }, outputs: {} }),
      '/blocks/0/lens/feedback_loop',
      'no artifacts',
      'use false',
    ],
  ]);
});

describe('the compiler refuses, in aggregates and scope gates:', () => {
  refuses([
    [
      'an unknown block to aggregate',
      template([block('alpha'), block('b', [], { lens: { aggregates: ['alpa'] } })]),
      '/blocks/1/lens/aggregates/0',
      'no block "alpa"',
      'Use "alpha".',
    ],
    [
      'a block that aggregates itself',
      template([block('a', [], { lens: { aggregates: ['a'] } })]),
      '/blocks/0/lens/aggregates/0',
      'aggregates itself',
      'Remove it.',
    ],
    [
      'a block without artifacts to aggregate',
      template([block('a', [], { outputs: {} }), block('b', [], { lens: { aggregates: ['a'] } })]),
      '/blocks/1/lens/aggregates/0',
      'nothing to aggregate',
      'Declare them in outputs.artifacts of "a"',
    ],
    [
      'a circle through an aggregate',
      template([block('a', [], { lens: { aggregates: ['b'] } }), block('b', ['a'])]),
      '/blocks/0/lens/aggregates/0',
      'a → b → a',
      'Remove one of these dependencies.',
    ],
    [
      'a circle of a dependency and a scope gate',
      template([scoped('early', 1, ['late']), scoped('late', 2)]),
      '/blocks/0/inputs/depends/0',
      'early → late → early',
      'change a "scope.gate"',
    ],
    [
      'a circle whose first edge is a scope gate',
      template([scoped('late', 2), block('mid', ['late']), scoped('early', 1, ['mid'])]),
      '/blocks/0/scope/gate',
      'late → early → mid → late',
      'change a "scope.gate"',
    ],
  ]);
});

describe('the plan', () => {
  it('says nothing of what a block does without', () => {
    const [plain] = compiled(template([block('a')])).plan.blocks;
    expect(Object.keys(plain ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/trigger|lifecycle|scopeGate/)]),
    );
  });

  it('carries triggers, lifecycles and scope gates', () => {
    const event = 'expert.updated( status = final , who.role=tech lead)';
    const change: Partial<Block> = {
      trigger: { type: 'event', event, cron: null },
      lifecycle: { mode: 'daemon' },
      scope: { gate: 3 },
    };
    expect(compiled(template([block('a', [], change)])).plan.blocks[0]).toMatchObject({
      trigger: {
        type: 'event',
        name: 'expert.updated',
        filters: { status: 'final', 'who.role': 'tech lead' },
      },
      lifecycle: 'daemon',
      scopeGate: 3,
    });
  });

  it('makes every artifact of an aggregated block a dependency, each once, after the named ones', () => {
    const two = { outputs: { artifacts: ['x', 'y'].map((key) => ({ key, path: `${key}.txt` })) } };
    const joint = block('c', ['b'], { lens: { aggregates: ['b', 'a', 'a'] } });
    const { plan, compiled: factory } = compiled(template([block('a', [], two), block('b'), joint]));
    expect(plan.blocks[2]?.depends).toEqual([
      { block: 'b', key: 'out' },
      { block: 'a', key: 'x' },
      { block: 'a', key: 'y' },
    ]);
    expect(factory.blocks[2]?.lens.aggregates).toEqual(['b', 'a']);
  });

  it('lets a block with a lower scope gate that may never run close no circle', () => {
    const trigger = { type: 'manual' } as const;
    const onDemand = scoped('extra', 1, ['late'], { trigger, lifecycle: { mode: 'on-demand' } });
    expect(compiled(template([onDemand, scoped('late', 2)])).plan.blocks).toHaveLength(2);
  });
});

describe('the pattern of an event', () => {
  it.each(['', '(a=1)', '1st', 'a b', 'a()', 'a(b=1', 'a(b=1)c', 'a(b=1,b=2)', 'a(=1)', 'a(__proto__=1)'])(
    '%j is refused',
    (text) => expect(parseEvent(text).isErr()).toBe(true),
  );
});
