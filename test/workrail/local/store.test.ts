import { describe, expect, it } from '@jest/globals';
import { temporary } from '../../sandbox/places';
import { advance, append, birth, bornStore, codeOf, note, openStore, SESSION, unwrap } from './fixtures';

describe('a session', () => {
  it('comes back from another process’s view as it was written', async () => {
    const root = temporary();
    const store = await bornStore({ root });
    unwrap(await append(store, [note(1), advance(1)]));
    const other = await openStore({ root });
    const [mine, theirs] = [await store.sessions.load(SESSION), await other.sessions.load(SESSION)].map(
      unwrap,
    );
    expect(theirs?.events()).toEqual(mine?.events());
    expect(theirs?.manifest()).toEqual(mine?.manifest());
    expect(theirs?.eventCount).toBe(7);
  });

  it('[dedupe-key-idempotent] takes the same plan once', async () => {
    const store = await bornStore({ root: temporary() });
    const plan = note(1);
    const [first] = unwrap(await append(store, [plan]));
    const [second] = unwrap(await append(store, [plan]));
    expect([first?.kind, second?.kind]).toEqual(['appended', 'already_there']);
    expect(second?.eventIndex).toBe(first?.eventIndex);
    expect(codeOf(await append(store, [birth()]))).toBe('ok');
  });
});
