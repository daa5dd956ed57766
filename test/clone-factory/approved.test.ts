/** The clone factory as it ships, with every gate approved. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunView } from '../../api/run-view';
import { compileTemplate } from '../../src/factory/compile';
import { blockOf, Yard } from '../yard/yard';
import { byStatus, cloneFactory, CloneRun } from './clone-run';
import { BLOCKS, GATES, GROUPS, statesAt, THRESHOLD } from './document';

const HOUR_MS = 3_600_000;
const compiled = compileTemplate(cloneFactory())._unsafeUnwrap().compiled;

describe('the clone factory, with every gate approved', () => {
  let yard: Yard;
  let ended: RunView;
  const atGate: Record<string, RunView> = {};

  beforeAll(async () => {
    yard = await Yard.open();
    const run = await CloneRun.start(yard);
    for (const { block } of GATES) atGate[block] = await run.approve(block);
    ended = await run.ends('completed');
  });
  afterAll(() => yard.close());

  it.each(GATES)('waits at the gate after $block, with all that depends on it blocked', ({ block }) => {
    expect(atGate[block]).toMatchObject({ status: 'running' });
    expect(atGate[block] && byStatus(atGate[block])).toEqual(statesAt(block));
  });

  it.each(GATES)('gives the approvers of $block $hours hours', ({ block, approvers, hours }) => {
    const opening = ended.gates.find((one) => one.block === block);
    expect(opening).toMatchObject({ gate: 'after', attempt: 1, approvers, overdue: false });
    expect(opening?.outcome).toMatchObject({
      decision: 'approved',
      via: 'decision',
      by: 'ann',
      role: approvers[0],
    });
    const { deadline, opened_at: opened } = opening ?? {};
    expect(Date.parse(deadline ?? '') - Date.parse(opened ?? '')).toBe(hours * HOUR_MS);
  });

  it('has 18 blocks done, each at its first attempt', () => {
    expect(byStatus(ended)).toEqual({ done: BLOCKS });
    for (const block of ended.blocks) {
      expect(block).toMatchObject({ attempt: 1, attempts: 0, failure: null, error: null, waiting_for: null });
      expect(block.history).toMatchObject([{ attempt: 1, failure: null }]);
    }
  });

  it('says how far each group is', () => {
    const texts = (view: RunView | undefined) => view?.groups.map(({ text }) => text);
    expect(ended.groups.map(({ name }) => name)).toEqual(Object.keys(GROUPS));
    expect(texts(ended)).toEqual(['L0-recon: 3/3 done', 'L2-extractors: 5/5 done', 'L3-builders: 3/3 done']);
    expect(texts(atGate['gap-analyzer'])).toEqual([
      'L0-recon: 3/3 done',
      'L2-extractors: 5/5 done',
      'L3-builders: 0/3 done',
    ]);
  });

  it('starts the members of a group together', () => {
    for (const members of Object.values(GROUPS)) {
      expect(new Set(members.map((id) => blockOf(ended, id).started_at)).size).toBe(1);
    }
  });

  it('starts no block before all that it depends on is done', () => {
    const dependencies = compiled.blocks.flatMap(({ id, depends }) =>
      depends.map(({ block }) => ({ id, block })),
    );
    expect(dependencies.length).toBeGreaterThan(40);
    for (const { id, block } of dependencies) {
      const gate = ended.gates.find((one) => one.block === block)?.outcome?.at;
      const before = gate ?? blockOf(ended, block).ended_at ?? '';
      expect(Date.parse(blockOf(ended, id).started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(before));
    }
  });

  it('has a score that reaches the threshold', () => {
    const { score, metrics } = blockOf(ended, 'clone-tester');
    expect(score).toBeGreaterThanOrEqual(THRESHOLD.min);
    expect(metrics[THRESHOLD.metric]).toBe(score);
  });

  it('leaves every declared artifact on the disk, as its digest says', () => {
    for (const block of compiled.blocks) {
      const { artifacts } = blockOf(ended, block.id);
      const declared = block.artifacts.map(({ key, path, format }) => {
        const at = join(ended.workspace, path.replace('{{workspace}}', ''));
        return { key, format, digest: format === 'directory' ? directoryDigest(at) : fileDigest(at) };
      });
      expect(artifacts.map(({ key, format, digest }) => ({ key, format, digest }))).toEqual(declared);
    }
    const formats = ended.blocks.flatMap(({ artifacts }) => artifacts.map(({ format }) => format));
    expect(formats.filter((format) => format === 'directory')).toHaveLength(3);
    expect(formats).toHaveLength(27);
  });
});

// Written anew rather than taken from the product: what it stores is to be recomputed, not repeated.
const digestOf = (bytes: string | Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const fileDigest = (path: string): string => digestOf(readFileSync(path));

function directoryDigest(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ bytes: statSync(path).size, digest: fileDigest(path), path: relative(folder, path) }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return digestOf(JSON.stringify({ files, version: 1 }));
}
