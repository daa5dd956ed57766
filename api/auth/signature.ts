/**
 * What a caller signs with their name: who starts a run, who pauses it, who decides a gate and in which role. Left out, it
 * is the caller's own; said, it must be. The local key may say anybody's.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { type Access } from './access';
import { approverRoles, type Principal } from './principal';

type Body = Readonly<Record<string, unknown>>;

/** The body with the caller's name in it; FORBIDDEN where it has another's. */
export function signed(
  principal: Principal,
  signature: Access['signature'],
  body: unknown,
): Result<unknown, RailyardError> {
  // What is no object is refused by the route, in its own words.
  if (signature === null || !isBody(body ?? {})) return ok(body);
  const given: Body = { ...(body ?? {}) };
  const named = own(given, signature, principal, [principal.name]);
  if (signature !== 'approver') return named;
  return named.andThen((whole) => own(whole, 'role', principal, approverRoles(principal)));
}

/** A field that holds one of the caller's own values: the only one where it is left out. */
function own(
  body: Body,
  field: string,
  { kind, name }: Principal,
  values: readonly string[],
): Result<Body, RailyardError> {
  const given = Object.hasOwn(body, field) ? body[field] : undefined;
  const [only] = values;
  if (given === undefined) {
    if (only === undefined) return ok(body);
    return values.length === 1 ? ok({ ...body, [field]: only }) : err(unclear(field, values));
  }
  if (kind === 'local') return ok(body);
  // Routes trim names, so that is how they are compared. What is no text is nobody's name.
  const text = typeof given === 'string' ? given.trim() : null;
  if (text !== null && values.includes(text)) return ok({ ...body, [field]: text });
  const message = `"${field}" is not yours to choose: you are ${name}.`;
  const suggestion = `Leave "${field}" out, or send ${values.map((value) => `"${value}"`).join(' or ')}.`;
  return err(problem('FORBIDDEN', message, { suggestion, details: { field } }));
}

const unclear = (field: string, values: readonly string[]): RailyardError =>
  problem('INPUT_INVALID', `"${field}" is missing, and you have several.`, {
    suggestion: `Send "${field}" as one of ${values.join(', ')}.`,
  });

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
