import { readConfig } from '../../../src/config';
import { type TemporalSettings } from '../../../worker/temporal';

/** The settings of Temporal that an environment says, with no file behind it. */
export function temporalSettings(env: Record<string, string>): TemporalSettings {
  return readConfig({ root: '/nowhere', env })._unsafeUnwrap().config.temporal;
}
