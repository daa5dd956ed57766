/** The ledger as activities: results become answers that Temporal can carry, and errors become its failures. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { carried } from '../src/factory/walk';
import { type Fact, type LedgerActivities, type LedgerCall, type Page, type RunLedger } from '../src/ledger';
import { ledgerFailure } from './failures';

/** Of the facts of one answer; Temporal carries no message over 2 MB. One fact is never larger than that. */
const MAX_PAGE_BYTES = 1_000_000;

/** What of a ledger activities need. */
export type ActivityLedger = Pick<RunLedger, 'record' | 'read' | 'standing'>;

/** The activities of the host that holds a store. */
export function createLedgerActivities(ledger: ActivityLedger): LedgerActivities {
  return {
    recordFacts: async (request) => {
      const { judged, facts } = orThrow(await ledger.record(request));
      return { judged, ...pageOf(request, facts) };
    },
    readFacts: async (call) => pageOf(call, orThrow(await ledger.read(call))),
    readStanding: async (call) => {
      // Somebody else may drive the run by now; a read says so, where standing tells everybody.
      orThrow(await ledger.read(call));
      const { plan, state, seen } = orThrow(await ledger.standing(call.run));
      return { state: carried(plan, state), seen };
    },
  };
}

/** As many facts as one message carries, and at least one. */
function pageOf({ seen }: LedgerCall, facts: readonly Fact[]): Page {
  let bytes = 0;
  const full = facts.findIndex((fact, index) => {
    bytes += Buffer.byteLength(JSON.stringify(fact));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  const last = facts.at(-1);
  return { facts: full === -1 ? facts : facts.slice(0, full), head: last ? last.seq + 1 : seen };
}

function orThrow<T>(result: Result<T, RailyardError>): T {
  if (result.isErr()) throw ledgerFailure(result.error);
  return result.value;
}
