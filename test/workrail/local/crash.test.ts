import { describe, expect, it } from '@jest/globals';
import { type AppendPlan } from '../../../src/workrail/model';
import { CrashFileSystem, POWER_CUTS } from './crash-file-system';
import {
  advance,
  append,
  birth,
  bornStore,
  note,
  openStore,
  SESSION,
  snapshot,
  unwrap,
  workflow,
} from './fixtures';

const ROOT = '/data';

/** Something to append, and what was there before. */
interface Scenario {
  readonly before: () => Promise<CrashFileSystem>;
  readonly plans: readonly AppendPlan[];
  /** Events before and after. */
  readonly counts: readonly [number, number];
}

const born = async (): Promise<CrashFileSystem> => {
  const fs = new CrashFileSystem();
  await bornStore({ root: ROOT, fs });
  return fs;
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the birth of a session': {
    before: async () => {
      const fs = new CrashFileSystem();
      const store = await openStore({ root: ROOT, fs });
      unwrap(await store.workflows.put(workflow()));
      return fs;
    },
    plans: [birth()],
    counts: [0, 3],
  },
  'a plan without a snapshot': { before: born, plans: [note(1)], counts: [3, 4] },
  'a plan with a new snapshot': { before: born, plans: [advance(1)], counts: [3, 6] },
  'a plan with a snapshot that is there': {
    before: born,
    plans: [advance(1, snapshot(0), [])],
    counts: [3, 6],
  },
  'a plan with two new snapshots': {
    before: born,
    plans: [advance(1), advance(2)],
    counts: [3, 9],
  },
  'two plans at once': { before: born, plans: [advance(1), note(1)], counts: [3, 7] },
  'an append after one that came to nothing': {
    before: async () => {
      const fs = await born();
      fs.fate = (call, _, path) => (call === 'write' && path.endsWith('manifest.jsonl') ? 'EDEAD' : null);
      await append(await openStore({ root: ROOT, fs }), [note('lost'), note('too')]);
      return fs.afterKill();
    },
    plans: [note(1)],
    counts: [3, 4],
  },
};

/** How many calls an append makes that can be cut. */
async function callsOf({ before, plans }: Scenario): Promise<number> {
  const fs = await before();
  const store = await openStore({ root: ROOT, fs });
  fs.calls = [];
  unwrap(await append(store, plans));
  return fs.calls.length;
}

/** The process that ended at the n-th call of an append, and its disk. */
async function endedAt({ before, plans }: Scenario, nth: number): Promise<CrashFileSystem> {
  const fs = await before();
  const store = await openStore({ root: ROOT, fs });
  fs.calls = [];
  fs.fate = (_, n) => {
    if (n !== nth) return null;
    fs.die();
    return 'EDEAD';
  };
  expect((await append(store, plans)).isErr()).toBe(true);
  return fs;
}

/** Every point of an append at which a process can end, with everything a disk may make of it. */
async function eachCut(
  scenario: Scenario,
  check: (fs: CrashFileSystem, where: string) => Promise<void>,
): Promise<void> {
  const calls = await callsOf(scenario);
  expect(calls).toBeGreaterThan(3);
  for (let nth = 0; nth < calls; nth += 1) {
    const ended = await endedAt(scenario, nth);
    for (const cut of POWER_CUTS) {
      const where = `call ${nth} of ${calls}, names ${cut.names}, bytes ${cut.bytes}`;
      await check(ended.after(cut), where);
    }
  }
}

/** Events of the session; 0 where it does not exist. Healthy, or healthy after repair. */
async function countAfterRepair(fs: CrashFileSystem, where: string): Promise<number> {
  const store = await openStore({ root: ROOT, fs });
  const prefix = await store.sessions.loadValidatedPrefix(SESSION);
  if (prefix.isErr()) {
    expect([where, prefix.error.code]).toEqual([where, 'SESSION_NOT_FOUND']);
    return 0;
  }
  if (prefix.value.health !== 'healthy') {
    expect([where, prefix.value.health]).toEqual([where, 'corrupt_tail']);
    expect(['manifest_torn', 'pin_missing']).toContain(prefix.value.reason?.code);
    expect([where, (await store.repair(SESSION)).map(({ kind }) => kind)]).toEqual([
      where,
      expect.objectContaining({ value: 'repaired' }),
    ]);
  }
  return unwrap(await store.sessions.load(SESSION)).eventCount;
}

