/** The whole clone factory, block by block, on the sample expert. */
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FactoryFloor, filesUnder, SAMPLE, type SkillResult } from './factory-floor';

const THRESHOLD = 85;
/** Enough for a first clone, and not enough for a good one. */
const FIVE_SOURCES = [
  'method.md',
  'essay-busy.md',
  'essay-promise.md',
  'essay-apprentices.md',
  'talk-transcript.md',
];

function scoreWith(inbox: readonly string[]): number {
  const floor = new FactoryFloor(inbox);
  try {
    return floor.walkTo('clone-tester').metrics.overall_score ?? Number.NaN;
  } finally {
    floor.close();
  }
}

describe('the clone factory on the sample expert', () => {
  let floor: FactoryFloor;
  let results: Map<string, SkillResult>;

  beforeAll(() => {
    floor = new FactoryFloor();
    results = floor.walk();
  });
  afterAll(() => floor.close());

  it('runs all eighteen blocks', () => {
    expect(results.size).toBe(18);
  });

  it('writes every declared artifact, and a directory with something in it', () => {
    for (const { artifacts } of floor.blocks) {
      for (const { path, format } of artifacts) {
        expect(existsSync(path)).toBe(true);
        if (format === 'directory') expect(readdirSync(path)).not.toHaveLength(0);
      }
    }
  });

  it('reports every declared metric and no other, each in its range', () => {
    for (const { id, metrics } of floor.blocks) {
      const reported = results.get(id)?.metrics ?? {};
      expect(Object.keys(reported).sort()).toEqual(metrics.map(({ key }) => key).sort());
      for (const { key, type } of metrics) {
        expect(reported[key]).toBeGreaterThanOrEqual(0);
        if (type === 'percentage') expect(reported[key]).toBeLessThanOrEqual(100);
      }
    }
  });

  it('writes nothing but its artifacts', () => {
    const declared = floor.blocks.flatMap(({ artifacts }) => artifacts.map(({ path }) => path));
    const strays = filesUnder(floor.workspace).filter(
      (path) =>
        !path.startsWith(`${floor.workspace}/inbox/`) &&
        !declared.some((one) => path === one || path.startsWith(`${one}/`)),
    );
    expect(strays).toEqual([]);
  });

  it('keeps records in the states the template allows', () => {
    for (const { id, recordState } of floor.blocks) {
      const records = results.get(id)?.records ?? [];
      if (recordState.trackPer !== null) expect(records).not.toHaveLength(0);
      for (const { state } of records) expect(recordState.states).toContain(state);
    }
  });

  it('finds the method of the expert, in order', () => {
    expect(floor.json('expert-framework-creator', 'expert-framework')).toMatchObject({
      name: 'Quiet Bench Method',
      phases: ['Clear the Bench', 'Name the Job', 'Set the Pace', 'Finish in Order', 'Hand It Over'].map(
        (name) => ({
          name,
        }),
      ),
    });
  });

  it('notices what the sample says in two ways, and what it does not say', () => {
    const questions = floor.text('gap-analyzer', 'gap-questions');
    expect(questions).toContain('The sources give five and six.');
    expect(questions).toContain('testimonials');
    expect(questions).toContain('For whom does your method not work');
    expect(floor.text('lead-magnet-builder', 'lead-magnet')).not.toContain('The number is five');
  });

  it('gives a score that passes the threshold, without a governance violation', () => {
    const metrics = results.get('clone-tester')?.metrics;
    expect(metrics?.overall_score).toBeGreaterThanOrEqual(THRESHOLD);
    expect(metrics?.governance_violations).toBe(0);
  });

  it('lets no held-out sentence into the clone', () => {
    const { sentences } = floor.json('source-indexer', 'held-out') as { sentences: { text: string }[] };
    expect(sentences.length).toBeGreaterThan(30);
    const knowledge = filesUnder(floor.artifact('clone-compiler', 'knowledge-files'));
    const snapshot = floor.snapshot();
    const clone = [
      floor.text('clone-compiler', 'system-prompt'),
      floor.text('clone-compiler', 'tool-configs'),
      ...knowledge.map((path) => text(snapshot, path.slice(floor.workspace.length + 1))),
    ].join('\n');
    for (const sentence of sentences) expect(clone).not.toContain(sentence.text);
  });

  it('gives the same bytes in another workspace', () => {
    const again = new FactoryFloor();
    try {
      again.walk();
      expect(again.snapshot()).toEqual(floor.snapshot());
    } finally {
      again.close();
    }
  });
});

describe('the score', () => {
  it('stays far below the threshold with one source of rules and nothing else', () => {
    expect(scoreWith(['rules-on-the-wall.txt'])).toBeLessThan(20);
  });

  it('stays below the threshold with five of the twelve sources', () => {
    const score = scoreWith(FIVE_SOURCES);
    expect(score).toBeGreaterThan(60);
    expect(score).toBeLessThan(THRESHOLD);
  });

  it('falls below the threshold without the page that tells the method', () => {
    expect(scoreWith(readdirSync(SAMPLE).filter((name) => name !== 'method.md'))).toBeLessThan(THRESHOLD);
  });
});

function text(snapshot: ReadonlyMap<string, string>, name: string): string {
  return Buffer.from(snapshot.get(name) ?? '', 'base64').toString('utf8');
}
