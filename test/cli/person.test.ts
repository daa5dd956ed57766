import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { person } from '../../cli/person';
import { Home } from './railyard';

let home: Home;
beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home.remove());

const noAccount = (): never => {
  throw new Error('ENOENT');
};

describe('the person at the keyboard', () => {
  it('is the account, else who the environment names, else a number', () => {
    expect(person()).toBe(userInfo().username);
    expect(person(noAccount, { USER: 'ann', LOGNAME: 'bob' })).toBe('ann');
    expect(person(noAccount, { USER: '', LOGNAME: 'bob' })).toBe('bob');
    expect(person(noAccount, {})).toBe(`uid-${process.getuid?.() ?? 'unknown'}`);
  });

  it('may be a number without an account', async () => {
    // Only root may be somebody else; for others this is an ordinary start.
    const stranger = process.getuid?.() === 0 ? { uid: 54_321 } : {};
    const { code, out, err } = await home.start(['--version'], stranger).ended;
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
