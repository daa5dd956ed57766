import { type Config } from '../../src/config';
import { type Home } from '../../src/home';
import { type CallerSource } from './principal';
import { storedKeys } from './stored-keys';
import { tokenRules } from './token-settings';
import { tokens } from './tokens';

/** Everybody a service knows besides the holder of the local key: keys of its data directory, and tokens where it is set up for them. */
export function callersOf(home: Home, settings: Config['tokens']): CallerSource[] {
  const rules = tokenRules(settings);
  return [storedKeys(home), ...(rules ? [tokens(rules)] : [])];
}
