import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv';
import fc from 'fast-check';
import { Block } from '../../../src/factory/schema';
import draft07 from './block-v2.draft-07.json';
import examples from './example-blocks.json';
import { mutations, type Mutation } from './mutations';

// The document's schema uses type unions and a format, which Ajv's strict mode would complain about.
const documentAccepts = new Ajv({ strict: false, validateFormats: false }).compile(draft07);
const weAccept = (block: unknown): boolean => Block.safeParse(block).success;

/** Where we may differ from the document's schema; anything else is a bug. */
const ALLOWED: { reason: string; applies: (mutation: Mutation) => boolean }[] = [
  {
    reason: 'a key the document does not list is an error, except inside free objects',
    applies: ({ kind, path }) => kind === 'add' && !isOurs(path) && !isFree(path.slice(0, -1)),
  },
  {
    reason: '"state" belongs to the engine and is an error in a config file',
    applies: ({ path }) => path[0] === 'state',
  },
  {
    reason: '"node" is our one additive key, and it is an object',
    applies: ({ path }) => path.length === 1 && path[0] === 'node',
  },
];

/** The two keys of a block with a line of their own. */
const isOurs = (path: readonly PropertyKey[]): boolean =>
  path.length === 1 && (path[0] === 'node' || path[0] === 'state');

const isFree = (path: readonly PropertyKey[]): boolean =>
  ['inputs.config', 'scope.run_params', 'node'].some((free) =>
    `${path.map(String).join('.')}.`.startsWith(`${free}.`),
  );

function compare(mutation: Mutation): void {
  const theirs = documentAccepts(mutation.block);
  const ours = weAccept(mutation.block);
  if (theirs === ours) return;
  const allowed = ALLOWED.some(({ applies }) => applies(mutation));
  if (allowed && theirs && !ours) return;
  throw new Error(`document: ${theirs}, we: ${ours}, after ${JSON.stringify(mutation)}`);
}

/** A block made from nothing but the document's schema: optional keys come and go. */
const generated = fc.record(
  {
    id: fc.string(),
    name: fc.string(),
    layer: fc.constantFrom(...draft07.properties.layer.enum),
    type: fc.constantFrom(...draft07.properties.type.enum),
    skill: fc.string(),
    model: fc.constantFrom('opus', 'sonnet', null),
    timeout: fc.double({ noNaN: true, noDefaultInfinity: true }),
    runtime: fc.constantFrom(...draft07.properties.runtime.enum),
    trigger: fc.record(
      {
        type: fc.constantFrom('dependency', 'cron', 'webhook', 'event', 'manual'),
        cron: fc.option(fc.string()),
      },
      { requiredKeys: ['type'] },
    ),
    inputs: fc.record(
      {
        depends: fc.array(fc.record({ block: fc.string(), key: fc.string() }, { requiredKeys: [] })),
        files: fc.array(fc.string()),
        config: fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    ),
    outputs: fc.record(
      {
        artifacts: fc.array(fc.record({ key: fc.string(), path: fc.string() }, { requiredKeys: [] })),
        publish: fc.option(fc.array(fc.record({ domain: fc.string() }, { requiredKeys: [] }))),
      },
      { requiredKeys: [] },
    ),
    execution: fc.record(
      {
        parallel_group: fc.option(fc.string()),
        threshold: fc.option(fc.record({ metric: fc.string(), min: fc.integer() }, { requiredKeys: [] })),
        max_retries: fc.double({ noNaN: true, noDefaultInfinity: true }),
      },
      { requiredKeys: [] },
    ),
    lifecycle: fc.record({ mode: fc.constantFrom('one-shot', 'daemon', 'on-demand') }),
    scope: fc.record({ gate: fc.constantFrom(1, 2, 3, 4, null) }, { requiredKeys: [] }),
    lens: fc.record({ aggregates: fc.option(fc.array(fc.string())) }, { requiredKeys: [] }),
  },
  {
    requiredKeys: [
      ...(['id', 'name', 'layer', 'type', 'skill'] as const),
      ...(['trigger', 'inputs', 'outputs', 'execution', 'lifecycle'] as const),
    ],
  },
);

describe('the Block v2 schema', () => {
  it.each(examples.map((block) => [block.id, block] as const))('accepts the example %s', (_id, block) => {
    expect(documentAccepts(block)).toBe(true);
    expect(weAccept(block)).toBe(true);
  });

  it('judges every single mutation of the examples as the document does', () => {
    const all = examples.flatMap((block) => mutations(block));
    expect(all.length).toBeGreaterThan(2000);
    all.forEach(compare);
  });

  it('judges generated blocks and their mutations as the document does', () => {
    fc.assert(
      fc.property(generated, fc.nat(), (block, pick) => {
        expect(weAccept(block)).toBe(true);
        const all = mutations(block);
        for (let i = 0; i < 20; i++) {
          const mutation = all[(pick + i * 7919) % all.length];
          if (mutation) compare(mutation);
        }
      }),
    );
  });

  it('uses every allowed difference, so that none outlives its reason', () => {
    const all = examples.flatMap((block) => mutations(block));
    for (const { reason, applies } of ALLOWED) {
      const used = all.some((one) => applies(one) && documentAccepts(one.block) && !weAccept(one.block));
      expect([reason, used]).toEqual([reason, true]);
    }
  });

  it('accepts an object as node, and any key in free objects', () => {
    const [block] = examples;
    expect(weAccept({ ...block, node: { op: [] } })).toBe(true);
    expect(weAccept({ ...block, scope: { run_params: { anything: [1] } } })).toBe(true);
  });
});
