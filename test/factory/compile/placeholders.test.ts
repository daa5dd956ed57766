import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonObject } from '../../../src/canonical';
import {
  placeholdersIn,
  requiredParameters,
  resolveBlock,
  resolveConfig,
  resolveValue,
} from '../../../src/factory/compile';
import { type Template } from '../../../src/factory/schema';
import { block, compiled, template } from './templates';

const builtIns = { workspacePath: '/srv/ws', run: 'run-1' };
const factory = (config: JsonObject, change: Partial<Template['blocks'][number]> = {}) =>
  compiled(template([block('a', [], change)], { config })).compiled;
const resolve = (config: JsonObject, parameters: JsonObject = {}) =>
  resolveConfig(factory(config), parameters, builtIns)._unsafeUnwrap();

describe('placeholders', () => {
  it('are found in every string, trimmed, each once', () => {
    expect(placeholdersIn({ a: ['{{x}} {{ y }}', { b: '{{x}}' }], c: 'none', d: 3 })).toEqual(['x', 'y']);
  });

  it('stay in the compiled form, so one template has one hash for every run', () => {
    expect(JSON.stringify(factory({ who: '{{expert}}' }))).toContain('{{expert}}');
  });
});

describe('config', () => {
  it('asks for the parameter of its own name', () => {
    expect(resolve({ who: '{{who}}' }, { who: 'Ada' }).config).toEqual({ who: 'Ada' });
  });

  it('gives a lone placeholder the value itself, and writes others into the text', () => {
    const { config } = resolve(
      { a: '{{n}}', b: 'n={{n}}, {{o}}', c: '{{nil}}' },
      { n: 3, o: { k: [1] }, nil: null },
    );
    expect(config).toEqual({ a: 3, b: 'n=3, {"k":[1]}', c: null });
  });

  it('may use another key that has no placeholders of its own', () => {
    expect(resolve({ a: '{{b}}', b: 'plain' }).config).toEqual({ a: 'plain', b: 'plain' });
    expect(requiredParameters(factory({ a: '{{b}}', b: '{{a}}' }))).toEqual(['a', 'b']);
  });

  it('knows the built-ins', () => {
    const config = { workspace: '{{workspace_path}}/{{run}}', log: '{{workspace}}/log' };
    expect(resolve(config)).toMatchObject({
      workspace: '/srv/ws/run-1',
      config: { log: '/srv/ws/run-1/log' },
    });
    expect(resolve(config, { workspace_path: '/mine' }).workspace).toBe('/mine/run-1');
    expect(resolve({}).workspace).toBe('/srv/ws');
  });

  it('asks for a parameter where the workspace names itself', () => {
    const source = factory({ workspace: '{{workspace}}' });
    expect(requiredParameters(source)).toEqual(['workspace']);
    const resolved = resolveConfig(source, { workspace: '/mine' }, builtIns)._unsafeUnwrap();
    expect(resolved).toMatchObject({ workspace: '/mine', unused: [] });
  });

  it('names every parameter that is missing, in config and blocks', () => {
    const source = factory(
      { who: '{{who}}' },
      { inputs: { config: { x: '{{constructor}} {{who}} {{run}}' } } },
    );
    expect(requiredParameters(source)).toEqual(['constructor', 'who']);
    const error = resolveConfig(source, {}, builtIns)._unsafeUnwrapErr();
    expect(error).toMatchObject({ code: 'PARAMETERS_MISSING', details: { missing: ['constructor', 'who'] } });
  });

  it('lists parameters that nothing uses', () => {
    expect(resolve({ who: '{{who}}', fixed: 1 }, { who: 'Ada', fixed: 2, more: 3 }).unused).toEqual([
      'fixed',
      'more',
    ]);
  });

  it('never searches what was filled in', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = `{{run}}${text}{{secret}}`;
        expect(resolve({ a: '{{p}}' }, { p: value }).config).toEqual({ a: value });
      }),
    );
  });

  it('refuses a workspace that is no path', () => {
    const result = resolveConfig(
      factory({ workspace: '{{workspace_path}}' }),
      { workspace_path: 7 },
      builtIns,
    );
    expect(result._unsafeUnwrapErr().code).toBe('INPUT_INVALID');
  });
});

describe('a block', () => {
  it('is filled in from config, parameters and built-ins', () => {
    const source = factory(
      { slug: '{{slug}}' },
      {
        inputs: { files: ['{{workspace}}/in/*'], config: { n: '{{n}}' } },
        outputs: {
          artifacts: [{ key: 'k', path: '{{workspace}}/{{slug}}.md' }],
          publish: [{ domain: 'example.org', slug: '{{slug}}-{{n}}' }],
        },
        lens: { perspective: 'of {{slug}}' },
      },
    );
    const [only] = source.blocks;
    if (!only) throw new Error('a template has a block');
    expect(resolveBlock(source, only, { slug: 'ada', n: 1 }, builtIns)._unsafeUnwrap()).toMatchObject({
      files: ['/srv/ws/in/*'],
      config: { n: 1 },
      artifacts: [{ path: '/srv/ws/ada.md' }],
      publish: [{ slug: 'ada-1' }],
      lens: { perspective: 'of ada' },
    });
  });

  it('may replace parameters for itself, also where config passes them on', () => {
    const source = factory(
      { who: '{{name}}' },
      {
        inputs: { config: { a: '{{name}}', b: '{{who}}' } },
        scope: { run_params: { name: '{{name}} II', own: null } },
      },
    );
    const [only] = source.blocks;
    if (!only) throw new Error('a template has a block');
    const resolved = resolveBlock(source, only, { name: 'Ada' }, builtIns)._unsafeUnwrap();
    expect(resolved.config).toEqual({ a: 'Ada II', b: 'Ada II' });
    expect(requiredParameters(source)).toEqual(['name']);
  });
});

describe('any value', () => {
  it('is filled in from a scope, which must cover it', () => {
    expect(resolveValue(['{{a}}', { b: 'x{{a}}' }], { a: 1 })._unsafeUnwrap()).toEqual([1, { b: 'x1' }]);
    expect(resolveValue('{{a}} {{b}}', { a: 1 })._unsafeUnwrapErr().details).toEqual({ missing: ['b'] });
  });
});
