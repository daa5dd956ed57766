/** Settings of tokens, from the environment. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { fileSet, urlSet, type JwkSet } from './jwk-set';
import { type TokenRules } from './tokens';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The rules for tokens; null where none are accepted. */
export function readTokenRules(env: NodeJS.ProcessEnv): Result<TokenRules | null, RailyardError> {
  const [url, file] = [said(env.RAILYARD_JWKS_URL), said(env.RAILYARD_JWKS_FILE)];
  const [issuer, audience] = [said(env.RAILYARD_JWT_ISSUER), said(env.RAILYARD_JWT_AUDIENCE)];
  if (url !== null && file !== null) {
    return err(problem('CONFIG_INVALID', 'Both RAILYARD_JWKS_URL and RAILYARD_JWKS_FILE are set; say one.'));
  }
  if (url === null && file === null) {
    const idle = issuer !== null || audience !== null;
    return idle
      ? err(problem('CONFIG_INVALID', 'Tokens need RAILYARD_JWKS_URL or RAILYARD_JWKS_FILE.'))
      : ok(null);
  }
  // A token of another service, or for another one, must not open this one.
  if (issuer === null || audience === null) {
    return err(problem('CONFIG_INVALID', 'Tokens need RAILYARD_JWT_ISSUER and RAILYARD_JWT_AUDIENCE.'));
  }
  const keys = url === null ? ok(fileSet(file ?? '')) : setAt(url);
  return keys.map((set) => ({
    keys: set,
    issuer,
    audience,
    nameClaim: said(env.RAILYARD_JWT_NAME_CLAIM) ?? 'sub',
    rolesClaim: said(env.RAILYARD_JWT_ROLES_CLAIM) ?? 'roles',
  }));
}

/** Whoever can change the keys on their way could sign tokens. */
function setAt(text: string): Result<JwkSet, RailyardError> {
  const url = URL.canParse(text) ? new URL(text) : null;
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
  return safe
    ? ok(urlSet(text))
    : err(problem('CONFIG_INVALID', `RAILYARD_JWKS_URL is no https URL: "${text}".`));
}

const said = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value;
