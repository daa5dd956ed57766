/**
 * Dedupe keys (locks, section 1): what makes a retried append a no-op. They are made of stable identifiers only, never
 * of event ids or times. The recipes below are the only makers.
 */
import { z } from 'zod';
import { sha256Hex } from '../../canonical';
import { MAX_DEDUPE_KEY_LENGTH } from './budgets';
import { type EdgeKind, type EventKind } from './closed-sets';
import type * as ids from './ids';

const PATTERN = /^[a-z0-9_:>-]+$/;
/** Short enough for the recipe with the most parts, an edge's. */
const PART = /^[a-z0-9_-]{1,56}$/;

export const DedupeKey = z.string().max(MAX_DEDUPE_KEY_LENGTH).regex(PATTERN).brand<'DedupeKey'>();
export type DedupeKey = z.infer<typeof DedupeKey>;

/** An id as it stands; one that does not fit (capitals, dots, too long: other producers' ids) by its digest. */
const part = (id: string): string => (PART.test(id) ? id : `h-${sha256Hex(id).slice(0, 40)}`);

const key = (kind: EventKind, ...parts: readonly string[]): DedupeKey =>
  // Every part is of the pattern; that they fit together is what parsing checks.
  DedupeKey.parse([kind, ...parts].join(':'));

type S = ids.SessionId;

export const dedupeKeys = {
  sessionCreated: (s: S) => key('session_created', part(s)),
  observationRecorded: (s: S, name: string, valueDigest: string) =>
    key('observation_recorded', part(s), name, valueDigest.replace('sha256:', '')),
  runStarted: (s: S, run: ids.RunId) => key('run_started', part(s), part(run)),
  nodeCreated: (s: S, run: ids.RunId, node: ids.NodeId) =>
    key('node_created', part(s), part(run), part(node)),
  edgeCreated: (s: S, run: ids.RunId, from: ids.NodeId, to: ids.NodeId, edge: EdgeKind) =>
    key('edge_created', part(s), part(run), `${part(from)}->${part(to)}`, edge),
  advanceRecorded: (s: S, node: ids.NodeId, attempt: ids.AttemptId) =>
    key('advance_recorded', part(s), part(node), part(attempt)),
  nodeOutputAppended: (s: S, output: ids.OutputId) => key('node_output_appended', part(s), part(output)),
  preferencesChanged: (s: S, change: ids.ChangeId) => key('preferences_changed', part(s), part(change)),
  capabilityObserved: (s: S, observation: ids.CapabilityObservationId) =>
    key('capability_observed', part(s), part(observation)),
  gapRecorded: (s: S, gap: ids.GapId) => key('gap_recorded', part(s), part(gap)),
  divergenceRecorded: (s: S, divergence: ids.DivergenceId) =>
    key('divergence_recorded', part(s), part(divergence)),
  decisionTraceAppended: (s: S, trace: ids.TraceId) => key('decision_trace_appended', part(s), part(trace)),
  contextSet: (s: S, run: ids.RunId, context: ids.ContextId) =>
    key('context_set', part(s), part(run), part(context)),
};
