/** Anchors of a workspace's identity, for finding a session again (locks, section 1). */
import { z } from 'zod';
import { MAX_PATH_LENGTH, MAX_SHORT_STRING_LENGTH } from './budgets';
import { CONFIDENCES, OBSERVATION_KEYS } from './closed-sets';
import { Digest } from './ids';

export const ObservationRecorded = z.object({
  key: z.enum(OBSERVATION_KEYS),
  value: z.discriminatedUnion('type', [
    z.object({ type: z.literal('short_string'), value: z.string().min(1).max(MAX_SHORT_STRING_LENGTH) }),
    z.object({ type: z.literal('git_sha1'), value: z.string().regex(/^[0-9a-f]{40}$/) }),
    z.object({ type: z.literal('sha256'), value: Digest }),
    z.object({ type: z.literal('path'), value: z.string().min(1).max(MAX_PATH_LENGTH) }),
  ]),
  confidence: z.enum(CONFIDENCES),
});
export type ObservationRecorded = z.infer<typeof ObservationRecorded>;
