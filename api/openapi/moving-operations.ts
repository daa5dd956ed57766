/** The routes of audits and of runs that move house. */
import { z } from 'zod';
import { type ErrorCode } from '../../src/errors';
import * as bodies from '../bodies';
import { type Operation } from './operations';

const RUN = '/api/a360/factory-run/{run}';
const tag = 'Moving';
const STORE: readonly ErrorCode[] = [
  ...(['SESSION_NOT_FOUND', 'SESSION_CORRUPT', 'SESSION_UNKNOWN_VERSION', 'SESSION_LOCKED'] as const),
  ...(['RUN_NOT_FOUND', 'STORE_INVARIANT_VIOLATION'] as const),
];

/** A bundle, as docs/schemas/workrail/bundle.schema.json describes it. */
const BundleBody = z
  .looseObject({})
  .describe('A bundle, as docs/schemas/workrail/bundle.schema.json describes it');

export const MOVING_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'get', path: `${RUN}/audit`, tag },
    summary: 'Who decided what in a run, and everything else that became of it',
    answers: { 200: { schema: 'Audit' } },
    errors: STORE,
  },
  {
    ...{ method: 'get', path: `${RUN}/export`, tag, summary: 'A run as a bundle, in any state' },
    answers: { 200: { type: 'application/json' } },
    errors: STORE,
  },
  {
    ...{ method: 'post', path: `${RUN}/fence`, tag, body: bodies.FenceBody },
    summary: 'Take a run from its workflow, before it goes on elsewhere',
    answers: { 200: { schema: 'Fenced' } },
    errors: [...STORE, 'TEMPORAL_AWAY', 'RUN_ENDED'],
  },
  {
    ...{ method: 'post', path: '/api/a360/import', tag, query: bodies.ImportQuery, body: BundleBody },
    summary: 'Bring a bundle into this data directory; the same one again is found to be there',
    answers: { 200: { schema: 'Imported' }, 201: { schema: 'Imported' } },
    errors: [
      ...STORE,
      ...(['BUNDLE_INVALID_FORMAT', 'BUNDLE_UNSUPPORTED_VERSION', 'BUNDLE_INTEGRITY_FAILED'] as const),
      ...([
        'BUNDLE_MISSING_SNAPSHOT',
        'BUNDLE_MISSING_PINNED_WORKFLOW',
        'BUNDLE_EVENT_ORDER_INVALID',
      ] as const),
      ...(['BUNDLE_MANIFEST_ORDER_INVALID', 'RUN_EXISTS', 'WORKSPACE_BUSY', 'SESSION_EXISTS'] as const),
      ...(['PARAMETERS_MISSING', 'PATH_OUTSIDE_WORKSPACE', 'STORE_FULL'] as const),
    ],
  },
];
