/** The plan that makes a session: its run, its root, and all that the caller said at the beginning. Pure. */
import { digestOf, sha256Digest, type JsonObject } from '../../canonical';
import { type Started } from '../engine';
import {
  type AppendPlan,
  applyPreferences,
  dedupeKeys,
  DEFAULT_PREFERENCES,
  Digest,
  type ObservationRecorded,
  type PlannedEvent,
  type PreferenceChange,
  recommendationWarnings,
  type SessionId,
} from '../model';
import { type Minting } from '../ports';
import { addressOf } from './contents';
import { beginningOf, derived, runOf } from './derived-ids';
import * as events from './event-writer';
import { outputsOf } from './outputs';
import { type KnownWorkflow } from './protocol';
import { type ToolInput } from './tools';

/** What a run begins with. */
export interface Beginning extends Started {
  readonly context: JsonObject | null;
  readonly changes: readonly PreferenceChange[];
  readonly workspace: NonNullable<ToolInput<'start_workflow'>['workspace']>;
}

export function planStart(
  sessionId: SessionId,
  { compiled, workflowHash, sourceKind, sourceRef }: KnownWorkflow,
  { snapshot, trace, context, changes, workspace }: Beginning,
  minting: Pick<Minting, 'eventId'>,
): AppendPlan {
  const runId = runOf(sessionId);
  const key = beginningOf(runId);
  const writer: events.Writer = { sessionId, key, nodeId: derived.node(key), minting };
  const effective = applyPreferences(DEFAULT_PREFERENCES, changes);
  const warnings = changes.length > 0 ? recommendationWarnings(effective, compiled) : [];
  return {
    events: [
      {
        eventId: minting.eventId(),
        kind: 'session_created',
        dedupeKey: dedupeKeys.sessionCreated(sessionId),
        data: {},
      },
      {
        eventId: minting.eventId(),
        kind: 'run_started',
        dedupeKey: dedupeKeys.runStarted(sessionId, runId),
        scope: { runId },
        data: {
          workflowId: compiled.workflowId,
          workflowHash,
          workflowSourceKind: sourceKind,
          workflowSourceRef: sourceRef,
        },
      },
      events.nodeCreated(writer, {
        nodeKind: 'step',
        parentNodeId: null,
        workflowHash,
        snapshotRef: addressOf(snapshot),
      }),
      ...(context ? [events.contextSet(writer, context, 'initial')] : []),
      ...(changes.length > 0 ? [events.preferencesChanged(writer, [...changes], effective)] : []),
      ...outputsOf(key, '', [], warnings).map((output) => events.outputAppended(writer, output)),
      ...observationsIn(workspace).map((data) => observed(sessionId, data, minting)),
      ...events.tracesAppended(writer, trace),
    ],
    snapshots: [snapshot],
  };
}

/** What the caller says of its workspace: good enough to find a session again by. */
function observationsIn({ gitBranch, gitHeadSha, repoRoot }: Beginning['workspace']): ObservationRecorded[] {
  const confidence = 'med' as const;
  return [
    ...(gitBranch
      ? [
          {
            key: 'git_branch' as const,
            value: { type: 'short_string' as const, value: gitBranch },
            confidence,
          },
        ]
      : []),
    ...(gitHeadSha
      ? [
          {
            key: 'git_head_sha' as const,
            value: { type: 'git_sha1' as const, value: gitHeadSha },
            confidence,
          },
        ]
      : []),
    ...(repoRoot
      ? [
          {
            key: 'repo_root_hash' as const,
            value: { type: 'sha256' as const, value: Digest.parse(sha256Digest(repoRoot)) },
            confidence,
          },
          { key: 'repo_root' as const, value: { type: 'path' as const, value: repoRoot }, confidence },
        ]
      : []),
  ];
}

function observed(
  sessionId: SessionId,
  data: ObservationRecorded,
  minting: Pick<Minting, 'eventId'>,
): PlannedEvent {
  const digest = digestOf(data.value.value);
  if (digest.isErr()) throw new Error(`Bug: an observation that is not JSON: ${digest.error.reason}`);
  return {
    eventId: minting.eventId(),
    kind: 'observation_recorded',
    dedupeKey: dedupeKeys.observationRecorded(sessionId, data.key, digest.value),
    data,
  };
}
