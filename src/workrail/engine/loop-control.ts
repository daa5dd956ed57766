/** The decision of a loop: read from an artifact under its contract, never from anything else (locks, section 9). */
import { type JsonObject } from '../../canonical';
import { type EmbeddedContract, type LoopId } from '../model';
import { checkContract, satisfying } from './contract-check';

export interface LoopDecision {
  readonly decision: 'continue' | 'stop';
  readonly summary: string | null;
}

/** What the artifacts of a step say about a loop. */
export type LoopControl =
  | ({ readonly kind: 'found' } & LoopDecision)
  | { readonly kind: 'missing'; readonly submitted: readonly string[] }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

/**
 * The last valid decision. One that names no loop is for the loop that asked; one that names another loop is none for
 * this one, and says so instead of steering it.
 */
export function readLoopControl(
  contract: EmbeddedContract,
  artifacts: readonly unknown[],
  loopId?: LoopId,
): LoopControl {
  const valid = satisfying(contract, artifacts);
  const mine = valid.filter((one) => loopId === undefined || (one.loopId ?? loopId) === loopId).at(-1);
  if (mine) return { kind: 'found', ...decisionOf(mine) };
  if (valid.length > 0) {
    const others = valid.map((one) => JSON.stringify(one.loopId)).join(', ');
    return { kind: 'invalid', faults: [`/loopId: is ${others}, but this step decides about "${loopId}"`] };
  }
  const checked = checkContract(contract, artifacts);
  return checked.kind === 'found' ? { kind: 'found', ...decisionOf(checked.artifact) } : checked;
}

function decisionOf({ decision, summary }: JsonObject): LoopDecision {
  // Whatever an embedded schema lets through, only "stop" ends a loop.
  return {
    decision: decision === 'stop' ? 'stop' : 'continue',
    summary: typeof summary === 'string' ? summary : null,
  };
}
