import { describe, expect, it } from '@jest/globals';
import { step, workflow } from '../compiler/workflows';
import { desk, errorOf, eventsOf, treeDigest, unwrap } from './protocols';

const ASKING = workflow([step('one', { requireConfirmation: true }), step('two')]);

describe('reading', () => {
  it('[rehydrate-pure-no-writes] changes no byte of the data directory: places again, sessions found, workflows shown', async () => {
    const at = await desk([ASKING]);
    const first = await at.agent.start({ context: { ticket: 7 } });
    const blocked = await at.agent.next(first, { output: {} });
    const second = await at.agent.next(blocked);
    const before = treeDigest(at.root);
    const fresh = await desk([ASKING], at.root);
    for (const agent of [at.agent, fresh.agent]) {
      for (const place of [first, blocked, second]) await agent.read(place);
      unwrap(await agent.call('resume_session', { query: 'did one' }));
      unwrap(await agent.call('list_workflows', {}));
      unwrap(await agent.call('inspect_workflow', { workflowId: 'user.sample', mode: 'steps' }));
    }
    expect(treeDigest(at.root)).toBe(before);
  });

  it('[advance-append-capable] appends nothing; with an ackToken the same call appends', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const before = await eventsOf(at, first);
    await at.agent.read(first);
    expect(await eventsOf(at, first)).toEqual(before);
    await at.agent.next(first);
    expect((await eventsOf(at, first)).length).toBeGreaterThan(before.length);
  });

  it.each([
    { output: { notesMarkdown: 'Done.' } },
    { context: { a: 1 } },
    { preferences: { autonomy: 'guided' as const } },
  ])('[advance-append-capable] without an ackToken refuses what it would lose: %j', async (more) => {
    const at = await desk();
    const { stateToken } = await at.agent.start();
    const before = treeDigest(at.root);
    const refused = errorOf(await at.agent.call('continue_workflow', { stateToken, ...more }));
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', details: { fields: Object.keys(more) } });
    expect(refused.suggestion).toContain('ackToken');
    expect(treeDigest(at.root)).toBe(before);
  });

  it('gives the same place and other attempts each time', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const [one, two] = [await at.agent.read(first), await at.agent.read(first)];
    expect(one.stateToken).toBe(first.stateToken);
    expect(new Set([first, one, two].map(({ ackToken }) => ackToken)).size).toBe(3);
  });
});