describe.each(Object.entries(SCENARIOS))('a power cut at any call of %s', (_, scenario) => {
  it('[crash-safe-append] [append-plan-atomic] leaves all of it or nothing', async () => {
    await eachCut(scenario, async (fs, where) => {
      const count = await countAfterRepair(fs, where);
      expect([where, scenario.counts.includes(count)]).toEqual([where, true]);
    });
  });

  it('leaves a session whose content is all there', async () => {
    await eachCut(scenario, async (fs, where) => {
      if ((await countAfterRepair(fs, where)) === 0) return;
      const check = unwrap(await (await openStore({ root: ROOT, fs })).checkSession(SESSION));
      expect([where, check.health, check.content]).toEqual([where, 'healthy', []]);
    });
  });

  it('is made good by trying again, and then by going on', async () => {
    await eachCut(scenario, async (fs, where) => {
      await countAfterRepair(fs, where);
      const store = await openStore({ root: ROOT, fs });
      unwrap(await append(store, scenario.plans));
      const session = unwrap(await store.sessions.load(SESSION));
      expect([where, session.eventCount]).toEqual([where, scenario.counts[1]]);
      unwrap(await append(store, [note('next')]));
      const reread = unwrap(await (await openStore({ root: ROOT, fs })).sessions.load(SESSION));
      expect([where, reread.eventCount]).toEqual([where, scenario.counts[1] + 1]);
      expect(fs.isLocked).toBe(false);
    });
  });
});

describe('an acknowledged append', () => {
  it.each(Object.entries(SCENARIOS))('outlives any power cut (%s)', async (_, scenario) => {
    const fs = await scenario.before();
    unwrap(await append(await openStore({ root: ROOT, fs }), scenario.plans));
    for (const cut of POWER_CUTS) {
      const store = await openStore({ root: ROOT, fs: fs.after(cut) });
      expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(scenario.counts[1]);
      expect(unwrap(await store.checkSession(SESSION)).health).toBe('healthy');
    }
  });
});

describe('what a power cut may leave', () => {
  it('[crash-state-detection] is seen in all its kinds: a line torn, pins missing', async () => {
    const codes = new Set<string>();
    for (const scenario of Object.values(SCENARIOS)) {
      await eachCut(scenario, async (fs) => {
        const prefix = await (await openStore({ root: ROOT, fs })).sessions.loadValidatedPrefix(SESSION);
        if (prefix.isOk() && prefix.value.reason) codes.add(prefix.value.reason.code);
      });
    }
    expect([...codes].sort()).toEqual(['manifest_torn', 'pin_missing']);
  });
});

describe('the calls of an append', () => {
  it('sync the segment and a new snapshot side by side, and both before they are attested', async () => {
    const fs = await born();
    const store = await openStore({ root: ROOT, fs });
    unwrap(await append(store, [note('first')]));
    const order: string[] = [];
    const create = fs.create.bind(fs);
    fs.create = (path) => {
      const file = create(path);
      const name = path.includes('/snapshots/') ? 'snapshot' : 'segment';
      return {
        ...file,
        sync: async () => {
          order.push(`${name} begins`);
          // Longer than everything else the other one does.
          await new Promise((resolve) => setTimeout(resolve, 20));
          await file.sync();
          order.push(`${name} is synced`);
        },
      };
    };
    fs.fate = (call, _, path) => {
      if (call === 'write' && path.endsWith('manifest.jsonl')) order.push('attested');
      return null;
    };
    unwrap(await append(store, [advance(1)]));
    expect(order.slice(0, 2).sort()).toEqual(['segment begins', 'snapshot begins']);
    expect(order.slice(2, 4).sort()).toEqual(['segment is synced', 'snapshot is synced']);
    expect(order.slice(4)).toEqual(['attested']);
  });

  const syncsOf = async (plans: readonly AppendPlan[]): Promise<number> => {
    const fs = await born();
    const store = await openStore({ root: ROOT, fs });
    // The first append of a process makes sure of what it finds; the second is as all the others are.
    unwrap(await append(store, [advance(9, snapshot(0), [])]));
    fs.calls = [];
    unwrap(await append(store, plans));
    return fs.calls.filter((call) => call === 'sync' || call === 'syncFolder').length;
  };

  it('have three syncs without a new snapshot', async () => {
    expect(await syncsOf([note(1), note(2)])).toBe(3);
  });

  it('have three syncs with a snapshot that is there', async () => {
    expect(await syncsOf([advance(1, snapshot(0), [])])).toBe(3);
  });

  it('[single-manifest-fsync] have five syncs with a new snapshot', async () => {
    expect(await syncsOf([advance(1)])).toBe(5);
  });
});
