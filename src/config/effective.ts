/** A configuration as people look at it: every setting with its value and who said so. Secrets are not shown. */
import { type LoadedConfig, type Source } from './read-config';
import { SETTINGS, type Setting } from './setting-list';
import { type Config } from './settings';

/** One setting as it is in effect. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: unknown;
  readonly source: Source;
  readonly env: string;
}

const MASK = '********';

/** Every setting, in the order of the table. */
export function effective({ config, sourceOf }: LoadedConfig): EffectiveSetting[] {
  return SETTINGS.map((setting) => ({
    key: setting.key,
    value: shown(setting, config),
    source: sourceOf(setting.key),
    env: setting.env,
  }));
}

function shown({ group, name, secret }: Setting, config: Config): unknown {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = config;
  const value = groups[group]?.[name] ?? null;
  return secret && value !== null ? MASK : value;
}
