/**
 * The walk plan: what the scheduler and the workflow need to know of a compiled factory, and no more.
 *
 * Types only. The plan travels as the workflow's input, so it is slim (ids, wiring, gates, thresholds); what a
 * skill needs (paths, config, time-outs) stays in the compiled factory, which the host reads by its hash.
 */

export type GateKind = 'before' | 'after';

/** Who must agree: one person, one person for every approver role, or n distinct people. */
export type Quorum = 'any' | 'all' | number;

/** A human gate, with every default filled in. */
export interface GateRule {
  /** Roles that may decide; empty: any approver role. */
  readonly approvers: readonly string[];
  readonly quorum: Quorum;
  /** Null: the gate waits for ever. */
  readonly timeoutMs: number | null;
  /** False (the default): a time-out marks the gate overdue and decides nothing. */
  readonly autoApproveOnTimeout: boolean;
  /** False (the default): the person who started the run does not decide. */
  readonly selfApproval: boolean;
}

/** A quality threshold on one metric of one block, with every default filled in. */
export interface ThresholdRule {
  readonly metric: string;
  readonly min: number;
  readonly action: 'fail' | 'warn';
  readonly overrideAllowed: boolean;
}

export interface Dependency {
  readonly block: string;
  readonly key: string;
}

/** What a block waits for beside its dependencies. */
export type PlannedTrigger =
  | { readonly type: 'manual' }
  | { readonly type: 'webhook'; readonly path: string }
  /** Each filter names a value of the payload (`a.b` looks inside) and what it must be. */
  | { readonly type: 'event'; readonly name: string; readonly filters: Readonly<Record<string, string>> }
  /** Five fields, in UTC. */
  | { readonly type: 'cron'; readonly cron: string };

/**
 * One block as the walk sees it. The optional parts are those that most blocks do without: a plan is carried over at
 * every continue-as-new, and plans of earlier versions lack them.
 */
export interface PlannedBlock {
  readonly id: string;
  readonly depends: readonly Dependency[];
  /** Keys of the declared artifacts. */
  readonly artifacts: readonly string[];
  readonly group: string | null;
  readonly gates: { readonly before: GateRule | null; readonly after: GateRule | null };
  /** All must hold; the first one's metric is the block's score. */
  readonly thresholds: readonly ThresholdRule[];
  /** Automatic retries allowed: `max_retries`, or 0 where the block is not retryable. */
  readonly maxRetries: number;
  /** Start-to-close of one execution of the skill, in milliseconds. */
  readonly timeoutMs: number;
  /** It waits until every one-shot block with a lower number is done; absent: it neither waits nor is waited for. */
  readonly scopeGate?: number;
  /** Absent: its dependencies are all it waits for. */
  readonly trigger?: PlannedTrigger;
  /** Runs any number of times and never holds the run open. Absent: it runs once. */
  readonly lifecycle?: 'on-demand' | 'daemon';
  /** Its artifacts are kept for the next run with the same parameters. Absent: they are not. */
  readonly feedbackLoop?: true;
  /** An agent comes for it and does its steps; nothing is started. Absent: a skill that a worker starts. */
  readonly performer?: 'agent';
}

export interface PlannedGroup {
  readonly name: string;
  readonly blocks: readonly string[];
  /** Null: unlimited. */
  readonly maxConcurrent: number | null;
}

export interface WalkPlan {
  readonly factory: string;
  /** `sha256:…` of the compiled factory this plan was cut from. */
  readonly factoryHash: string;
  /** In template order; the order in which blocks that become ready together are started. */
  readonly blocks: readonly PlannedBlock[];
  readonly groups: readonly PlannedGroup[];
}
