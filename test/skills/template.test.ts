/** The clone factory's template and the skills it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cloneFactory, SKILLS, TEMPLATE } from './factory-floor';

const HOUR = 3_600_000;
const factory = cloneFactory();

describe('the clone factory', () => {
  it('has a block in every layer', () => {
    const layers = new Set(factory.blocks.map(({ layer }) => layer));
    expect([...layers].sort()).toEqual(['L0', 'L0.25', 'L0.5', 'L1', 'L2', 'L2.5', 'L3', 'L3.5', 'L4']);
  });

  it('has the three gates of the document, with their approvers and their patience', () => {
    const gates = factory.blocks.flatMap(({ id, gates: { after } }) =>
      after === null ? [] : [[id, after.approvers, after.timeoutMs, after.autoApproveOnTimeout]],
    );
    expect(gates).toEqual([
      ['expert-framework-creator', ['expert', 'product_lead'], 48 * HOUR, false],
      ['gap-analyzer', ['product_lead'], 24 * HOUR, false],
      ['clone-tester', ['expert', 'product_lead', 'tech_lead'], 72 * HOUR, false],
    ]);
    expect(factory.blocks.filter(({ gates }) => gates.before !== null)).toEqual([]);
  });

  it('has the groups and the module mapping of the document', () => {
    expect(factory.groups.map(({ name, blocks }) => [name, blocks.length])).toEqual([
      ['L0-recon', 3],
      ['L2-extractors', 5],
      ['L3-builders', 3],
    ]);
    expect(Object.keys(factory.moduleMapping)).toHaveLength(9);
  });

  it('keeps what it declares: every artifact but the last has a reader', () => {
    const read = new Set(
      factory.blocks.flatMap(({ depends }) => depends.map(({ block, key }) => `${block}/${key}`)),
    );
    const unread = factory.blocks
      .flatMap(({ id, artifacts }) => artifacts.map(({ key }) => `${id}/${key}`))
      .filter((name) => !read.has(name));
    expect(unread).toEqual([
      'gap-analyzer/gap-questions',
      'clone-tester/simulation-log',
      'factory-reporter/factory-report',
    ]);
  });

  it('never hands a held-out sentence to a builder', () => {
    const readers = factory.blocks.filter(({ depends }) => depends.some(({ key }) => key === 'held-out'));
    expect(readers.map(({ id }) => id)).toEqual(['clone-tester']);
    expect(readFileSync(TEMPLATE, 'utf8')).not.toContain('index/**');
  });
});

describe.each(factory.blocks.map(({ skill }) => skill))('the skill %s', (skill) => {
  const path = join(SKILLS, skill, 'SKILL.md');

  it('has a SKILL.md whose front matter carries its name and a description', () => {
    const front = /^---\n([\s\S]*?)\n---\n/u.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    const fields = new Map(front.split('\n').map((line) => line.split(/:\s+(.*)/u, 2) as [string, string]));
    expect(fields.get('name')).toBe(skill);
    expect(fields.get('description')?.length).toBeGreaterThan(40);
  });

  it('tells of every input, artifact and metric of its block', () => {
    const body = readFileSync(path, 'utf8');
    const block = factory.blocks.find((one) => one.skill === skill);
    const keys = [...(block?.depends ?? []), ...(block?.artifacts ?? []), ...(block?.metrics ?? [])].map(
      ({ key }) => key,
    );
    expect(keys.filter((key) => !body.includes(`\`${key}\``))).toEqual([]);
  });

  it('has a program', () => {
    expect(existsSync(join(SKILLS, skill, 'run.mjs'))).toBe(true);
  });
});
