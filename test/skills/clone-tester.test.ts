/** What the clone tester counts against a clone, and what the packager makes of it. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, afterAll, describe, expect, it } from '@jest/globals';
import { FactoryFloor, type SkillResult } from './factory-floor';

interface Results {
  readonly overall_score: number;
  readonly dimensions: readonly {
    readonly dimension: string;
    readonly points: number;
    readonly weight: number;
  }[];
  readonly governance: { readonly violations: readonly { readonly rule: string; readonly what: string }[] };
}

describe('the clone tester', () => {
  let floor: FactoryFloor;
  let good: SkillResult;
  let prompt: string;

  beforeAll(() => {
    floor = new FactoryFloor();
    good = floor.walkTo('clone-tester');
    for (const id of ['lead-magnet-builder', 'onboarding-builder']) floor.perform(id);
    prompt = floor.text('clone-compiler', 'system-prompt');
  });
  afterEach(() => writeFileSync(floor.artifact('clone-compiler', 'system-prompt'), prompt));
  afterAll(() => floor.close());

  const results = (): Results => floor.json('clone-tester', 'test-results') as Results;
  const addToPrompt = (text: string): void =>
    appendFileSync(floor.artifact('clone-compiler', 'system-prompt'), `\n${text}\n`);

  it('shares a hundred points among its dimensions, and the score is their sum', () => {
    floor.perform('clone-tester');
    const { dimensions, overall_score: score } = results();
    expect(dimensions.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
    expect(dimensions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score, 1);
    for (const { points, weight } of dimensions) expect(points).toBeLessThanOrEqual(weight);
  });

  it.each([
    ['an invented price', 'The Bench Visit is £99 this week.', 'figure not in the sources', '£99'],
    ['an invented link', 'See https://example.com/secret for more.', 'figure not in the sources', 'secret'],
    [
      'a false quotation',
      '- "I love being busy." (bio.md:3)',
      'quotation not in its source',
      'love being busy',
    ],
  ])('takes five points for %s', (_name, line, rule, what) => {
    addToPrompt(line);
    const { metrics } = floor.perform('clone-tester');
    expect(metrics.governance_violations).toBe(1);
    expect(results().governance.violations).toMatchObject([{ rule, what: expect.stringContaining(what) }]);
    expect(metrics.overall_score).toBeLessThan((good.metrics.overall_score ?? 0) - 4);
  });

  it('finds a question that the clone was given beforehand', () => {
    const { sentences } = floor.json('source-indexer', 'held-out') as { sentences: { text: string }[] };
    addToPrompt(sentences[0]?.text ?? '');
    floor.perform('clone-tester');
    expect(results().governance.violations).toMatchObject([
      { rule: 'held-out sentence in the clone', what: sentences[0]?.text },
    ]);
  });

  it('gives nothing for a voice or a method that the prompt does not have', () => {
    writeFileSync(floor.artifact('clone-compiler', 'system-prompt'), 'You are a helpful assistant.\n');
    const { metrics } = floor.perform('clone-tester');
    const points = new Map(results().dimensions.map((one) => [one.dimension, one.points]));
    expect(points.get('voice')).toBe(0);
    expect(points.get('framework')).toBeLessThan(8);
    expect(metrics.overall_score).toBeLessThan(85);
  });

  it('sets the score of the attempt before beside the new one', () => {
    const previous = { attempt: 1, score: 82, metrics: { overall_score: 82 }, failure: null, error: null };
    const again = floor.perform('clone-tester', { attempt: 2, previous });
    expect(again.metrics).toEqual(good.metrics);
    expect(floor.text('clone-tester', 'audit-sheet')).toContain('(the attempt before: 82)');
  });

  it('lets the packager ship the very clone it tested, and no other', () => {
    floor.perform('clone-tester');
    floor.perform('clone-packager');
    const shipped = join(floor.artifact('clone-packager', 'package'), 'clone/system-prompt.md');
    expect(readFileSync(shipped, 'utf8')).toBe(prompt);
    addToPrompt('One more line.');
    const end = floor.run('clone-packager');
    expect(end.status).not.toBe(0);
    expect(end.stderr).toContain('system_prompt changed after the test');
  });
});
