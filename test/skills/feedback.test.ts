/** What skills do with what reviewers say. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FactoryFloor, type Feedback } from './factory-floor';

const said = (text: string): { attempt: number; feedback: Feedback[] } => ({
  attempt: 2,
  feedback: [{ attempt: 1, from: 'sam@example.com', role: 'expert', text }],
});

interface Framework {
  readonly added_from_feedback: readonly { readonly name: string; readonly mentions: number }[];
  readonly feedback: readonly { readonly term: string; readonly status: string }[];
}
interface GapReport {
  readonly gaps: readonly { readonly kind: string; readonly about: string; readonly found: string }[];
}

describe('a quoted term in feedback', () => {
  let floor: FactoryFloor;

  beforeAll(() => {
    floor = new FactoryFloor();
    floor.walk('gap-analyzer');
  });
  afterAll(() => floor.close());

  it('that the sources have is added to the framework, with its evidence', () => {
    const before = floor.json('expert-framework-creator', 'expert-framework') as Framework;
    expect(before.added_from_feedback).toEqual([]);
    const result = floor.perform(
      'expert-framework-creator',
      said("It misses the 'sideways card' altogether."),
    );
    const after = floor.json('expert-framework-creator', 'expert-framework') as Framework;
    expect(after.added_from_feedback).toMatchObject([{ name: 'sideways card' }]);
    expect(after.added_from_feedback[0]?.mentions).toBeGreaterThan(0);
    expect(result.notes).toContain('sideways card');
  });

  it('that the sources do not have is reported and never invented', () => {
    const result = floor.perform('expert-framework-creator', said("Missing the 'Hat Debate' pattern."));
    const framework = floor.json('expert-framework-creator', 'expert-framework') as Framework;
    expect(framework.added_from_feedback).toEqual([]);
    expect(framework.feedback).toMatchObject([{ term: 'Hat Debate', status: 'not found' }]);
    expect(result.notes).toContain('"Hat Debate"');
  });

  it('that was added reaches the modules as embedded IP', () => {
    const evidence = (): number => {
      floor.perform('module-mapper');
      const { modules } = floor.json('module-mapper', 'module-map') as {
        modules: { module: string; evidence_count: number }[];
      };
      return modules.find(({ module }) => module === 'M4_embedded_ip')?.evidence_count ?? 0;
    };
    floor.perform('expert-framework-creator');
    const without = evidence();
    floor.perform('expert-framework-creator', said('Where is the "waiting list"?'));
    expect(evidence()).toBeGreaterThan(without);
  });

  it('becomes the first question of the gap analysis', () => {
    const before = floor.perform('gap-analyzer').metrics.open_gaps ?? Number.NaN;
    const after = floor.perform(
      'gap-analyzer',
      said("No word about the 'Hat Debate', and too little on 'job card'."),
    );
    expect(after.metrics.open_gaps).toBe(before + 2);
    const { gaps } = floor.json('gap-analyzer', 'gap-report') as GapReport;
    expect(gaps.slice(0, 2)).toMatchObject([
      { kind: 'reviewer', about: 'Hat Debate', found: 'in nothing that was extracted' },
      { kind: 'reviewer', about: 'job card', found: expect.stringMatching(/^\d+ sentences, first \(/u) },
    ]);
    expect(floor.text('gap-analyzer', 'gap-questions')).toContain('A reviewer misses "Hat Debate"');
  });

  it('puts a section into the prompt and a check into the test', () => {
    floor.perform('clone-compiler', said('Say more about the "loan chair".'));
    expect(floor.text('clone-compiler', 'system-prompt')).toContain('### loan chair');
    floor.perform('clone-tester', said('I want the "loan chair" and the "Red Folder" in it.'));
    expect(floor.json('clone-tester', 'test-results')).toMatchObject({
      reviewers: [
        { term: 'loan chair', in_sources: true, in_prompt: true },
        { term: 'Red Folder', in_sources: false, in_prompt: false },
      ],
    });
  });
});
