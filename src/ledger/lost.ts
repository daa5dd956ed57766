/** When a run is lost to whoever drives it: no further try can mend that, only a person who resumes it from the store. */
import type { RailyardError } from '../errors';

const LOST: readonly string[] = [
  // Somebody else drives it, or the store is an old copy.
  ...['SUPERSEDED', 'STORE_BEHIND'],
  // The session cannot be read, or not by this version.
  ...['SESSION_CORRUPT', 'SESSION_NOT_FOUND', 'SESSION_UNKNOWN_VERSION'],
  // A bug: the ledger refused what it had made itself.
  ...['STORE_PLAN_INVALID', 'STORE_INVARIANT_VIOLATION'],
];

/** Does this answer of the ledger end the driver, as opposed to a refusal of one thing, or trouble that passes? */
export const isLost = ({ code }: RailyardError): boolean => LOST.includes(code);
