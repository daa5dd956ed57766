import { describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../../src/workrail/local';
import { step, workflow } from '../compiler/workflows';
import { desk, errorOf, eventsOf, payloadOf, sessionOf, STEPS, unwrap } from './protocols';

const OTHER = workflow([step('alpha'), step('beta')], { id: 'user.other', name: 'Other' });

describe('tokens of two answers', () => {
  it('of two sessions are refused with the labels of both, and what to pass instead', async () => {
    const at = await desk([STEPS, OTHER]);
    const one = await at.agent.start();
    const two = await at.agent.start({}, 'user.other');
    const refused = errorOf(await at.agent.tryNext(one, { ackToken: two.ackToken }));
    expect(refused.code).toBe('TOKEN_SCOPE_MISMATCH');
    for (const { label } of [one, two]) {
      expect(refused.message).toContain(`"${label}"`);
      expect(refused.suggestion).toContain(`"${label}"`);
    }
    expect(await eventsOf(at, one)).toHaveLength((await eventsOf(at, two)).length);
  });

  it('of two places of one run are refused alike: an old ackToken with a new stateToken', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const second = await at.agent.next(first);
    const refused = errorOf(await at.agent.tryNext(second, { ackToken: first.ackToken }));
    expect(refused).toMatchObject({ code: 'TOKEN_SCOPE_MISMATCH', details: { differs: 'nodeId' } });
    expect(refused.message).toContain(first.label);
    expect(refused.message).toContain(second.label);
  });

  it('of a blocked attempt and the place before it are told apart by their labels', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const blocked = await at.agent.next(first, { output: {} });
    expect(blocked.label).not.toBe(first.label);
    const refused = errorOf(await at.agent.tryNext(first, { ackToken: blocked.retryAckToken }));
    expect(refused.message).toContain(blocked.label);
  });
});

describe('a label', () => {
  it('names workflow, session and step, and is another for every place', async () => {
    const at = await desk();
    const answers = [await at.agent.start(), await at.agent.start()];
    for (const answer of [...answers]) answers.push(await at.agent.next(answer));
    expect(new Set(answers.map(({ label }) => label)).size).toBe(4);
    expect(answers[0]?.label).toMatch(/^user\.sample \[[0-9a-f]{6}\] one #\d+$/);
  });
});

describe('a token', () => {
  it('of a session that is gone names it as unknown', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const other = await at.agent.start();
    rmSync(join(at.root, 'sessions', sessionOf(first)), { recursive: true });
    expect(errorOf(await at.agent.tryNext(first)).code).toBe('TOKEN_UNKNOWN_NODE');
    const mixed = errorOf(await at.agent.tryNext(other, { ackToken: first.ackToken }));
    expect(mixed.message).toContain('a place that this store does not have');
  });

  it('of another store is refused by its signature', async () => {
    const [here, there] = [await desk(), await desk()];
    const first = await here.agent.start();
    await there.agent.start();
    const refused = await there.agent.call('continue_workflow', { stateToken: first.stateToken });
    expect(errorOf(refused).code).toBe('TOKEN_BAD_SIGNATURE');
  });

  it('of the wrong kind is refused by its form', async () => {
    const at = await desk();
    const { ackToken = '', stateToken } = await at.agent.start();
    const swapped = await at.agent.call('continue_workflow', { stateToken: ackToken, ackToken: stateToken });
    expect(errorOf(swapped).code).toBe('TOKEN_INVALID_FORMAT');
  });

  it('for a run at its end has nothing to acknowledge', async () => {
    const at = await desk([workflow([step('only')])]);
    const end = await at.agent.next(await at.agent.start());
    const again = await at.agent.read(end);
    expect([again.ackToken, again.checkpointToken, again.isComplete]).toEqual([undefined, undefined, true]);
  });

  it('of a session that somebody keeps locked is to be tried again', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const lock = nodeFileSystem.lock(join(at.root, 'sessions', sessionOf(first), '.lock'));
    if (typeof lock === 'string') throw new Error(lock);
    const refused = errorOf(await at.agent.tryNext(first));
    lock.release();
    expect(refused).toMatchObject({ code: 'TOKEN_SESSION_LOCKED', retry: { kind: 'retryable_after_ms' } });
    expect((await at.agent.next(first)).pending?.stepId).toBe('two');
  });
});

describe('a session that is damaged', () => {
  it('is gone on with by nobody, and offered to nobody', async () => {
    const at = await desk();
    const [first, whole] = [await at.agent.start(), await at.agent.start()];
    rmSync(join(at.root, 'sessions', sessionOf(first), 'manifest.jsonl'));
    const fresh = await desk(undefined, at.root);
    expect(errorOf(await fresh.agent.tryNext(first)).code).toBe('SESSION_CORRUPT');
    const { candidates, totalEligible } = unwrap(await fresh.agent.call('resume_session', {}));
    expect([candidates.map(({ sessionId }) => sessionId), totalEligible]).toEqual([[sessionOf(whole)], 1]);
  });
});

describe('start_workflow', () => {
  it('names what there is to whoever asks for a workflow that is not', async () => {
    const at = await desk([STEPS, OTHER]);
    const refused = errorOf(await at.agent.call('start_workflow', { workflowId: 'user.none' }));
    expect(refused.code).toBe('WORKFLOW_NOT_FOUND');
    expect(refused.suggestion).toContain('user.other');
  });

  it('pins the workflow: its tokens and its run name the hash', async () => {
    const at = await desk();
    const { workflows } = unwrap(await at.agent.call('list_workflows', {}));
    const first = await at.agent.start();
    expect(payloadOf(first.stateToken).workflowHash).toBe(workflows[0]?.workflowHash);
  });
});
