import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type WorkrailStore } from '../../../src/workrail/local';
import { CrashFileSystem, POWER_CUTS } from './crash-file-system';
import { advance, append, birth, codeOf, note, openStore, SESSION, unwrap, workflow } from './fixtures';

const ROOT = '/data';

/** What may happen to a session; the model knows which plans it has, in order. */
type Step =
  | { readonly kind: 'append'; readonly store: number; readonly plans: readonly number[] }
  | { readonly kind: 'crash'; readonly plans: readonly number[]; readonly call: number; readonly cut: number }
  | { readonly kind: 'restart'; readonly store: number }
  | { readonly kind: 'drop_cache' };

const plans = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), store: fc.nat(1), plans }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      plans,
      call: fc.nat(15),
      cut: fc.nat(POWER_CUTS.length - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), store: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop_cache' as const) }) },
);

/** Even numbers are notes, odd ones advances; the same number is the same plan. */
const planOf = (n: number) => (n % 2 === 0 ? note(n) : advance(n));
/** Number -1 stands for the birth. */
const keyOf = (n: number): string => (n === -1 ? birth() : planOf(n)).events[0].dedupeKey;

/** A disk, and two stores that are open on it. */
class World {
  private constructor(
    private fs: CrashFileSystem,
    private stores: WorkrailStore[],
    /** Plans that were acknowledged, and so must be there in this order. */
    private readonly truth: string[],
  ) {}

  static async create(): Promise<World> {
    const fs = new CrashFileSystem();
    const store = await openStore({ root: ROOT, fs });
    unwrap(await store.workflows.put(workflow()));
    unwrap(await append(store, [birth()]));
    return new World(fs, [store, await openStore({ root: ROOT, fs })], [keyOf(-1)]);
  }

  async take(one: Step): Promise<void> {
    if (one.kind === 'append') await this.append(one.store, one.plans);
    if (one.kind === 'crash') await this.crash(one);
    if (one.kind === 'restart') this.stores[one.store] = await openStore({ root: ROOT, fs: this.fs });
    if (one.kind === 'drop_cache') this.fs.remove(`${ROOT}/sessions/${SESSION}/cache`);
  }

  async check(): Promise<void> {
    for (const store of this.stores) {
      const session = unwrap(await store.sessions.load(SESSION));
      const firsts = new Set(this.truth);
      const keys = session.events().map(({ dedupeKey }) => dedupeKey as string);
      expect(keys.filter((key) => firsts.has(key))).toEqual(this.truth);
      expect(session.events().map(({ eventIndex }) => eventIndex)).toEqual(keys.map((_, i) => i));
      expect(keys.length).toBe(this.truth.reduce((sum, key) => sum + sizeOf(key), 0));
    }
  }

  private async append(index: number, numbers: readonly number[]): Promise<void> {
    const store = this.stores[index];
    if (!store) return;
    const answers = unwrap(await append(store, numbers.map(planOf)));
    for (const [i, { kind, dedupeKey }] of answers.entries()) {
      expect([i, kind]).toEqual([i, this.truth.includes(dedupeKey) ? 'already_there' : 'appended']);
      if (kind === 'appended') this.truth.push(dedupeKey);
    }
  }

  /** The machine stops somewhere in an append: all of it became truth, or nothing. */
  private async crash({ plans: numbers, call, cut }: Extract<Step, { kind: 'crash' }>): Promise<void> {
    const { fs } = this;
    const start = fs.calls.length;
    fs.fate = (_, n) => {
      if (n - start !== call) return null;
      fs.die();
      return 'EDEAD';
    };
    const [store] = this.stores;
    const done = store && (await append(store, numbers.map(planOf)));
    fs.fate = () => null;
    this.fs = fs.after(POWER_CUTS[cut] ?? { names: 'kept', bytes: 'kept' });
    this.stores = await Promise.all([0, 1].map(() => openStore({ root: ROOT, fs: this.fs })));
    const [fresh] = this.stores;
    if (!fresh || !done) return;
    if (codeOf(await fresh.sessions.load(SESSION)) !== 'ok') unwrap(await fresh.repair(SESSION));
    const session = unwrap(await fresh.sessions.load(SESSION));
    const unknown = [...new Set(numbers.map(keyOf))].filter((key) => !this.truth.includes(key));
    const there = unknown.filter((key) => session.find(key as never));
    expect([0, unknown.length]).toContain(there.length);
    if (done.isOk()) expect(there).toEqual(unknown);
    this.truth.push(...there);
  }
}

const sizeOf = (key: string): number => (key === keyOf(-1) || key.startsWith('advance') ? 3 : 1);

describe('a session under appends by two processes, restarts and power cuts', () => {
  it('[append-plan-atomic] [dedupe-key-idempotent] has what was acknowledged, in order, once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = await World.create();
        for (const one of steps) {
          await world.take(one);
          await world.check();
        }
      }),
      { numRuns: 150 },
    );
  });
});
