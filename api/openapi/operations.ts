/** Every route of the service: what it takes, what it answers, how it refuses. The document and its tests follow this table. */
import { type z } from 'zod';
import { type ErrorCode } from '../../src/errors';
import * as bodies from '../bodies';
import * as moving from './moving-answers';
import * as other from './other-answers';
import * as run from './run-answers';
import * as schedule from './schedule-answers';
import { MOVING_OPERATIONS } from './moving-operations';
import { SCHEDULE_OPERATIONS } from './schedule-operations';

/** What a success looks like: a schema for JSON, else the media type of the bytes. */
export type Success = { readonly schema: keyof typeof ANSWERS } | { readonly type: string } | 'empty';

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it; `*` of our router is `{path}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Headers that are understood beside the usual ones. */
  readonly headers?: readonly HeaderName[];
  readonly answers: Readonly<Record<number, Success>>;
  /** Beside those that every route has. */
  readonly errors: readonly ErrorCode[];
  readonly open?: true;
}

/** Request headers that the table may name. */
export const HEADERS = {
  'Idempotency-Key':
    'A name for this request, at most 200 characters: sent again under it, it does nothing anew.',
  'If-None-Match': 'The ETag of what the caller has.',
  'If-Range': 'The ETag of what the caller has a part of.',
  'Mcp-Session-Id': 'The session, as the answer to initialize named it.',
  'Mcp-Protocol-Version': 'The version of MCP that was agreed on.',
  Range: 'One range of bytes.',
  'Last-Event-ID': 'The id of the last event that was heard.',
  'Railyard-Timestamp': 'When the call was signed, in Unix seconds.',
  'Railyard-Signature':
    '"v1=" and the HMAC-SHA256 of "<timestamp>.<run>.<path>.<body>" in hexadecimal digits.',
} as const;
type HeaderName = keyof typeof HEADERS;

/** Named answers, as the document names them. */
export const ANSWERS = {
  ...{ Run: run.Run, RunPage: run.RunPage, Started: run.Started, Gate: run.Gate, GatePage: run.GatePage },
  ...{ Decided: other.Decided, Stored: other.Stored, Controlled: other.Controlled, Retrying: other.Retrying },
  ...{ StoredEvent: other.StoredEvent, Webhooks: other.Webhooks },
  ...{ Triggered: other.Triggered, Listing: other.Listing, Templates: other.Templates },
  ...{ Validated: other.Validated, Graph: other.Graph, Template: other.TemplateText, Health: other.Health },
  ...{ Key: other.Key, Keys: other.Keys, NewKey: other.NewKey },
  ...{ Schedule: schedule.Schedule, SchedulePage: schedule.SchedulePage, RunAsked: schedule.RunAsked },
  ...{ ScheduleCreated: schedule.ScheduleCreated, ScheduleEntry: schedule.ScheduleEntry },
  ...{ Backfill: schedule.Backfill, ScheduleDeleted: schedule.ScheduleDeleted },
  ...{ Ready: other.Ready, Audit: moving.Audit, Fenced: moving.Fenced, Imported: moving.Imported },
};

const RUN = '/api/a360/factory-run/{run}';
const KEY = ['Idempotency-Key'] as const;
const READ: readonly ErrorCode[] = ['RUN_NOT_FOUND', 'RUN_ORPHANED', 'RUN_STUCK', 'TEMPORAL_AWAY'];
const UPDATE: readonly ErrorCode[] = ['RUN_NOT_FOUND', 'RUN_ENDED', 'RUN_STUCK', 'TEMPORAL_AWAY'];
const TRIGGER: readonly ErrorCode[] = ['BLOCK_NOT_FOUND', 'BODY_TOO_LARGE', 'IDEMPOTENCY_KEY_REUSED'];
const STORE = ['SESSION_NOT_FOUND', 'SESSION_CORRUPT', 'SESSION_UNKNOWN_VERSION', 'SESSION_LOCKED'] as const;
const TEMPLATE: readonly ErrorCode[] = ['TEMPLATE_INVALID', 'TEMPLATE_NOT_JSON'];
const DECIDE: readonly ErrorCode[] = [
  ...UPDATE,
  ...(['BLOCK_NOT_FOUND', 'GATE_NOT_FOUND', 'GATE_UNREACHABLE', 'GATE_ALREADY_DECIDED'] as const),
  ...(['GATE_ATTEMPT_STALE', 'GATE_EVIDENCE_STALE', 'GATE_ROLE_REFUSED', 'GATE_SELF_APPROVAL'] as const),
  ...(['IDEMPOTENCY_KEY_REUSED', 'GATE_VOTE_REPEATED', 'OVERRIDE_NOT_ALLOWED'] as const),
  ...(['OVERRIDE_NOT_POSSIBLE', 'JUSTIFICATION_REQUIRED'] as const),
];
const RANGED = { headers: ['If-None-Match', 'If-Range', 'Range'] } as const;
const ARTIFACT: readonly ErrorCode[] = ['ARTIFACT_NOT_FOUND', 'RANGE_NOT_SATISFIABLE'];
const BYTES = 'application/octet-stream';
const EVENTS = 'text/event-stream';
const MCP = ['Mcp-Session-Id', 'Mcp-Protocol-Version'] as const;

const control = (what: string, summary: string): Operation => ({
  ...{ method: 'post', path: `${RUN}/${what}`, tag: 'Runs', summary, body: bodies.ControlBody },
  headers: KEY,
  answers: { 200: { schema: 'Controlled' } },
  errors: UPDATE,
});

const decide = (what: string, summary: string, body: z.ZodType): Operation => ({
  ...{ method: 'post', path: `${RUN}/gate/{block}/${what}`, tag: 'Gates', summary, body, headers: KEY },
  answers: { 200: { schema: 'Decided' }, 202: { schema: 'Stored' } },
  errors: DECIDE,
});

export const OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/api/a360/factory-run', tag: 'Runs', summary: 'Start a run' },
    ...{ body: bodies.StartBody, headers: KEY },
    answers: { 200: { schema: 'Started' }, 201: { schema: 'Started' } },
    errors: [
      ...TEMPLATE,
      ...(['PARAMETERS_MISSING', 'SKILL_NOT_FOUND', 'PATH_OUTSIDE_WORKSPACE', 'WORKSPACE_BUSY'] as const),
      ...(['RUN_EXISTS', 'IDEMPOTENCY_KEY_REUSED', 'TEMPORAL_AWAY', 'HOME_UNUSABLE'] as const),
    ],
  },
  {
    ...{ method: 'get', path: '/api/a360/factory-run', tag: 'Runs', summary: 'List runs, the newest first' },
    query: bodies.ListQuery,
    answers: { 200: { schema: 'RunPage' } },
    errors: ['TEMPORAL_AWAY'],
  },
  {
    ...{ method: 'get', path: RUN, tag: 'Runs', summary: 'Read a run' },
    answers: { 200: { schema: 'Run' } },
    errors: READ,
  },
  control('pause', 'Start nothing new; what runs comes to its end'),
  {
    ...{ method: 'post', path: `${RUN}/resume`, tag: 'Runs', body: bodies.ResumeBody, headers: KEY },
    summary: 'Go on with a run that is paused, or that nobody drives any more',
    answers: { 200: { schema: 'Controlled' } },
    errors: [
      ...UPDATE,
      ...(['RUN_MOVED', 'RUN_ORPHANED', 'RUN_EXISTS', 'SKILL_NOT_FOUND', 'WORKSPACE_BUSY'] as const),
      ...(['PATH_OUTSIDE_WORKSPACE', ...STORE] as const),
    ],
  },
  control('cancel', 'Stop what runs and end the run'),
  {
    ...{
      method: 'post',
      path: `${RUN}/block/{block}/retry`,
      tag: 'Runs',
      summary: 'Run a failed block again',
    },
    ...{ body: bodies.ControlBody, headers: KEY },
    answers: { 200: { schema: 'Retrying' } },
    errors: [...UPDATE, 'BLOCK_NOT_FOUND', 'BLOCK_NOT_FAILED', 'IDEMPOTENCY_KEY_REUSED'],
  },
  {
    ...{
      method: 'post',
      path: `${RUN}/block/{block}/trigger`,
      tag: 'Runs',
      summary: 'Set off a manual block',
    },
    ...{ body: bodies.TriggerBody, headers: KEY },
    answers: { 200: { schema: 'Triggered' }, 202: { schema: 'Stored' } },
    errors: [...UPDATE, ...TRIGGER],
  },
  {
    ...{
      method: 'post',
      path: `${RUN}/event`,
      tag: 'Runs',
      summary: 'Tell the blocks that wait for it of an event',
    },
    ...{ body: bodies.EventBody, headers: KEY },
    answers: { 200: { schema: 'Triggered' }, 202: { schema: 'StoredEvent' } },
    errors: [...UPDATE, ...TRIGGER],
  },
  {
    ...{
      method: 'get',
      path: `${RUN}/webhooks`,
      tag: 'Webhooks',
      summary: 'The webhooks of a run, with secrets',
    },
    answers: { 200: { schema: 'Webhooks' } },
    errors: ['RUN_NOT_FOUND'],
  },
  {
    ...{
      method: 'post',
      path: `${RUN}/webhook/{path}`,
      tag: 'Webhooks',
      summary: 'Call a webhook',
      open: true,
    },
    ...{ body: bodies.WebhookBody, headers: ['Railyard-Timestamp', 'Railyard-Signature'] },
    answers: { 200: { schema: 'Triggered' }, 202: { schema: 'Stored' } },
    errors: [...UPDATE, ...TRIGGER, 'UNAUTHENTICATED', 'WEBHOOK_REPLAYED'],
  },
  {
    ...{ method: 'get', path: `${RUN}/events`, tag: 'Live', summary: 'What happens to a run, until it ends' },
    headers: ['Last-Event-ID'],
    answers: { 200: { type: EVENTS }, 204: 'empty' },
    errors: [...READ, 'SERVICE_AWAY'],
  },
  {
    ...{ method: 'get', path: '/api/a360/events', tag: 'Live', summary: 'What happens to all runs' },
    headers: ['Last-Event-ID'],
    answers: { 200: { type: EVENTS } },
    errors: ['TEMPORAL_AWAY', 'SERVICE_AWAY'],
  },
  {
    ...{
      method: 'get',
      path: '/api/a360/gate',
      tag: 'Gates',
      summary: 'What waits for people, the longest first',
    },
    query: bodies.GateQuery,
    answers: { 200: { schema: 'GatePage' } },
    errors: ['TEMPORAL_AWAY'],
  },
  {
    ...{
      method: 'get',
      path: `${RUN}/gate/{block}`,
      tag: 'Gates',
      summary: 'The gate of a block, with evidence',
    },
    answers: { 200: { schema: 'Gate' } },
    errors: [...READ, 'BLOCK_NOT_FOUND', 'GATE_NOT_FOUND'],
  },
  decide('approve', 'Approve, or pass a missed threshold', bodies.ApproveBody),
  decide('reject', 'Reject, with feedback for the next attempt', bodies.RejectBody),
  {
    ...{
      method: 'get',
      path: '/api/a360/artifact/{digest}',
      tag: 'Artifacts',
      summary: 'Bytes by their digest',
    },
    ...RANGED,
    answers: { 200: { type: BYTES }, 206: { type: BYTES }, 304: 'empty' },
    errors: ARTIFACT,
  },
  {
    ...{ method: 'get', path: `${RUN}/artifact/{block}/{key}`, tag: 'Artifacts' },
    ...{ summary: 'An artifact of a block; of a directory, its listing', ...RANGED },
    answers: { 200: { type: '*/*' }, 206: { type: '*/*' }, 304: 'empty' },
    errors: [...READ, ...ARTIFACT, 'BLOCK_NOT_FOUND'],
  },
  {
    ...{ method: 'get', path: `${RUN}/artifact/{block}/{key}/{path}`, tag: 'Artifacts' },
    ...{ summary: 'A file in an artifact that is a directory', ...RANGED },
    answers: { 200: { type: '*/*' }, 206: { type: '*/*' }, 304: 'empty' },
    errors: [...READ, ...ARTIFACT, 'BLOCK_NOT_FOUND'],
  },
  {
    ...{
      method: 'get',
      path: '/api/a360/template',
      tag: 'Templates',
      summary: 'Templates that come with Railyard',
    },
    answers: { 200: { schema: 'Templates' } },
    errors: [],
  },
  {
    ...{
      method: 'get',
      path: '/api/a360/template/{name}',
      tag: 'Templates',
      summary: 'One of them, as it is written',
    },
    answers: { 200: { schema: 'Template' } },
    errors: ['TEMPLATE_NOT_FOUND'],
  },
  {
    ...{
      method: 'get',
      path: '/api/a360/template/{name}/graph',
      tag: 'Templates',
      summary: 'One of them, drawn',
    },
    query: bodies.GraphQuery,
    answers: { 200: { schema: 'Graph' } },
    errors: ['TEMPLATE_NOT_FOUND'],
  },
  {
    ...{ method: 'post', path: '/api/a360/template/validate', tag: 'Templates', summary: 'Check a template' },
    body: bodies.ValidateBody,
    answers: { 200: { schema: 'Validated' } },
    errors: TEMPLATE,
  },
  {
    ...{ method: 'post', path: '/api/a360/template/graph', tag: 'Templates', summary: 'Draw a template' },
    body: bodies.GraphBody,
    answers: { 200: { schema: 'Graph' } },
    errors: TEMPLATE,
  },
  ...MOVING_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  {
    ...{ method: 'post', path: '/api/a360/key', tag: 'Keys', summary: 'Make a key and show it, this once' },
    body: bodies.KeyBody,
    answers: { 201: { schema: 'NewKey' } },
    errors: [],
  },
  {
    ...{
      method: 'get',
      path: '/api/a360/key',
      tag: 'Keys',
      summary: 'Keys without their secrets, the oldest first',
    },
    query: bodies.KeysQuery,
    answers: { 200: { schema: 'Keys' } },
    errors: [],
  },
  {
    ...{
      method: 'post',
      path: '/api/a360/key/{id}/revoke',
      tag: 'Keys',
      summary: 'End a key for good, at once',
    },
    answers: { 200: { schema: 'Key' } },
    errors: ['KEY_NOT_FOUND'],
  },
  {
    ...{ method: 'post', path: '/mcp', tag: 'Agents', summary: 'The tools of agents (MCP, streamable HTTP)' },
    ...{ body: bodies.McpBody, headers: MCP },
    answers: { 200: { type: EVENTS }, 202: 'empty' },
    errors: ['MCP_SESSION_NOT_FOUND', 'SERVICE_AWAY', 'STORE_IO'],
  },
  {
    ...{ method: 'delete', path: '/mcp', tag: 'Agents', summary: 'End a session of the transport' },
    headers: MCP,
    answers: { 200: 'empty' },
    errors: ['MCP_SESSION_NOT_FOUND'],
  },
  {
    ...{ method: 'get', path: '/healthz', tag: 'Service', summary: 'Is the service there?', open: true },
    answers: { 200: { schema: 'Health' } },
    errors: [],
  },
  {
    ...{ method: 'get', path: '/readyz', tag: 'Service', summary: 'Can it do its work?', open: true },
    answers: { 200: { schema: 'Ready' } },
    errors: ['NOT_READY'],
  },
  {
    ...{ method: 'get', path: '/metrics', tag: 'Service', summary: 'Numbers for Prometheus' },
    answers: { 200: { type: 'text/plain' } },
    errors: [],
  },
  {
    ...{ method: 'get', path: '/openapi.json', tag: 'Service', summary: 'This document', open: true },
    answers: { 200: { type: 'application/json' } },
    errors: [],
  },
  {
    ...{ method: 'get', path: '/docs', tag: 'Service', summary: 'This document, to be read', open: true },
    answers: { 200: { type: 'text/html' } },
    errors: [],
  },
];
