/** Callers who come with a token of an issuer: its name claim is their name, its roles claim their roles. */
import { err, ok, type Result } from 'neverthrow';
import { type JwkSet } from './jwk-set';
import { checkToken, isToken, readToken, suits, type Claims, type Expected } from './jwt';
import { refusal, type CallerSource, type Principal, type Refusal } from './principal';

export interface TokenRules extends Expected {
  readonly keys: JwkSet;
  /** The claims that hold the caller's name and roles. */
  readonly nameClaim: string;
  readonly rolesClaim: string;
}

/** Longer names and roles are accepted by no route. */
const MAX_NAME = 200;
const MAX_ROLE = 100;

/** Whoever holds a token that the rules accept. */
export function tokens(rules: TokenRules, now: () => Date = () => new Date()): CallerSource {
  return (credential) => (isToken(credential) ? identify(credential, rules, now) : null);
}

async function identify(
  text: string,
  rules: TokenRules,
  now: () => Date,
): Promise<Result<Principal, Refusal>> {
  const token = readToken(text);
  if (token.isErr()) return err(refusal(token.error));
  for (const fresh of [false, true]) {
    const keys = await rules.keys(fresh);
    if (keys.isErr()) return err(undecided(keys.error));
    const key = keys.value.find((one) => suits(token.value, one));
    if (key) {
      const claims = checkToken(token.value, key, rules, now());
      return claims.andThen((said) => principalOf(said, rules)).mapErr((why) => refusal(why));
    }
  }
  return err(refusal('The token names a key that its issuer does not have.'));
}

const undecided = (detail: string): Refusal => ({
  kind: 'undecided',
  why: "The keys of the token's issuer cannot be read right now.",
  id: null,
  detail,
});

function principalOf(claims: Claims, { nameClaim, rolesClaim }: TokenRules): Result<Principal, string> {
  const name = claims[nameClaim];
  if (!isText(name, MAX_NAME) || name.trim() === '') {
    return err(`The token has no name in "${nameClaim}".`);
  }
  return ok({ kind: 'token', name: name.trim(), roles: rolesIn(claims[rolesClaim]) });
}

/** A list of words, or words in one text; anything else gives no role. */
function rolesIn(claim: unknown): string[] {
  const words: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return words.filter((word) => isText(word, MAX_ROLE)).filter((word) => word !== '');
}

/** Text that can be shown and kept: whole characters, and none that steer a terminal. */
const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max && !/[\p{Cc}\p{Cs}]/u.test(value);
