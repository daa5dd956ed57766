/** What a caller is told who is not let in. */
import { problem, type RailyardError } from '../../src/errors';
import { type Need, type Principal, type Refusal } from './principal';
import { type RateLimit } from './rate-limit';

const ASKS: Readonly<Record<Need, string>> = {
  anyone: 'nothing',
  viewer: 'a role',
  operator: 'the role operator',
  agent: 'the role agent',
  approver: 'a role in which gates are decided',
  local: 'the local key',
  signed: 'a signature',
};

/** A credential that is not good, or cannot be checked right now. */
export function notKnown({ kind, why }: Refusal): RailyardError {
  return kind === 'refused'
    ? problem('UNAUTHENTICATED', why)
    : problem('SERVICE_AWAY', why, { suggestion: 'Try again soon, or come with a key.' });
}

/** A caller without the role that the route asks for. */
export function notFor({ name, roles }: Principal, need: Need): RailyardError {
  const has = roles.length === 0 ? 'no role' : `the roles ${roles.join(', ')}`;
  return problem('FORBIDDEN', `${name} has ${has}; this needs ${ASKS[need]}.`, { details: { need } });
}

/** A caller who has no request left; null where they have, and it is taken. */
export function tooOften(limit: RateLimit, who: string): RailyardError | null {
  const afterMs = limit.take(who);
  if (afterMs === 0) return null;
  const message = `Too many requests; the next one is taken in ${afterMs} ms.`;
  return { ...problem('RATE_LIMITED', message), retry: { kind: 'retryable_after_ms', afterMs } };
}
