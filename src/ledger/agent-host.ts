/** What the ledger needs of a machine where agents perform blocks: their workspaces. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import type { AttemptInput } from '../factory/attempt';
import type { AttemptOutcome } from '../factory/run-state';

/** What an agent handed in with its last step, as the block result's contract has it. */
export interface HandedIn {
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly records: readonly { readonly id: string; readonly state: string }[];
  readonly notes: string;
}

/** What came of looking at it. */
export type Delivery =
  | { readonly kind: 'delivered'; readonly outcome: AttemptOutcome }
  /** Something is missing that the agent can still bring; this ends no attempt. */
  | { readonly kind: 'lacking'; readonly missing: boolean; readonly why: string };

export interface AgentHost {
  /** Make the workspace ready for an attempt, once: inputs in place, the places of the outputs clear. */
  prepare(input: AttemptInput): Promise<Result<void, RailyardError>>;
  /** Has that been done? Until then no agent is to know of the attempt: what it wrote would be cleared. */
  isReady(input: AttemptInput): boolean;
  /** Text for the agent: where its inputs and outputs are. Reads only. */
  briefing(input: AttemptInput): Promise<Result<string, RailyardError>>;
  /** Take the declared artifacts from the workspace into the store. */
  deliver(input: AttemptInput, handed: HandedIn): Promise<Result<Delivery, RailyardError>>;
}
