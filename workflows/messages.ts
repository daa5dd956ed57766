/** How the world talks to a factory run. Types and names only: the API and the workflow both read this. */
import type { RailyardError } from '../src/errors';
import type { WalkPlan } from '../src/factory/plan';
import type { ArtifactRef, GateDecision, RunState } from '../src/factory/run-state';
import type { EventRequest, TriggerRequest } from '../src/factory/walk/events';
import type { Judged } from '../src/ledger/facts';

/** The workflow's type, as Temporal knows it. */
export const FACTORY_RUN = 'factoryRun';

/** The workflow of one tick of a schedule: it starts a factory run and lives as long as that is going. */
export const SCHEDULED_RUN = 'scheduledRun';

/** Query: the state of the run. */
export const STATE = 'state';
/** Update: decide a gate, or override a missed threshold. */
export const DECIDE_GATE = 'decideGate';
/** Update: pause, resume, cancel, retry a block, trigger a block, tell of an event. */
export const CONTROL = 'control';
/** Signal: a gate decision that Temporal keeps while no worker is there; it carries the API's signature. */
export const GATE_DECISION = 'gateDecision';
/** Signal: a trigger or an event, kept and signed in the same way. */
export const KEPT_TRIGGER = 'keptTrigger';

/** Signal: somebody else has appended to the run's ledger. It carries nothing, and only wakes the reader. */
export const BELL = 'bell';

/** Signal of a run to the tick that started it: the run has failed, and stays open for a retry. */
export const FAILED_FOR_NOW = 'failedForNow';

/** The type of the failure that a failed run ends with. */
export const RUN_FAILED = 'FactoryRunFailed';
/** The type of the failure that an execution ends with whose run somebody else drives now. */
export const SUPERSEDED = 'Superseded';

/** When a run begins anew with a short history. */
export interface HistoryLimits {
  /** Continue as new from this many events, at the first moment without a running attempt. */
  readonly continueAt: number;
  /** From this many, start nothing more until that moment has come. */
  readonly drainAt: number;
}

/** What a factory run is started with. */
export interface FactoryRunInput {
  readonly run: string;
  readonly plan: WalkPlan;
  readonly startedBy: string;
  /** When the ledger began, in epoch milliseconds: the time of the first state. */
  readonly startedAt: number;
  /** Which driver of the run this is; the ledger refuses all but the latest. */
  readonly epoch: number;
  /** `store`: the run has begun before, and its state is read from there. */
  readonly from: 'start' | 'store';
  /** How long a failed run waits for a retry or an override before it closes. */
  readonly failedOpenMs: number;
  readonly limits: HistoryLimits;
}

/** Control of a run. */
export type ControlRequest =
  | { readonly type: 'pause'; readonly by: string }
  | { readonly type: 'resume'; readonly by: string }
  | { readonly type: 'cancel'; readonly by: string; readonly reason?: string }
  | { readonly type: 'retry-block'; readonly block: string; readonly by: string }
  | TriggerRequest
  | EventRequest;

/** A decision as a signal carries it; the signature is over the run too, so that it decides no other. */
export interface SignedDecision {
  readonly decision: GateDecision;
  readonly signature: string;
}

/** A trigger or an event as a signal carries it; the signature is over the run too. */
export interface SignedTrigger {
  readonly request: TriggerRequest | EventRequest;
  readonly signature: string;
}

/** What an update answers, when the ledger has judged it: refusals that depend on the moment are data too. */
export type Reply = Judged;

/** What a run ends with. The truth of it is in the store. */
export type RunEnd = Pick<RunState, 'status' | 'reason'>;

/** The activities that know whether a signed message came from the API of this store. */
export interface SignatureActivities {
  verifyDecision(run: string, signed: SignedDecision): Promise<boolean>;
  verifyTrigger(run: string, signed: SignedTrigger): Promise<boolean>;
}

/** What a run that is completed leaves to the next one with the same parameters: artifacts by block. */
export interface CompletedRun {
  readonly run: string;
  /** ISO 8601. */
  readonly endedAt: string;
  readonly artifacts: Readonly<Record<string, readonly ArtifactRef[]>>;
}

/** The activity that keeps it. */
export interface CompletionActivities {
  recordCompletion(completed: CompletedRun): Promise<void>;
}

/** What the workflow of a tick is started with, always the same: when it is for is at the end of its id. */
export interface ScheduledRunInput {
  readonly schedule: string;
  readonly generation: number;
}

/** What a tick came to before its run starts. */
export type PreparedRun =
  | {
      readonly kind: 'prepared';
      readonly run: string;
      readonly input: FactoryRunInput;
      readonly summary: string;
    }
  /** The run of this tick has been started before. */
  | { readonly kind: 'started'; readonly run: string }
  | { readonly kind: 'refused'; readonly error: RailyardError };

/** The activity that records a tick's run and claims its workspace, with the checks of any start. */
export interface ScheduledRunActivities {
  prepareScheduledRun(input: ScheduledRunInput, workflow: string): Promise<PreparedRun>;
}
