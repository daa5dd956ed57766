/** Walks through compiled workflows, an acknowledgement at a time. */
import { type Acknowledgement, type Advance, advance, start } from '../../../src/workrail/engine';
import {
  type CompiledWorkflow,
  type ExecutionSnapshot,
  pendingStep,
  type Preferences,
  stepInstanceKey,
  type TraceEntry,
} from '../../../src/workrail/model';

export const GUIDED: Preferences = { autonomy: 'guided', riskPolicy: 'conservative' };
export const STOPS: Preferences = { autonomy: 'full_auto_stop_on_user_deps', riskPolicy: 'balanced' };
export const NEVER_STOPS: Preferences = { autonomy: 'full_auto_never_stop', riskPolicy: 'conservative' };

export const ack = (more: Partial<Acknowledgement> = {}): Acknowledgement => ({
  output: { notesMarkdown: 'Did it.', artifacts: [] },
  by: 'agent',
  answer: 'none',
  preferences: GUIDED,
  observations: [],
  ...more,
});

export const withArtifacts = (...artifacts: unknown[]): Acknowledgement =>
  ack({ output: { notesMarkdown: '', artifacts } });

export const deciding = (decision: 'continue' | 'stop', more: object = {}): Acknowledgement =>
  withArtifacts({ kind: 'wr.loop_control', decision, ...more });

export const begun = (workflow: CompiledWorkflow): ExecutionSnapshot =>
  start(workflow)._unsafeUnwrap().snapshot;

/** The instance that waits; null at the end. */
export function waiting(snapshot: ExecutionSnapshot): string | null {
  const step = pendingStep(snapshot);
  return step && stepInstanceKey(step.stepId, step.loopPath);
}

type Advanced = Extract<Advance, { kind: 'advanced' }>;
type Blocked = Extract<Advance, { kind: 'blocked' }>;

export function moved(
  workflow: CompiledWorkflow,
  snapshot: ExecutionSnapshot,
  given: Acknowledgement,
): Advanced {
  const result = advance(workflow, snapshot, given)._unsafeUnwrap();
  if (result.kind === 'blocked') throw new Error(JSON.stringify(result.reasons, null, 2));
  return result;
}

export function held(
  workflow: CompiledWorkflow,
  snapshot: ExecutionSnapshot,
  given: Acknowledgement,
): Blocked {
  const result = advance(workflow, snapshot, given)._unsafeUnwrap();
  if (result.kind === 'advanced') throw new Error('Expected it to be blocked');
  return result;
}

/** Every instance of a walk, in order, and the whole trace. */
export function walkThrough(
  workflow: CompiledWorkflow,
  given: (instance: string) => Acknowledgement,
): { visited: string[]; trace: TraceEntry[]; gaps: Advanced['gaps'][number][] } {
  const { snapshot, trace: first } = start(workflow)._unsafeUnwrap();
  const seen = { visited: [] as string[], trace: [...first], gaps: [] as Advanced['gaps'][number][] };
  for (let at = snapshot; ;) {
    const instance = waiting(at);
    if (instance === null) return seen;
    seen.visited.push(instance);
    const next = moved(workflow, at, given(instance));
    seen.trace.push(...next.trace);
    seen.gaps.push(...next.gaps);
    at = next.snapshot;
  }
}

/** A trace as `kind loop@iteration`, for reading. */
export const inShort = (trace: readonly TraceEntry[]): string[] =>
  trace.map(({ kind, refs = [] }) =>
    [
      kind,
      ...refs.flatMap((ref) =>
        ref.kind === 'step_id'
          ? [ref.stepId]
          : ref.kind === 'loop_id'
            ? [ref.loopId]
            : ref.kind === 'iteration'
              ? [String(ref.value)]
              : [],
      ),
    ].join(' '),
  );
