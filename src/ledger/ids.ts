/**
 * Ids of what the ledger writes, derived from the WorkRail run of the factory, the block and the attempt: the same fact
 * has the same ids, whoever writes it and how often. Never from the session's id, which an import may change.
 */
import { sha256Hex } from '../canonical';
import type { GateKind } from '../factory/plan';
import {
  AttemptId,
  CapabilityObservationId,
  ChangeId,
  ContextId,
  DivergenceId,
  GapId,
  NodeId,
  OutputId,
  RunId,
} from '../workrail/model';

/** Parts are joined by a character that is in none of them. */
const derive = (...parts: readonly (string | number)[]): string => sha256Hex(parts.join('\n')).slice(0, 32);

/** The WorkRail run of a factory run. */
export const factoryRunId = (run: string): RunId => RunId.parse(`run-${derive('factory', run)}`);

/** Ids below one factory run. */
export class FactoryIds {
  readonly root: NodeId;
  readonly end: NodeId;

  constructor(readonly factory: RunId) {
    this.root = this.node('root');
    this.end = this.node('end');
  }

  /** The run of a block: one for all of its attempts. */
  block(block: string): RunId {
    return RunId.parse(`run-${derive(this.factory, 'block', block)}`);
  }

  blockRoot(block: string): NodeId {
    return this.node('block', block);
  }

  /** Where an attempt begins once the gate before it has been passed. */
  perform(block: string, attempt: number): NodeId {
    return this.node('perform', block, attempt);
  }

  /** What a good attempt leads to. */
  result(block: string, attempt: number): NodeId {
    return this.node('result', block, attempt);
  }

  /** What a missed attempt leaves; the next one acknowledges from there. */
  blocked(block: string, attempt: number): NodeId {
    return this.node('blocked', block, attempt);
  }

  /** The end of a block: behind the gate after it, or an override. */
  complete(block: string, attempt: number): NodeId {
    return this.node('complete', block, attempt);
  }

  execution(block: string, attempt: number): AttemptId {
    return AttemptId.parse(`attempt-${derive(this.factory, 'execute', block, attempt)}`);
  }

  passage(block: string, gate: GateKind, attempt: number): AttemptId {
    return AttemptId.parse(`attempt-${derive(this.factory, 'gate', block, gate, attempt)}`);
  }

  walk(): AttemptId {
    return AttemptId.parse(`attempt-${derive(this.factory, 'walk')}`);
  }

  /** Of one gate opening: derived from the opening, never from what was decided. */
  gateGap(block: string, gate: GateKind, attempt: number): GapId {
    return this.gap('gate', block, gate, attempt);
  }

  /** The claim on that opening: the first to be appended has decided it. */
  gateClaim(block: string, gate: GateKind, attempt: number): GapId {
    return this.gap('gate claim', block, gate, attempt);
  }

  /** Of a block that has come to nothing. */
  failureGap(block: string, attempt: number): GapId {
    return this.gap('failure', block, attempt);
  }

  failureEnd(block: string, attempt: number): GapId {
    return this.gap('failure end', block, attempt);
  }

  output(...parts: readonly (string | number)[]): OutputId {
    return OutputId.parse(`out-${derive(this.factory, ...parts)}`);
  }

  context(...parts: readonly (string | number)[]): ContextId {
    return ContextId.parse(`ctx-${derive(this.factory, ...parts)}`);
  }

  change(...parts: readonly (string | number)[]): ChangeId {
    return ChangeId.parse(`change-${derive(this.factory, ...parts)}`);
  }

  divergence(...parts: readonly (string | number)[]): DivergenceId {
    return DivergenceId.parse(`div-${derive(this.factory, ...parts)}`);
  }

  capability(...parts: readonly (string | number)[]): CapabilityObservationId {
    return CapabilityObservationId.parse(`cap-${derive(this.factory, ...parts)}`);
  }

  private node(...parts: readonly (string | number)[]): NodeId {
    return NodeId.parse(`node-${derive(this.factory, ...parts)}`);
  }

  private gap(...parts: readonly (string | number)[]): GapId {
    return GapId.parse(`gap-${derive(this.factory, ...parts)}`);
  }
}
