import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SessionId, type DedupeKey } from '../../../src/workrail/model';
import { temporary } from '../../sandbox/places';
import { openStore, unwrap } from './fixtures';

/** Kills in the test of kills; set RAILYARD_STRESS_KILLS for more. */
const KILLS = Number(process.env.RAILYARD_STRESS_KILLS ?? 20);
const APPENDER = join(__dirname, 'appender.cjs');
const ENDLESS = 1_000_000;

const sessionsOf = (count: number): SessionId[] =>
  Array.from({ length: count }, (_, n) => SessionId.parse(`sess_p${n}`));

/** A process that appends; what it was told has been written is collected. */
class Appender {
  readonly acks: { readonly session: SessionId; readonly key: DedupeKey }[] = [];
  trouble = '';
  private readonly child: ChildProcess;
  private rest = '';

  constructor(root: string, name: number, appends: number, sessions: readonly SessionId[]) {
    this.child = spawn(process.execPath, [APPENDER, root, String(name), String(appends), ...sessions]);
    this.child.stdout?.on('data', (data: Buffer) => this.take(data.toString()));
    this.child.stderr?.on('data', (data: Buffer) => (this.trouble += data.toString()));
  }

  async ended(): Promise<void> {
    if (this.child.stdout?.closed !== true) await once(this.child, 'close');
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended();
  }

  async firstAck(): Promise<void> {
    while (this.acks.length === 0 && this.child.exitCode === null) await pause(2);
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const [word, session, key] = line.split(' ');
      // The appender says them as the store gave them.
      if (word === 'ack') this.acks.push({ session: session as SessionId, key: key as DedupeKey });
    }
  }
}

/** Every session is healthy down to its content, and has everything that anybody was told of, once. */
async function expectAllThere(root: string, appenders: readonly Appender[]): Promise<number> {
  const store = await openStore({ root });
  const check = unwrap(await store.checkStore());
  expect(check.sessions.filter(({ health }) => health !== 'healthy')).toEqual([]);
  for (const { session, key } of appenders.flatMap(({ acks }) => acks)) {
    const found = unwrap(await store.sessions.load(session)).find(key);
    expect([session, key, found?.dedupeKey]).toEqual([session, key, key]);
  }
  for (const { sessionId } of check.sessions) {
    const keys = unwrap(await store.sessions.load(sessionId))
      .events()
      .map(({ dedupeKey }) => dedupeKey);
    expect(new Set(keys).size).toBe(keys.length);
  }
  return check.sessions.reduce((sum, { validEvents }) => sum + validEvents, 0);
}

describe('processes that append', () => {
  it.each([
    [2, 1, 60],
    [8, 1, 12],
    [2, 6, 60],
    [8, 6, 12],
  ])(
    '[single-writer-per-session] (%d, to %d sessions) lose, skip and repeat nothing',
    async (count, many, appends) => {
      const root = temporary();
      const all = Array.from(
        { length: count },
        (_, n) => new Appender(root, n + 1, appends, sessionsOf(many)),
      );
      await Promise.all(all.map((one) => one.ended()));
      expect(all.map(({ trouble }) => trouble).join('')).toBe('');
      const events = await expectAllThere(root, all);
      // Two thirds of the appends are notes of two events, one third is advances of four.
      expect(events).toBe(many * 3 + count * ((appends / 3) * 2 * 2 + (appends / 3) * 4));
    },
  );

  it(`lose nothing they were told of when they are killed at any moment (${KILLS} times)`, async () => {
    const root = temporary();
    const sessions = sessionsOf(3);
    const killed: Appender[] = [];
    const others = [1, 2].map((name) => new Appender(root, name, ENDLESS, sessions));
    for (let n = 0; n < KILLS; n += 1) {
      const one = new Appender(root, n + 10, ENDLESS, sessions);
      await one.firstAck();
      await pause(Math.random() * 30);
      await one.kill();
      killed.push(one);
    }
    for (const other of others) await other.kill();
    expect([...killed, ...others].map(({ trouble }) => trouble).join('')).toBe('');
    // Each was at work when it was killed.
    expect(killed.filter(({ acks }) => acks.length === 0)).toEqual([]);
    await expectAllThere(root, [...killed, ...others]);
    const last = new Appender(root, ENDLESS, 3, sessions);
    await last.ended();
    expect([last.acks.length, last.trouble]).toEqual([6, '']);
  }, 600_000);
});
