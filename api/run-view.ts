/** A run as HTTP and the command line show it: snake_case, in template order, with reasons in words. */
import { type CompiledFactory } from '../src/factory/compile';
import { type GateRule, type WalkPlan } from '../src/factory/plan';
import { type BlockState, type GateOutcome, type GateState } from '../src/factory/run-state';
import { summarise, waitingForEach } from '../src/factory/walk';
import { type RunRecord } from '../src/home';
import { type SeenState } from './run-states';

/** Everything about one run. */
export type RunView = ReturnType<typeof viewRun>;

/** One block of a run. */
export type BlockView = RunView['blocks'][number];

/** One opening of a gate. */
export type GateView = RunView['gates'][number];

export function viewRun(
  record: RunRecord,
  compiled: CompiledFactory,
  plan: WalkPlan,
  { state, orphaned }: Pick<SeenState, 'state' | 'orphaned'>,
) {
  const { counts, groups } = summarise(plan, state);
  const reasons = waitingForEach(plan, state);
  const planned = new Map(plan.blocks.map((block) => [block.id, block]));
  return {
    run_id: record.run,
    factory: record.factory,
    factory_hash: record.factoryHash,
    status: state.status,
    reason: state.reason,
    /** It is not over, and no workflow drives it. */
    orphaned,
    /** The command that goes on with a run that is orphaned. */
    resume_with: orphaned ? resumeCommand(record.run) : null,
    started_by: state.startedBy,
    started_at: state.startedAt,
    ended_at: state.endedAt,
    workspace: record.workspace,
    parameters: record.parameters,
    counts,
    groups,
    blocks: compiled.blocks.flatMap(({ id, name, layer, group }) => {
      const block = state.blocks[id];
      const depends = planned.get(id)?.depends ?? [];
      return block
        ? [{ id, name, layer, group, depends, ...viewBlock(block), waiting_for: reasons.get(id) ?? null }]
        : [];
    }),
    gates: state.gates.map((opening) => viewGate(opening, planned.get(opening.block)?.gates[opening.gate])),
    early_decisions: state.early.map(({ block, gate, decision, approver, role }) => ({
      block,
      gate,
      decision,
      approver,
      role,
    })),
  };
}

/** The command that goes on with a run. */
export const resumeCommand = (run: string): string => `railyard resume ${run}`;

function viewBlock(block: BlockState) {
  const { status, attempt, attempts, started_at, ended_at, score, error, failure } = block;
  const { metrics, notes, recordCounts, artifacts, feedback, warnings } = block;
  return {
    status,
    attempt,
    attempts,
    started_at,
    ended_at,
    score,
    error,
    failure,
    metrics,
    notes,
    record_counts: recordCounts,
    artifacts,
    history: block.history.map(({ startedAt, endedAt, ...rest }) => ({
      ...rest,
      started_at: startedAt,
      ended_at: endedAt,
    })),
    feedback,
    warnings,
    /** What set it off, where it waits for a trigger. */
    trigger: block.trigger ?? null,
    next_tick: block.tick ?? null,
    /** Of a block that runs again: what others use meanwhile. */
    last_done: block.lastDone ?? null,
  };
}

function viewGate({ openedAt, outcome, ...opening }: GateState, rule: GateRule | null | undefined) {
  return {
    ...opening,
    opened_at: openedAt,
    approvers: rule?.approvers ?? [],
    quorum: rule?.quorum ?? 'any',
    self_approval: rule?.selfApproval ?? false,
    outcome: outcome ? viewOutcome(outcome) : null,
  };
}

/** Without the evidence, which is long and stands with the block. */
function viewOutcome({ evidence: _evidence, ...outcome }: GateOutcome): Omit<GateOutcome, 'evidence'> {
  return outcome;
}
