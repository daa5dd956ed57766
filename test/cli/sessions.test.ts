import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Home } from './railyard';
import { flip, keepSession, lastSegment } from './stored-session';

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

describe('railyard sessions', () => {
  it('says where there are none', async () => {
    expect(await home.json('sessions')).toEqual({ sessions: [] });
    expect((await home.run('sessions')).out).toContain('No sessions yet');
  });

  it('lists workflows, status, last activity and health, the latest first', async () => {
    await keepSession(home.root, { id: 'sess_old', timestampMs: 1_700_000_000_000 });
    await keepSession(home.root, { id: 'sess_new', timestampMs: 1_800_000_000_000 });
    const { sessions } = await home.json<{ sessions: object[] }>('sessions');
    expect(sessions).toMatchObject([
      { sessionId: 'sess_new', lastActivity: '2027-01-15T08:00:00.000Z' },
      {
        ...{ sessionId: 'sess_old', health: 'healthy', reason: null, events: 9 },
        runs: [{ runId: 'run_one', workflowId: 'project.triage', status: 'complete' }],
      },
    ]);
    const { out } = await home.run('sessions');
    expect(out).toMatch(
      /^sess_new {2}project\.triage complete {2}9 events {2}2027-01-15T08:00:00\.000Z {2}healthy$/m,
    );
  });

  it('lists a damaged one with what is wrong', async () => {
    const id = await keepSession(home.root);
    await flip(await lastSegment(home.root, id));
    const { sessions } = await home.json<{ sessions: object[] }>('sessions');
    expect(sessions).toMatchObject([{ health: 'corrupt_tail', reason: expect.stringContaining('digest') }]);
  });
});

describe('railyard inspect', () => {
  it('shows an event a line, and nothing that a terminal would act on', async () => {
    const id = await keepSession(home.root);
    const { code, out } = await home.run('inspect', id);
    const lines = out.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, 9]);
    expect(lines[1]).toContain('run_started  run_one  project.triage');
    expect(lines[4]).toContain('A line [31m in red and another one.');
    expect(out).not.toContain('\u001b');
  });

  it('begins where it is told to, and gives the events as they are', async () => {
    const id = await keepSession(home.root);
    const shown = await home.json<{ eventCount: number; events: { eventIndex: number }[] }>(
      'inspect',
      id,
      '--from',
      '7',
    );
    expect(shown.eventCount).toBe(9);
    expect(shown.events.map(({ eventIndex }) => eventIndex)).toEqual([7, 8]);
    const past = await home.run('inspect', id, '--from', '9');
    expect([past.code, past.err]).toEqual([2, expect.stringContaining('has 9 events')]);
  });

  it('shows the valid part of a damaged one, and why there is no more', async () => {
    const id = await keepSession(home.root);
    await flip(await lastSegment(home.root, id));
    const { out, err } = await home.run('inspect', id);
    expect(out.trimEnd().split('\n')).toHaveLength(6);
    expect(err).toContain('segment_digest_mismatch');
  });
});

describe('every command on the store', () => {
  it.each(['sessions', 'inspect', 'verify', 'repair', 'export', 'import', 'gc', 'keyring'])(
    'explains itself: %s',
    async (command) => {
      const { code, out } = await home.run(command, '--help');
      expect([code, out]).toEqual([0, expect.stringContaining(`Usage: railyard ${command}`)]);
    },
  );

  it.each(['inspect', 'verify', 'repair', 'export'])(
    'says which session there is not: %s',
    async (command) => {
      for (const id of ['sess_nobody', '../sessions']) {
        const { code, err } = await home.run(command, id);
        expect([code, err]).toEqual([4, expect.stringContaining('SESSION_NOT_FOUND')]);
      }
    },
  );

  it('ends quietly when its reader has left', async () => {
    const id = await keepSession(home.root);
    for (const args of [['inspect', id], ['export', id], ['sessions']]) {
      const running = home.start(args);
      running.child.stdout?.destroy();
      expect((await running.ended).code).toBe(0);
    }
  });
});
