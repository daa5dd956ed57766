/** Events of a session as a person reads them: one line each. */
import pc from 'picocolors';
import { type DomainEvent } from '../src/workrail/model';

const MAX_TEXT = 80;
const DIGEST_SHOWN = 'sha256:'.length + 12;

/** Place, time, kind, where, and what it says. */
export function eventText(event: DomainEvent): string {
  const { eventIndex, timestampMs, kind } = event;
  const time = timestampMs === undefined ? '' : new Date(timestampMs).toISOString();
  const where = [event.scope?.runId, event.scope?.nodeId].filter((one) => one !== undefined).join('/');
  const parts = [
    String(eventIndex).padStart(6),
    time.padEnd(24),
    pc.bold(kind),
    pc.dim(where),
    saying(event),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function saying(event: DomainEvent): string {
  switch (event.kind) {
    case 'session_created':
      return '';
    case 'observation_recorded':
      return `${event.data.key} = ${short(event.data.value.value)} (${event.data.confidence})`;
    case 'run_started':
      return `${short(event.data.workflowId)} ${digest(event.data.workflowHash)} from ${short(event.data.workflowSourceRef)}`;
    case 'node_created':
      return `${event.data.nodeKind} after ${event.data.parentNodeId ?? 'nothing'}, snapshot ${digest(event.data.snapshotRef)}`;
    case 'edge_created':
      return `${event.data.edgeKind}: ${event.data.fromNodeId} to ${event.data.toNodeId} (${event.data.cause.kind})`;
    case 'advance_recorded': {
      const { attemptId, outcome } = event.data;
      return outcome.kind === 'advanced'
        ? `${attemptId} advanced to ${outcome.toNodeId}`
        : `${attemptId} blocked: ${outcome.blockers.blockers.map(({ code }) => code).join(', ')}`;
    }
    case 'node_output_appended': {
      const { outputId, outputChannel, payload } = event.data;
      const what =
        payload.payloadKind === 'notes'
          ? short(payload.notesMarkdown)
          : `${digest(payload.sha256)} ${short(payload.contentType)}, ${payload.byteLength} bytes`;
      return `${outputChannel} ${outputId}: ${what}`;
    }
    case 'preferences_changed':
      return `${event.data.delta.map(({ key, value }) => `${key} = ${value}`).join(', ')} (${event.data.source})`;
    case 'capability_observed':
      return `${event.data.capability} is ${event.data.status} (${event.data.provenance.kind})`;
    case 'gap_recorded': {
      const { gapId, severity, reason, summary, resolution } = event.data;
      if (resolution.kind === 'resolves')
        return `${gapId} resolves ${resolution.resolvesGapId}: ${short(summary)}`;
      return `${gapId} ${severity}, ${reason.category}/${reason.detail}: ${short(summary)}`;
    }
    case 'divergence_recorded':
      return `${event.data.reason}: ${short(event.data.summary)}`;
    case 'decision_trace_appended':
      return event.data.entries.map(({ kind, summary }) => `${kind}: ${short(summary)}`).join('; ');
    case 'context_set':
      return `${event.data.source}: ${short(Object.keys(event.data.context).join(', '))}`;
  }
}

const digest = (text: string): string => `${text.slice(0, DIGEST_SHOWN)}…`;

/** On one line, without what a terminal would act on, and not too long. */
function short(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 1).join('')}…` : line;
}
