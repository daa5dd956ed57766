/** What each route asks of its caller. A route that is not in this table is for the local key only. */
import { type Need } from './principal';

/** What a route asks for. */
export interface Access {
  readonly need: Need;
  /** The field of the body that names the caller, who may write no name there but their own. */
  readonly signature: 'started_by' | 'by' | 'approver' | null;
}

const access = (need: Need, signature: Access['signature'] = null): Access => ({ need, signature });

const API = '/api/a360';

/** The table, by method and path as they are registered. HEAD is GET. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': access('anyone'),
  'GET /readyz': access('anyone'),
  'GET /metrics': access('viewer'),
  'GET /openapi.json': access('anyone'),
  'GET /docs': access('anyone'),
  'POST /mcp': access('agent'),
  'DELETE /mcp': access('agent'),
  [`POST ${API}/factory-run`]: access('operator', 'started_by'),
  [`GET ${API}/factory-run`]: access('viewer'),
  [`GET ${API}/factory-run/:run`]: access('viewer'),
  [`GET ${API}/factory-run/:run/events`]: access('viewer'),
  [`GET ${API}/events`]: access('viewer'),
  [`POST ${API}/factory-run/:run/pause`]: access('operator', 'by'),
  [`POST ${API}/factory-run/:run/resume`]: access('operator', 'by'),
  [`POST ${API}/factory-run/:run/cancel`]: access('operator', 'by'),
  [`POST ${API}/factory-run/:run/block/:block/retry`]: access('operator', 'by'),
  [`POST ${API}/factory-run/:run/block/:block/trigger`]: access('operator', 'by'),
  [`POST ${API}/factory-run/:run/event`]: access('operator', 'by'),
  [`GET ${API}/factory-run/:run/audit`]: access('viewer'),
  // A bundle is a run whole, and importing makes one: that is more than looking at one.
  [`GET ${API}/factory-run/:run/export`]: access('operator'),
  [`POST ${API}/factory-run/:run/fence`]: access('operator', 'by'),
  [`POST ${API}/import`]: access('operator'),
  [`POST ${API}/key`]: access('local'),
  [`GET ${API}/key`]: access('local'),
  [`POST ${API}/key/:id/revoke`]: access('local'),
  [`GET ${API}/factory-run/:run/webhooks`]: access('operator'),
  [`POST ${API}/factory-run/:run/webhook/*`]: access('signed'),
  [`POST ${API}/schedule`]: access('operator', 'started_by'),
  [`GET ${API}/schedule`]: access('viewer'),
  [`GET ${API}/schedule/:schedule`]: access('viewer'),
  [`DELETE ${API}/schedule/:schedule`]: access('operator'),
  [`POST ${API}/schedule/:schedule/pause`]: access('operator', 'by'),
  [`POST ${API}/schedule/:schedule/resume`]: access('operator', 'by'),
  [`POST ${API}/schedule/:schedule/run`]: access('operator', 'by'),
  [`GET ${API}/schedule/:schedule/backfill`]: access('viewer'),
  [`POST ${API}/schedule/:schedule/backfill`]: access('operator', 'by'),
  [`GET ${API}/template`]: access('viewer'),
  [`GET ${API}/template/:name`]: access('viewer'),
  [`GET ${API}/template/:name/graph`]: access('viewer'),
  // These two only look at what they are sent.
  [`POST ${API}/template/validate`]: access('viewer'),
  [`POST ${API}/template/graph`]: access('viewer'),
  [`GET ${API}/factory-run/:run/artifact/:block/:key`]: access('viewer'),
  [`GET ${API}/factory-run/:run/artifact/:block/:key/*`]: access('viewer'),
  [`GET ${API}/artifact/:digest`]: access('viewer'),
  [`GET ${API}/gate`]: access('viewer'),
  [`GET ${API}/factory-run/:run/gate/:block`]: access('viewer'),
  [`POST ${API}/factory-run/:run/gate/:block/approve`]: access('approver', 'approver'),
  [`POST ${API}/factory-run/:run/gate/:block/reject`]: access('approver', 'approver'),
};

const UNLISTED = access('local');
const OPENED = access('anyone');

/** What a registered route asks for; `open` names those that this service opens to anyone. */
export function accessOf(method: string, path: string, open: readonly string[]): Access {
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  if (open.includes(name)) return OPENED;
  return Object.hasOwn(ACCESS, name) ? (ACCESS[name] ?? UNLISTED) : UNLISTED;
}
