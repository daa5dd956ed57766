/**
 * The next state of a run while one event is being applied. The state it began with is never written to: the table of
 * blocks is copied at the first change, and only the blocks that change are made anew.
 */
import type { GateKind, WalkPlan } from '../plan';
import type {
  BlockState,
  BlockStatus,
  GateAnswer,
  GateDecision,
  GateOutcome,
  GateState,
  RunState,
} from '../run-state';
import type { Answer, Effect, Move, Step } from './events';
import { transition } from './transitions';
import { View } from './view';

/** Blocks that run any number of times must not fill the state: so much is known of each. */
const MAX_WARNINGS = 50;
const MAX_OPENINGS = 20;

type BlockFields = Partial<Omit<BlockState, 'status'>>;

export class Draft extends View {
  /** The event's time, as states hold it. */
  readonly at: string;
  private effects: Effect[] = [];
  private readonly moves: Move[] = [];
  /** The copy of the block table, once there is one. */
  private blocks: Record<string, BlockState> | null = null;

  /** `now` is epoch milliseconds, from the caller's clock. */
  constructor(
    plan: WalkPlan,
    state: RunState,
    readonly now: number,
  ) {
    super(plan, state);
    this.at = this.after(0);
  }

  /** The event's time and so many milliseconds more. */
  after(ms: number): string {
    return new Date(this.now + ms).toISOString();
  }

  write(fields: Partial<Omit<RunState, 'blocks' | 'gates'>>): void {
    this.current = { ...this.current, ...fields };
  }

  /** Change what is known of a block; its status changes by `move` only. */
  patch(id: string, fields: BlockFields): void {
    this.store(id, { ...this.block(id), ...fields });
  }

  move(id: string, to: BlockStatus, fields: BlockFields = {}): void {
    const block = this.block(id);
    const status = transition(block.status, to);
    this.moves.push({ block: id, attempt: block.attempt, from: block.status, to });
    this.store(id, { ...block, ...fields, status });
    if (to === 'running') this.noteRunning(this.planned(id).group, 1);
    if (block.status === 'running') this.noteRunning(this.planned(id).group, -1);
  }

  warn(id: string, text: string): void {
    this.patch(id, { warnings: [...this.block(id).warnings, text].slice(-MAX_WARNINGS) });
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  addOpening(opening: GateState): void {
    if (this.planned(opening.block).lifecycle !== undefined) this.forgetOpenings(opening.block);
    this.noteOpening(opening.block, opening.gate, this.current.gates.length);
    this.current = { ...this.current, gates: [...this.current.gates, opening] };
  }

  patchOpening(id: string, gate: GateKind, fields: Partial<GateState>): void {
    const place = this.placeOf(id, gate);
    this.current = {
      ...this.current,
      gates: this.current.gates.map((opening, at) => (at === place ? { ...opening, ...fields } : opening)),
    };
  }

  /** Close an open gate, and its timer with it unless that has fired. */
  closeOpening(opening: GateState, outcome: GateOutcome): void {
    const { block, gate, attempt } = opening;
    this.patchOpening(block, gate, { outcome });
    if (opening.deadline === null || opening.overdue || outcome.via === 'timeout') return;
    const started = this.effects.find(
      (one) => one.type === 'start-gate-timer' && one.block === block && one.gate === gate,
    );
    // Opened and closed in one step: the driver need not hear of the timer at all.
    if (started) this.effects = this.effects.filter((one) => one !== started);
    else this.effect({ type: 'stop-gate-timer', block, gate, attempt });
  }

  /** Remove and return the decisions that were kept for this gate, oldest first. */
  takeEarly(id: string, gate: GateKind): readonly GateDecision[] {
    const forGate = (one: GateDecision): boolean => one.block === id && one.gate === gate;
    const taken = this.current.early.filter(forGate);
    if (taken.length > 0) this.write({ early: this.current.early.filter((one) => !forGate(one)) });
    return taken;
  }

  /** Keep the answer under the decision's id, and give it. */
  answered({ id, block, decision }: GateDecision, answer: GateAnswer): GateAnswer {
    this.write({ decisions: { ...this.current.decisions, [id]: { block, decision, answer } } });
    return answer;
  }

  step(answer: Answer): Step {
    return { state: this.current, effects: this.effects, moves: this.moves, answer };
  }

  /** Of the gates of a block that runs again and again, the latest are enough. */
  private forgetOpenings(id: string): void {
    const old = this.current.gates.filter(({ block }) => block === id).slice(0, 1 - MAX_OPENINGS);
    if (old.length === 0) return;
    this.current = { ...this.current, gates: this.current.gates.filter((one) => !old.includes(one)) };
    this.forgetPlaces();
  }

  private store(id: string, block: BlockState): void {
    if (!this.blocks) {
      this.blocks = { ...this.current.blocks };
      this.current = { ...this.current, blocks: this.blocks };
    }
    this.blocks[id] = block;
  }
}
