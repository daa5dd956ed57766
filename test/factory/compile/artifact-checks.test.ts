import { describe } from '@jest/globals';
import { block, refuses, template } from './templates';

const artifact = (...artifacts: { key?: string; path?: string; format?: string }[]) => ({
  outputs: { artifacts },
});

describe('the compiler refuses, in artifacts:', () => {
  refuses([
    [
      'an artifact without its key',
      template([block('a', [], artifact({ path: 'x' }))]),
      '/blocks/0/outputs/artifacts/0',
      'needs its "key"',
      'Add "key".',
    ],
    [
      'an artifact without its path',
      template([block('a', [], artifact({ key: 'k' }))]),
      '/blocks/0/outputs/artifacts/0',
      'needs its "path"',
      'Add "path": "{{workspace}}/k".',
    ],
    [
      'two artifacts of one key',
      template([block('a', [], artifact({ key: 'k', path: 'x' }, { key: 'k', path: 'y' }))]),
      '/blocks/0/outputs/artifacts/1/key',
      'two artifacts with the key "k"',
      'Give one of them another key.',
    ],
    [
      'two artifacts at one path',
      template([
        block('a', [], artifact({ key: 'k', path: './x//y' })),
        block('b', [], artifact({ key: 'k', path: '{{ workspace }}/z/../x/y' })),
      ]),
      '/blocks/1/outputs/artifacts/0/path',
      'also that of "k" of "a"',
      'Give each artifact a path of its own.',
    ],
    [
      'an artifact inside another',
      template([
        block('a', [], artifact({ key: 'k', path: 'x/', format: 'directory' })),
        block('b', [], artifact({ key: 'k', path: 'x/y.json' })),
      ]),
      '/blocks/1/outputs/artifacts/0/path',
      'is inside {{workspace}}/x, which is "k" of "a"',
      'Move it out of that directory.',
    ],
    [
      'an absolute path',
      template([block('a', [], artifact({ key: 'k', path: '/etc/passwd' }))]),
      '/blocks/0/outputs/artifacts/0/path',
      'absolute',
      'Use "{{workspace}}/etc/passwd".',
    ],
    [
      'a path that leaves the workspace',
      template([block('a', [], artifact({ key: 'k', path: '{{workspace}}/x/../../y' }))]),
      '/blocks/0/outputs/artifacts/0/path',
      'leaves the workspace',
      'Use "{{workspace}}/x/y".',
    ],
    [
      'a path under workspace_path',
      template([block('a', [], artifact({ key: 'k', path: '{{workspace_path}}/y' }))]),
      '/blocks/0/outputs/artifacts/0/path',
      'does not start with',
      'Use "{{workspace}}/y".',
    ],
    [
      'the workspace as an artifact',
      template([block('a', [], artifact({ key: 'k', path: '{{workspace}}/', format: 'directory' }))]),
      '/blocks/0/outputs/artifacts/0/path',
      'the workspace itself',
      'Use "{{workspace}}/name".',
    ],
    [
      'a directory of another format',
      template([block('a', [], artifact({ key: 'k', path: 'x/', format: 'json' }))]),
      '/blocks/0/outputs/artifacts/0/format',
      'is a directory',
      'Use "directory", or remove the last slash.',
    ],
  ]);
});
