/** Human gates: asked for by the block's `execution.human_gate`, or by an entry of the template's `human_gates`. */
import { type GateKind, type GateRule } from '../plan';
import { at, suggest, type Block, type HumanGate, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

const HOUR_MS = 3_600_000;
/** Ten years: longer than any gate is meant to wait, and well inside what a timer can hold. */
const MAX_TIMEOUT_HOURS = 87_600;

/** The gate of a block on one side, every default filled in; null where it has none. */
export function gateOf(block: Block, side: GateKind, entries: readonly HumanGate[]): GateRule | null {
  const entry = entries.find((one) => one[`${side}_block`] === block.id);
  if (!entry && block.execution.human_gate !== side) return null;
  return {
    approvers: [...new Set(entry?.approvers ?? [])],
    quorum: entry?.quorum ?? 'any',
    timeoutMs:
      entry?.timeout_hours === undefined ? null : Math.max(1, Math.round(entry.timeout_hours * HOUR_MS)),
    autoApproveOnTimeout: entry?.auto_approve_on_timeout ?? false,
    selfApproval: entry?.self_approval ?? false,
  };
}

export function checkGates({ template, blocks }: Draft): TemplateProblem[] {
  const seen = new Set<string>();
  return (template.human_gates ?? []).flatMap((gate, index) => {
    const path = ['human_gates', index];
    const side: GateKind = gate.after_block === undefined ? 'before' : 'after';
    const id = gate[`${side}_block`] ?? '';
    const problems: TemplateProblem[] = [];
    if (!blocks.has(id)) {
      const fix = suggest(id, blocks.keys(), 'Remove this gate.');
      problems.push(at([...path, `${side}_block`], `There is no block "${id}".`, fix));
    } else if (seen.has(`${side} ${id}`)) {
      const message = `The gate ${side} "${id}" stands twice.`;
      problems.push(at([...path, `${side}_block`], message, 'Join the two entries.'));
    }
    seen.add(`${side} ${id}`);
    return [...problems, ...checkRule(gate, path)];
  });
}

function checkRule(gate: HumanGate, path: readonly PropertyKey[]): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  if (gate.quorum === 'all' && (gate.approvers ?? []).length === 0) {
    const message = 'A quorum of "all" needs the roles that must approve.';
    problems.push(at([...path, 'quorum'], message, 'List the roles in "approvers", or use "any".'));
  }
  if (gate.timeout_hours !== undefined && gate.timeout_hours > MAX_TIMEOUT_HOURS) {
    const message = `A gate waits at most ${MAX_TIMEOUT_HOURS} hours.`;
    problems.push(at([...path, 'timeout_hours'], message, 'Remove "timeout_hours" to wait for ever.'));
  }
  if (gate.auto_approve_on_timeout === true && gate.timeout_hours === undefined) {
    const message = '"auto_approve_on_timeout" has no effect without "timeout_hours".';
    problems.push(at([...path, 'auto_approve_on_timeout'], message, 'Add "timeout_hours".'));
  }
  return problems;
}
