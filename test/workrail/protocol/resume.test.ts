import { describe, expect, it } from '@jest/globals';
import { step, workflow } from '../compiler/workflows';
import { desk, eventsOfKind, STEPS, unwrap } from './protocols';

const OTHER = workflow([step('alpha')], { id: 'user.other', name: 'Parser rewrite' });
const SHA = 'a'.repeat(40);

describe('resume_session', () => {
  it('finds a run by what is known of it, best match first, and its token leads back into it', async () => {
    const at = await desk([STEPS, OTHER]);
    const byHead = await at.agent.start({ workspace: { gitHeadSha: SHA, gitBranch: 'main' } });
    const byBranch = await at.agent.start({ workspace: { gitBranch: 'fix/parser', repoRoot: '/work/here' } });
    const byNotes = await at.agent.next(await at.agent.start(), {
      output: { notesMarkdown: 'The **parser** drops quotes.' },
    });
    const byName = await at.agent.start({}, 'user.other');
    const fresh = await desk([STEPS, OTHER], at.root);
    const { candidates, totalEligible } = unwrap(
      await fresh.agent.call('resume_session', { query: 'parser', gitBranch: 'fix/', gitHeadSha: SHA }),
    );
    expect(totalEligible).toBe(4);
    expect(candidates.map(({ label, whyMatched }) => [label, whyMatched[0]])).toEqual([
      [byHead.label, 'matched_head_sha'],
      [byBranch.label, 'matched_branch'],
      [byNotes.label, 'matched_notes'],
      [byName.label, 'matched_workflow_id'],
    ]);
    expect(candidates[2]).toMatchObject({
      snippet: 'The **parser** drops quotes.',
      workflowId: 'user.sample',
      nextIntent: 'rehydrate_only',
    });
    const back = await fresh.agent.read(candidates[2] ?? { stateToken: '' });
    expect(back.pending).toMatchObject({ stepId: 'two' });
    expect((await fresh.agent.next(back)).pending?.stepId).toBe('three');
  });

  it('knows a run that is at its end as such, and shows at most five', async () => {
    const at = await desk([OTHER]);
    for (let n = 0; n < 7; n += 1) await at.agent.next(await at.agent.start({}, 'user.other'));
    const { candidates, totalEligible } = unwrap(await at.agent.call('resume_session', {}));
    expect([candidates.length, totalEligible]).toEqual([5, 7]);
    expect(new Set(candidates.map(({ nextIntent }) => nextIntent))).toEqual(new Set(['complete']));
  });

  it('goes by observations: branch, head, and the root of the repository by name and digest', async () => {
    const at = await desk();
    const workspace = { gitBranch: 'main', gitHeadSha: SHA, repoRoot: '/work/here' };
    const first = await at.agent.start({ workspace });
    const observed = await eventsOfKind(at, first, 'observation_recorded');
    expect(observed.map(({ data }) => [data.key, data.value.type])).toEqual([
      ['git_branch', 'short_string'],
      ['git_head_sha', 'git_sha1'],
      ['repo_root_hash', 'sha256'],
      ['repo_root', 'path'],
    ]);
  });
});

describe('the catalog', () => {
  it('shows a workflow with its steps, the loops around them, and what it needs', async () => {
    const at = await desk([workflow([step('one')], { capabilities: { delegation: 'preferred' } })]);
    const shown = unwrap(
      await at.agent.call('inspect_workflow', { workflowId: 'user.sample', mode: 'steps' }),
    );
    expect(shown).toMatchObject({ workflowId: 'user.sample', loopCount: 0 });
    expect(shown.capabilities).toEqual([{ capability: 'delegation', requirement: 'preferred' }]);
    expect(shown.steps?.map(({ stepId }) => stepId)).toContain('one');
    const brief = unwrap(await at.agent.call('inspect_workflow', { workflowId: 'user.sample' }));
    expect(brief.steps).toBeUndefined();
  });
});
