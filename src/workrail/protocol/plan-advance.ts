/**
 * The plan of one attempt: all that it makes true, in one append whose first key is the attempt itself. Pure: from what a
 * session holds under its lock and what was judged before.
 */
import { ok, type Result } from 'neverthrow';
import { type JsonObject } from '../../canonical';
import { type RailyardError } from '../../errors';
import {
  applyPreferences,
  type AppendPlan,
  type EdgeCause,
  type PlannedEvent,
  type PreferenceChange,
  reasonsToReport,
  reasonToGap,
  recommendationWarnings,
  type TraceEntry,
} from '../model';
import { type Advance } from '../engine';
import { type Minting } from '../ports';
import { isTip } from '../projections';
import { addressOf } from './contents';
import { type AttemptKey, derived } from './derived-ids';
import * as events from './event-writer';
import { claimsOf, type NewGap, openGapsOfStep } from './gaps-of-steps';
import { contextAfter } from './input';
import { type KeptArtifact, outputsOf } from './outputs';
import { type Place, preferencesAt, stepAt } from './place';

/** An attempt that has been judged and is to be recorded. */
export interface Attempt {
  readonly key: AttemptKey;
  readonly judged: Advance;
  readonly notesMarkdown: string;
  readonly artifacts: readonly KeptArtifact[];
  readonly changes: readonly PreferenceChange[];
  readonly context: Readonly<Record<string, unknown>> | undefined;
  /** Whether the caller said that it goes another way on purpose. */
  readonly fork: boolean;
}

/** The plan of an attempt at a place, as the place is under the lock. */
export function planAdvance(
  place: Place,
  attempt: Attempt,
  minting: Pick<Minting, 'eventId'>,
): Result<AppendPlan, RailyardError> {
  const stored = place.view.contexts.byRun.get(place.run.runId)?.context ?? {};
  return contextAfter(stored, attempt.context).andThen((context) =>
    ok(plan(place, attempt, context, minting)),
  );
}

function plan(
  place: Place,
  attempt: Attempt,
  context: JsonObject | null,
  minting: Pick<Minting, 'eventId'>,
): AppendPlan {
  const { session, node } = place;
  const { key, judged, changes } = attempt;
  const nodeId = derived.node(key);
  const writer: events.Writer = { sessionId: session.sessionId, key, nodeId, minting };
  const isBlocked = judged.kind === 'blocked';
  const report = isBlocked ? reasonsToReport(judged.reasons) : null;
  const recorded = events.advanceRecorded(
    writer,
    report ? { kind: 'blocked', blockers: report } : { kind: 'advanced', toNodeId: nodeId },
  );
  const cause = causeOf(place, attempt);
  const effective = applyPreferences(preferencesAt(place), changes);
  const warnings = changes.length > 0 ? recommendationWarnings(effective, place.workflow) : [];
  const outputs = outputsOf(key, attempt.notesMarkdown, attempt.artifacts, warnings);
  return {
    events: [
      recorded,
      events.nodeCreated(writer, {
        nodeKind: isBlocked ? 'blocked_attempt' : 'step',
        parentNodeId: key.nodeId,
        workflowHash: node.workflowHash,
        snapshotRef: isBlocked ? node.snapshotRef : addressOf(judged.snapshot),
      }),
      events.edgeCreated(writer, 'acked_step', { kind: cause, eventId: recorded.eventId }),
      ...outputs.map((output) => events.outputAppended(writer, output)),
      ...(context ? [events.contextSet(writer, context, 'merge')] : []),
      ...(changes.length > 0 ? [events.preferencesChanged(writer, [...changes], effective)] : []),
      ...events.capabilitiesObserved(writer, judged.findings),
      ...events.divergencesRecorded(writer, judged.divergences),
      ...gapEvents(writer, place, judged, recorded),
      ...events.tracesAppended(writer, traceOf(place, judged, cause)),
    ],
    snapshots: isBlocked ? [] : [judged.snapshot],
  };
}

/** Why there is an edge (locks, section 1): an ordinary advance leaves a tip; what leaves another place is a branch. */
export function causeOf(
  { run, node }: Place,
  { fork }: Pick<Attempt, 'fork'>,
): Exclude<EdgeCause, 'checkpoint_created'> {
  if (isTip(run, node.nodeId)) return 'idempotent_replay';
  return fork ? 'intentional_fork' : 'non_tip_advance';
}

function gapEvents(
  writer: events.Writer,
  place: Place,
  judged: Advance,
  { eventId }: PlannedEvent,
): PlannedEvent[] {
  const step = stepAt(place);
  const reasons = judged.kind === 'blocked' ? judged.reasons : judged.gaps;
  const claims = judged.kind === 'advanced' && step ? claimsOf(step, judged.answeredBy) : [];
  const left: NewGap[] = [...reasons.map(reasonToGap), ...claims];
  const closing =
    judged.kind === 'blocked'
      ? 'Tried again: what is still missing has been recorded anew.'
      : 'Mended by a later attempt.';
  return [
    ...openGapsOfStep(place).map(({ gapId, reason, severity }) =>
      events.gapRecorded(writer, {
        gapId: derived.resolution(writer.key, gapId),
        ...{ severity, reason, summary: closing },
        resolution: { kind: 'resolves', resolvesGapId: gapId },
      }),
    ),
    ...left.map((gap, n) =>
      events.gapRecorded(writer, {
        gapId: derived.gap(writer.key, n),
        ...gap,
        resolution: { kind: 'unresolved' },
        evidenceRefs: [{ kind: 'event', eventId }],
      }),
    ),
  ];
}

function traceOf(place: Place, judged: Advance, cause: EdgeCause): TraceEntry[] {
  const step = stepAt(place);
  const refs = step ? { refs: [{ kind: 'step_id' as const, stepId: step.stepId }] } : {};
  const left: TraceEntry[] =
    cause === 'idempotent_replay'
      ? []
      : [
          {
            kind: 'detected_non_tip_advance',
            summary:
              cause === 'intentional_fork'
                ? 'The place had been left before; the caller asked for another branch.'
                : 'The token was of a place that had been left before; this attempt is a branch of its own.',
            ...refs,
          },
        ];
  if (judged.kind === 'blocked') return left;
  const answered: TraceEntry[] =
    judged.answeredBy === null
      ? []
      : [{ kind: 'evaluated_condition', summary: ANSWERED[judged.answeredBy], ...refs }];
  return [...left, ...answered, ...judged.trace];
}

/** On whose word a step's question to a person was taken as answered. */
const ANSWERED = {
  person: 'A person has confirmed the step.',
  agent_claim: 'No person could be asked; the agent says that one has confirmed the step.',
  none: 'No person was asked: the run never stops. A gap says so.',
} as const;
