import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_SNIPPET_BYTES,
  SessionId,
  TRUNCATION_MARKER,
  utf8Length,
  EventIndex,
} from '../../../src/workrail/model';
import {
  rankForResume,
  textTokens,
  type Resumable,
  type ResumeQuery,
} from '../../../src/workrail/projections';
import { nodeId, runId } from '../session-script';

const resumable = (session: string, more: Partial<Resumable> = {}): Resumable => ({
  sessionId: SessionId.parse(session),
  runId: runId('run_1'),
  tipNodeId: nodeId('tip'),
  lastActivity: EventIndex.parse(1),
  gitHeadSha: null,
  gitBranch: null,
  recap: null,
  workflowId: 'project.example',
  workflowName: null,
  ...more,
});
const ranked = (query: ResumeQuery, ...runs: Resumable[]): string[] =>
  rankForResume(query, runs).map(({ sessionId, whyMatched }) => `${sessionId}: ${whyMatched.join(', ')}`);

describe('the resume ranking', () => {
  const SHA = 'a'.repeat(40);
  const query: ResumeQuery = { gitHeadSha: SHA, gitBranch: 'feature/x', text: 'fix login' };

  it('goes by tiers: commit, branch, notes, workflow, and then what happened last', () => {
    expect(
      ranked(
        query,
        resumable('s_recent', { lastActivity: EventIndex.parse(99) }),
        resumable('s_workflow', { workflowId: 'user.fix', workflowName: 'Login' }),
        resumable('s_notes', { recap: 'Did the Login; next: a fix.' }),
        resumable('s_branch', { gitBranch: 'feature/x' }),
        resumable('s_sha', { gitHeadSha: SHA }),
      ),
    ).toEqual([
      's_sha: matched_head_sha',
      's_branch: matched_branch',
      's_notes: matched_notes',
      's_workflow: matched_workflow_id',
      's_recent: recency_fallback',
    ]);
  });

  it('takes a branch that begins with the one asked for', () => {
    expect(ranked({ gitBranch: 'feature/' }, resumable('s1', { gitBranch: 'feature/y' }))).toEqual([
      's1: matched_branch',
    ]);
  });

  it('says everything that matched, the strongest first', () => {
    expect(ranked(query, resumable('s1', { gitBranch: 'feature/x', recap: 'fix login' }))).toEqual([
      's1: matched_branch, matched_notes',
    ]);
  });

  it('orders a tier by last activity, then by session id', () => {
    const late = EventIndex.parse(7);
    expect(ranked({}, resumable('s_c'), resumable('s_b', { lastActivity: late }), resumable('s_a'))).toEqual([
      's_b: recency_fallback',
      's_a: recency_fallback',
      's_c: recency_fallback',
    ]);
  });

  it('wants every token of the text as a whole token', () => {
    expect(ranked({ text: 'log' }, resumable('s1', { recap: 'login' }))).toEqual(['s1: recency_fallback']);
    expect(ranked({ text: 'fix login' }, resumable('s1', { recap: 'login only' }))).toEqual([
      's1: recency_fallback',
    ]);
  });

  it('matches nothing by a text without a token', () => {
    expect(ranked({ text: '¿?' }, resumable('s1', { recap: 'anything' }))).toEqual(['s1: recency_fallback']);
  });

  it('reads text in compatible forms and any case', () => {
    expect([...textTokens('ＬＯＧＩＮ Fix_1, ﬁx-2!')]).toEqual(['login', 'fix_1', 'fix-2']);
  });

  it('does not find a cut text by its marker', () => {
    expect(ranked({ text: 'truncated' }, resumable('s1', { recap: `notes${TRUNCATION_MARKER}` }))).toEqual([
      's1: recency_fallback',
    ]);
  });

  it('shows five at most, each with a snippet in its budget', () => {
    const recap = 'é'.repeat(2000);
    const found = rankForResume(
      {},
      Array.from({ length: 9 }, (_, i) => resumable(`s${i}`, { recap })),
    );
    expect(found).toHaveLength(5);
    for (const { snippet } of found) {
      expect(utf8Length(snippet ?? '')).toBeLessThanOrEqual(MAX_SNIPPET_BYTES);
      expect(snippet?.endsWith(TRUNCATION_MARKER)).toBe(true);
    }
  });

  const words = fc.constantFrom('fix', 'login', 'add', 'page');
  const some = fc
    .uniqueArray(
      fc.record({
        id: fc.nat({ max: 30 }),
        at: fc.nat({ max: 3 }),
        branch: fc.option(words),
        recap: fc.option(fc.array(words).map((all) => all.join(' '))),
        workflow: words,
      }),
      { selector: ({ id }) => id, maxLength: 12 },
    )
    .map((all) =>
      all.map(({ id, at, branch, recap, workflow }) =>
        resumable(`s${id}`, {
          lastActivity: EventIndex.parse(at),
          gitBranch: branch,
          recap,
          workflowId: `user.${workflow}`,
        }),
      ),
    );

  it('[determinism] gives the same order whatever order the sessions come in', () => {
    fc.assert(
      fc.property(
        some.chain((runs) =>
          fc.tuple(fc.constant(runs), fc.shuffledSubarray(runs, { minLength: runs.length })),
        ),
        fc.record({
          gitBranch: fc.option(words, { nil: undefined }),
          text: fc.option(words, { nil: undefined }),
        }),
        ([runs, shuffled], asked) => {
          expect(rankForResume(asked, shuffled)).toEqual(rankForResume(asked, runs));
        },
      ),
    );
  });
});
