import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/canonical';
import { NodeId } from '../../../src/workrail/model';
import { preferredTip, sessionView } from '../../../src/workrail/projections';
import { type StepOutput } from '../../../src/workrail/protocol';
import { decide, control, loop, step, workflow } from '../compiler/workflows';
import { type Desk, desk, payloadOf, sessionOf, unwrap } from './protocols';

const LOOPING = workflow(
  [
    step('plan', { validationCriteria: { type: 'contains', value: 'good' } }),
    loop('again', [step('work'), decide('more')], { maxIterations: 2 }),
    step('sign', { requireConfirmation: true }),
  ],
  { conditions: [control('again')] },
);

/** What somebody may do at some answer that was given before. */
const call = fc.record({
  what: fc.constantFrom(
    'advance',
    'advance',
    'advance',
    'replay',
    'rewind',
    'fork',
    'checkpoint',
    'never',
    'read',
  ),
  at: fc.nat(),
  good: fc.boolean(),
  decision: fc.constantFrom('continue', 'stop'),
  context: fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.nat()), { maxKeys: 2 }), {
    nil: undefined,
  }),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** A run under random calls, with everything that was ever answered. */
class Model {
  readonly answers: StepOutput[] = [];
  /** Attempts and what they were answered. */
  readonly taken: { readonly from: StepOutput; readonly answer: string }[] = [];
  readonly checkpoints: { readonly token: string; readonly answer: string }[] = [];
  /** Nodes that were made by attempts, by the node they were made from. */
  readonly made = new Map<string, Set<string>>();

  constructor(private readonly at: Desk) {}

  async apply({ what, at, good, decision, context }: Call): Promise<void> {
    const place = this.answers[at % this.answers.length];
    if (!place) throw new Error('a run has a first answer');
    if (what === 'read') return this.read(place);
    if (what === 'replay') return this.replay(at);
    if (what === 'checkpoint') return this.checkpoint(place);
    const from =
      what === 'rewind' || what === 'fork' ? await this.at.agent.read(place) : this.freshest(place);
    if (from.isComplete) return;
    const output = {
      notesMarkdown: good ? 'A good note.' : '',
      artifacts: good ? [{ kind: 'wr.loop_control', decision }] : [],
    };
    const more = {
      ...(what === 'never' ? { preferences: { autonomy: 'full_auto_never_stop' } } : {}),
      ...(what === 'fork' ? { fork: true } : {}),
      ...(context ? { context } : {}),
    };
    const isNew = !this.taken.some(({ from: known }) => tokenOf(known) === tokenOf(from));
    const answer = await this.at.agent.next(from, { output, ...more });
    if (what === 'never') expect(answer.kind).toBe('ok');
    if (!isNew) {
      this.expectKnown(from, answer);
      return;
    }
    this.answers.push(answer);
    this.taken.push({ from, answer: textOf(answer) });
    const [parent, child] = [nodeOf(from), nodeOf(answer)];
    this.made.set(parent, (this.made.get(parent) ?? new Set()).add(child));
  }

  /** An advance goes on from the last answer, where there is one that is not at its end. */
  private freshest(place: StepOutput): StepOutput {
    return this.answers.findLast(({ isComplete }) => !isComplete) ?? place;
  }

  private async read(place: StepOutput): Promise<void> {
    const count = (await this.session()).eventCount;
    const again = await this.at.agent.read(place);
    expect([again.label, again.stateToken, again.isComplete]).toEqual([
      place.label,
      place.stateToken,
      place.isComplete,
    ]);
    expect((await this.session()).eventCount).toBe(count);
  }

  private async replay(at: number): Promise<void> {
    const known = this.taken[at % this.taken.length];
    if (!known) return;
    this.expectKnown(known.from, await this.at.agent.next(known.from, { output: {} }));
  }

  private expectKnown(from: StepOutput, answer: StepOutput): void {
    const known = this.taken.find(({ from: one }) => tokenOf(one) === tokenOf(from));
    expect(textOf(answer)).toBe(known?.answer);
  }

  private async checkpoint({ checkpointToken }: StepOutput): Promise<void> {
    if (checkpointToken === undefined) return;
    const call = { checkpointToken, notesMarkdown: 'Kept.' };
    const answer = textOf(unwrap(await this.at.agent.call('checkpoint_workflow', call)));
    const known = this.checkpoints.find(({ token }) => token === checkpointToken);
    if (known) expect(answer).toBe(known.answer);
    else this.checkpoints.push({ token: checkpointToken, answer });
  }

  private async session() {
    return unwrap(await this.at.store.sessions.load(sessionOf(this.answers[0] ?? { stateToken: '' })));
  }

  /** What must hold after any calls, read by somebody who has seen none of them. */
  async expectSound(): Promise<void> {
    const fresh = await desk([LOOPING], this.at.root);
    const check = unwrap(await fresh.store.checkStore());
    expect(check.sessions.map(({ health }) => health)).toEqual(['healthy']);
    const { dag } = unwrap(
      await fresh.store.sessions.load(sessionOf(this.answers[0] ?? { stateToken: '' })),
    ).project(sessionView);
    const [run] = dag.runs.values();
    if (!run) throw new Error('the session has a run');
    expect(run.roots).toHaveLength(1);
    expect(run.edges).toHaveLength(run.nodes.size - 1);
    for (const [parent, children] of this.made) {
      const there = (run.nodes.get(NodeId.parse(parent))?.children ?? []).filter(
        (child) => run.nodes.get(child)?.nodeKind !== 'checkpoint',
      );
      expect(new Set<string>(there)).toEqual(children);
    }
    expect(run.leaves.has(preferredTip(run)?.node.place ?? NodeId.parse('none'))).toBe(true);
    for (const { from, answer } of this.taken) expect(textOf(await fresh.agent.next(from))).toBe(answer);
    const first = [...this.made.values()].length;
    expect(causesOf(run.edges, 'idempotent_replay')).toBe(first);
  }
}

/** Every place that was left has been left for the first time once. */
const causesOf = (edges: readonly { readonly cause: { readonly kind: string } }[], kind: string): number =>
  edges.filter(({ cause }) => cause.kind === kind).length;

const textOf = (answer: unknown): string => canonicalJson(answer)._unsafeUnwrap();
const nodeOf = ({ stateToken }: StepOutput): string => payloadOf(stateToken).nodeId ?? '';
const tokenOf = ({ ackToken, retryAckToken }: StepOutput): string | undefined => ackToken ?? retryAckToken;

describe('any sequence of calls', () => {
  it('leaves a healthy session, a sound run, the right tip, and every answer as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 25 }), async (calls) => {
        const at = await desk([LOOPING]);
        const model = new Model(at);
        model.answers.push(await at.agent.start());
        for (const one of calls) await model.apply(one);
        await model.expectSound();
      }),
      { numRuns: Number(process.env.RAILYARD_PROTOCOL_RUNS ?? 25) },
    );
  });
});
