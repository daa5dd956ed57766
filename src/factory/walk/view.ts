/** Reading one run: its plan and its state together. */
import type { GateKind, PlannedBlock, WalkPlan } from '../plan';
import type { BlockState, GateState, RunState } from '../run-state';
import { indexOf, type PlanIndex } from './plan-index';

const openingKey = (block: string, gate: GateKind): string => `${gate} ${block}`;

export class View {
  readonly index: PlanIndex;
  protected current: RunState;
  /** Where the latest opening of each gate stands in `state.gates`; made at the first question. */
  private latest: Map<string, number> | null = null;
  /** Running blocks a group; made at the first question. */
  private running: Map<string, number> | null = null;

  constructor(
    readonly plan: WalkPlan,
    state: RunState,
  ) {
    this.index = indexOf(plan);
    this.current = state;
  }

  get state(): RunState {
    return this.current;
  }

  /** For ids that are known to exist; an unknown one is a bug. */
  block(id: string): BlockState {
    const block = this.current.blocks[id];
    if (!block) throw new Error(`Bug: the run has no block ${id}`);
    return block;
  }

  /** For ids that are known to exist; an unknown one is a bug. */
  planned(id: string): PlannedBlock {
    const block = this.index.blocks.get(id);
    if (!block) throw new Error(`Bug: the plan has no block ${id}`);
    return block;
  }

  /** The opening of this gate for the block's current attempt, open or closed. */
  opening(id: string, gate: GateKind): GateState | undefined {
    const opening = this.current.gates[this.placeOf(id, gate)];
    return opening?.attempt === this.block(id).attempt ? opening : undefined;
  }

  /** The gate of this block that people can decide now. */
  openGate(id: string): GateState | undefined {
    return [this.opening(id, 'before'), this.opening(id, 'after')].find((gate) => gate?.outcome === null);
  }

  runningIn(group: string): number {
    if (!this.running) {
      this.running = new Map();
      for (const { id, group: name } of this.plan.blocks) {
        if (name !== null && this.block(id).status === 'running') {
          this.running.set(name, (this.running.get(name) ?? 0) + 1);
        }
      }
    }
    return this.running.get(group) ?? 0;
  }

  /** Is there no place left in the block's group? */
  groupFull(planned: PlannedBlock): boolean {
    if (planned.group === null) return false;
    const limit = this.index.limits.get(planned.group);
    return limit !== undefined && this.runningIn(planned.group) >= limit;
  }

  protected placeOf(id: string, gate: GateKind): number {
    if (!this.latest) {
      this.latest = new Map();
      for (const [place, opening] of this.current.gates.entries()) {
        this.latest.set(openingKey(opening.block, opening.gate), place);
      }
    }
    return this.latest.get(openingKey(id, gate)) ?? -1;
  }

  protected forgetPlaces(): void {
    this.latest = null;
  }

  protected noteOpening(id: string, gate: GateKind, place: number): void {
    this.latest?.set(openingKey(id, gate), place);
  }

  protected noteRunning(group: string | null, change: 1 | -1): void {
    if (group !== null) this.running?.set(group, (this.running.get(group) ?? 0) + change);
  }
}
