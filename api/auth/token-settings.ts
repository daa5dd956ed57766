import { type Config } from '../../src/config';
import { fileSet, urlSet } from './jwk-set';
import { type TokenRules } from './tokens';

/** The rules for tokens; null where none are accepted. That the settings fit together was seen to when they were read. */
export function tokenRules(settings: Config['tokens']): TokenRules | null {
  const { jwks_url: url, jwks_file: file, issuer, audience } = settings;
  const keys = url !== null ? urlSet(url) : file !== null ? fileSet(file) : null;
  if (keys === null || issuer === null || audience === null) return null;
  return { keys, issuer, audience, nameClaim: settings.name_claim, rolesClaim: settings.roles_claim };
}
