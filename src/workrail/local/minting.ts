/** Ids from the system's randomness, in lower case so that they fit into dedupe keys as they are; time from its clock. */
import { randomBytes } from 'node:crypto';
import { AttemptId, EventId, SessionId } from '../model';
import { type Minting } from '../ports';

const ID_BYTES = 16;
const random = (): string => randomBytes(ID_BYTES).toString('hex');

export const systemMinting: Minting = {
  sessionId: () => SessionId.parse(`sess_${random()}`),
  eventId: () => EventId.parse(`evt_${random()}`),
  attemptId: () => AttemptId.parse(`att_${random()}`),
  nowMs: () => Date.now(),
};
