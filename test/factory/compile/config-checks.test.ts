import { describe } from '@jest/globals';
import { block, refuses, template } from './templates';

const two = [block('alpha'), block('beta', ['alpha'])];

describe('the compiler refuses, in config, and what it cannot do yet:', () => {
  refuses([
    [
      'an unknown block in the module mapping',
      template(two, { module_mapping: { M1: ['betta'] } }),
      '/module_mapping/M1/0',
      'no block "betta"',
      'Use "beta".',
    ],
    [
      'an empty placeholder',
      template(two, { config: { x: ['{{ }}'] } }),
      '/config/x/0',
      '"{{ }}" is not a placeholder',
      'Write {{name}}',
    ],
    [
      'a placeholder of two words',
      template([block('a', [], { inputs: { config: { x: '{{a b}}' } } })]),
      '/blocks/0/inputs/config/x',
      '"{{a b}}" is not',
      'Write {{name}}',
    ],
    [
      'an unclosed placeholder',
      template(two, { config: { x: 'the {{name' } }),
      '/config/x',
      '"{{name" is not',
      'Write {{name}}',
    ],
    [
      'a config key that is built in',
      template(two, { config: { run: 1 } }),
      '/config/run',
      'built in',
      'Use another key.',
    ],
    [
      'a workspace that is no path',
      template(two, { config: { workspace: 1 } }),
      '/config/workspace',
      'a string',
      'Use "{{workspace_path}}".',
    ],
    [
      'a node envelope',
      template([block('a', [], { node: { op: [] } })]),
      '/blocks/0/node',
      'Node envelopes are not supported by this version',
      'Remove "node".',
    ],
  ]);
});
