import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv';
import { Block, schemaFiles, Template } from '../../../src/factory/schema';
import examples from './example-blocks.json';
import { mutations } from './mutations';

const files = Object.entries(schemaFiles());
const compiled = (name: string) => {
  const schema = JSON.parse(schemaFiles()[name] ?? '') as object; // our own text, an object by construction
  return new Ajv({ strict: false }).compile(schema);
};

describe('the published JSON Schemas', () => {
  it.each(files)('docs/schemas/%s is current', (name, text) => {
    expect(readFileSync(join(__dirname, '../../../docs/schemas', name), 'utf8')).toBe(text);
  });

  it('judge blocks as the zod schema does', () => {
    const accepts = compiled('block-v2.schema.json');
    for (const { block, ...what } of examples.flatMap((example) => mutations(example))) {
      expect([what, accepts(block)]).toEqual([what, Block.safeParse(block).success]);
    }
  });

  it('judge templates as the zod schema does', () => {
    const accepts = compiled('factory-template.schema.json');
    const template = {
      factory: { id: 'f', name: 'F', version: '1' },
      config: { a: 1 },
      blocks: [examples[0]],
      parallel_groups: { g: ['a'], h: { blocks: ['b'], max_concurrent: 2 } },
      human_gates: [
        { after_block: 'a', approvers: ['x'], quorum: 2, timeout_hours: 1.5, self_approval: true },
      ],
      thresholds: [{ block: 'a', metric: 'm', min: 1, action: 'warn', override_allowed: false }],
      module_mapping: { m: ['a'] },
    };
    expect(accepts(template)).toBe(true);
    for (const { block: mutated, ...what } of mutations(template)) {
      expect([what, accepts(mutated)]).toEqual([what, Template.safeParse(mutated).success]);
    }
  });
});
