import { type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type Home } from '../../src/home';
import { type CallerSource } from './principal';
import { storedKeys } from './stored-keys';
import { readTokenRules } from './token-settings';
import { tokens } from './tokens';

/** Everybody a service knows besides the holder of the local key: keys of its data directory, and tokens where it is set up for them. */
export function callersOf(home: Home, env: NodeJS.ProcessEnv): Result<CallerSource[], RailyardError> {
  return readTokenRules(env).map((rules) => [storedKeys(home), ...(rules ? [tokens(rules)] : [])]);
}
