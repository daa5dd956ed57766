import { describe } from '@jest/globals';
import { type Block } from '../../../src/factory/schema';
import { block, refuses, template } from './templates';

const two = [block('alpha'), block('beta', ['alpha'])];
const execution = (value: Block['execution']) => [block('alpha', [], { execution: value })];

describe('the compiler refuses, in groups:', () => {
  refuses([
    [
      'an unknown member',
      template(two, { parallel_groups: { g: { blocks: ['bet'] } } }),
      '/parallel_groups/g/blocks/0',
      'no block "bet"',
      'Use "beta".',
    ],
    [
      'a block in two groups',
      template(two, { parallel_groups: { g: ['alpha'], h: ['alpha'] } }),
      '/parallel_groups/h/0',
      'already in the group "g"',
      'Keep it in one group, once.',
    ],
    [
      'a member that names another group',
      template(execution({ parallel_group: 'other' }), { parallel_groups: { 'a/b': ['alpha'] } }),
      '/parallel_groups/a~1b/0',
      'names the group "other"',
      'Set parallel_group of "alpha" to "a/b", or move it.',
    ],
    [
      'a group that does not list its block',
      template(execution({ parallel_group: 'g' }), { parallel_groups: { g: [] } }),
      '/blocks/0/execution/parallel_group',
      'does not list block "alpha"',
      'Add "alpha" to parallel_groups',
    ],
  ]);
});

describe('the compiler refuses, in gates:', () => {
  refuses([
    [
      'a gate on an unknown block',
      template(two, { human_gates: [{ before_block: 'alfa' }] }),
      '/human_gates/0/before_block',
      'no block "alfa"',
      'Use "alpha".',
    ],
    [
      'a gate that stands twice',
      template(two, { human_gates: [{ after_block: 'alpha' }, { after_block: 'alpha' }] }),
      '/human_gates/1/after_block',
      'stands twice',
      'Join the two entries.',
    ],
    [
      'a gate on both sides',
      template(two, { human_gates: [{ after_block: 'alpha', before_block: 'alpha' }] }),
      '/human_gates/0',
      'exactly one of',
      'Keep "after_block" or "before_block"',
    ],
    [
      'a quorum of all without roles',
      template(two, { human_gates: [{ after_block: 'alpha', quorum: 'all' }] }),
      '/human_gates/0/quorum',
      'needs the roles',
      'List the roles in "approvers"',
    ],
    [
      'an approval by time-out without one',
      template(two, { human_gates: [{ after_block: 'alpha', auto_approve_on_timeout: true }] }),
      '/human_gates/0/auto_approve_on_timeout',
      'no effect',
      'Add "timeout_hours".',
    ],
    [
      'a gate that waits for centuries',
      template(two, { human_gates: [{ after_block: 'alpha', timeout_hours: 1e7 }] }),
      '/human_gates/0/timeout_hours',
      'at most',
      'Remove "timeout_hours"',
    ],
  ]);
});

describe('the compiler refuses, in thresholds:', () => {
  refuses([
    [
      'a threshold on an unknown block',
      template(two, { thresholds: [{ block: 'alph', metric: 'score', min: 1 }] }),
      '/thresholds/0/block',
      'no block "alph"',
      'Use "alpha".',
    ],
    [
      'a threshold on an unknown metric',
      template(two, { thresholds: [{ block: 'alpha', metric: 'scores', min: 1 }] }),
      '/thresholds/0/metric',
      'no metric "scores"',
      'Use "score".',
    ],
    [
      'a threshold of the block on an unknown metric',
      template(execution({ threshold: { metric: 'quality', min: 1 } })),
      '/blocks/0/execution/threshold/metric',
      'no metric "quality"',
      'Use one of "score".',
    ],
    [
      'a threshold without its minimum',
      template(execution({ threshold: { metric: 'score' } })),
      '/blocks/0/execution/threshold',
      'needs its "min"',
      'Add "min"',
    ],
    [
      'a threshold that stands twice',
      template(two, {
        thresholds: [
          { block: 'alpha', metric: 'score', min: 1 },
          { block: 'alpha', metric: 'score', min: 1 },
        ],
      }),
      '/thresholds/1',
      'stands twice',
      'Remove one of them.',
    ],
    [
      'two minimums for one metric',
      template(execution({ threshold: { metric: 'score', min: 2 } }), {
        thresholds: [{ block: 'alpha', metric: 'score', min: 1 }],
      }),
      '/thresholds/0/min',
      'minimum 1 here and 2',
      'Use 2, or change',
    ],
  ]);
});
