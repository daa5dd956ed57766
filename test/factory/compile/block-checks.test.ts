import { describe } from '@jest/globals';
import { type Block } from '../../../src/factory/schema';
import { block, refuses, template } from './templates';

const artifact = (...artifacts: { key?: string; path?: string; format?: string }[]) => ({
  outputs: { artifacts },
});
const long = 'a'.repeat(100);
const two = [block('alpha'), block('beta', ['alpha'])];
const execution = (value: Block['execution']) => [block('alpha', [], { execution: value })];
const depends = (item: { block?: string; key?: string }) => [
  block('alpha'),
  block('beta', [], { inputs: { depends: [item] } }),
];

describe('the compiler refuses, in ids:', () => {
  refuses([
    [
      'a block id of other letters',
      template([block('My Block!')]),
      '/blocks/0/id',
      'does not match',
      'Use "my-block".',
    ],
    ['a block id with __', template([block('a__2')]), '/blocks/0/id', 'contains "__"', 'Use "a_2".'],
    ['a block id of no letters', template([block('42')]), '/blocks/0/id', 'does not match', 'Use "block-1".'],
    [
      'a block id of more than 100 characters',
      template([block('a'.repeat(101))]),
      '/blocks/0/id',
      'has 101 characters; at most 100',
      `Use "${'a'.repeat(100)}".`,
    ],
    [
      'a duplicate of the longest block id',
      template([block(long), block(long, [], artifact())]),
      '/blocks/1/id',
      'already the id of block 1',
      `Use "${'a'.repeat(98)}-2".`,
    ],
    [
      'a factory id of more than 100 characters',
      template(two, { factory: { id: `${'a'.repeat(99)}-b`, name: '' } }),
      '/factory/id',
      'has 101 characters; at most 100',
      `Use "${'a'.repeat(99)}".`,
    ],
    [
      'a duplicate block id',
      template([block('alpha'), block('alpha', [], artifact())]),
      '/blocks/1/id',
      'already the id of block 1',
      'Use "alpha-2".',
    ],
    [
      'a bad factory id',
      template(two, { factory: { id: 'Clone Factory', name: '' } }),
      '/factory/id',
      'does not match',
      'Use "clone-factory".',
    ],
    [
      'a reserved factory id',
      template(two, { factory: { id: 'wr', name: '' } }),
      '/factory/id',
      'reserved',
      'Use "wr-2".',
    ],
  ]);
});

describe('the compiler refuses, in dependencies:', () => {
  refuses([
    [
      'a dependency without its block',
      template(depends({ key: 'out' })),
      '/blocks/1/inputs/depends/0',
      'needs its "block"',
      'Add "block".',
    ],
    [
      'a dependency without its key',
      template(depends({ block: 'alpha' })),
      '/blocks/1/inputs/depends/0',
      'needs its "key"',
      'Add "key".',
    ],
    [
      'a dependency on itself',
      template([block('alpha', ['alpha'])]),
      '/blocks/0/inputs/depends/0/block',
      'depends on itself',
      'Remove this dependency.',
    ],
    [
      'an unknown block',
      template(depends({ block: 'alpa', key: 'out' })),
      '/blocks/1/inputs/depends/0/block',
      'no block "alpa"',
      'Use "alpha".',
    ],
    [
      'an unknown artifact key',
      template(depends({ block: 'alpha', key: 'oout' })),
      '/blocks/1/inputs/depends/0/key',
      'no artifact "oout"',
      'Use "out".',
    ],
    [
      'a cycle of two',
      template([block('a', ['b']), block('b', ['a'])]),
      '/blocks/0/inputs/depends/0',
      'a → b → a',
      'Remove one of these dependencies.',
    ],
  ]);
});

describe('the compiler refuses, in the fields of a block:', () => {
  refuses([
    [
      'a time-out of nothing',
      template([block('a', [], { timeout: 0 })]),
      '/blocks/0/timeout',
      'whole number',
      'Use 300000',
    ],
    [
      'a time-out past what timers hold',
      template([block('a', [], { timeout: 2 ** 31 })]),
      '/blocks/0/timeout',
      'whole number',
      'Use 300000',
    ],
    [
      'negative retries',
      template(execution({ max_retries: -1 })),
      '/blocks/0/execution/max_retries',
      'whole number',
      'Use 0.',
    ],
    [
      'fractional retries',
      template(execution({ max_retries: 1.5 })),
      '/blocks/0/execution/max_retries',
      'whole number',
      'Use 2.',
    ],
    [
      'a skill outside its directory',
      template([block('a', [], { skill: '../x' })]),
      '/blocks/0/skill',
      'not the name of a skill',
      'folder in the skills directory',
    ],
    [
      'a file outside the workspace',
      template([block('a', [], { inputs: { files: ['../*.md'] } })]),
      '/blocks/0/inputs/files/0',
      'leaves the workspace',
      'Use "{{workspace}}/*.md".',
    ],
    [
      'a variable with its value',
      template([block('a', [], { inputs: { env: ['KEY=secret'] } })]),
      '/blocks/0/inputs/env/0',
      'not the name of a variable',
      'Give the name only',
    ],
    [
      'a metric without its key',
      template([block('a', [], { outputs: { metrics: [{}] } })]),
      '/blocks/0/outputs/metrics/0',
      'needs its "key"',
      'Add "key".',
    ],
    [
      'a metric declared twice',
      template([block('a', [], { outputs: { metrics: [{ key: 'm' }, { key: 'm' }] } })]),
      '/blocks/0/outputs/metrics/1/key',
      'declared twice',
      'Remove one',
    ],
    [
      'a publish target without its slug',
      template([block('a', [], { outputs: { publish: [{ domain: 'd' }] } })]),
      '/blocks/0/outputs/publish/0',
      'needs its "slug"',
      'Add "slug".',
    ],
    [
      'a workspace for one block',
      template([block('a', [], { scope: { run_params: { workspace: 'x' } } })]),
      '/blocks/0/scope/run_params/workspace',
      'whole run',
      'Remove "workspace".',
    ],
  ]);
});
