/** The configuration: what the command line says, else the environment, else the file, else the table of settings. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { problemsOf, type TemplateProblem } from '../factory/schema';
import { isObject, readConfigFile, type ConfigFile } from './config-file';
import { fromVariable, slips } from './environment';
import { SETTINGS, type Setting } from './setting-list';
import { Settings, type Config } from './settings';

/** Who said what a setting is. */
export type Source = 'default' | 'file' | 'environment' | 'command line';

export interface ConfigOptions {
  /** The data directory. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The file that the command line names; it goes before RAILYARD_CONFIG. */
  readonly file?: string | undefined;
  /** What the command line says, by key: `http.port`. Undefined: nothing. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** A configuration that can be used, and where it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read. */
  readonly file: string | null;
  readonly sourceOf: (key: string) => Source;
  /** What looks like a mistake and is none for sure. */
  readonly warnings: readonly string[];
}

/** Read the configuration; CONFIG_INVALID names everything that is wrong with it. */
export function readConfig({
  root,
  env,
  file,
  flags = {},
}: ConfigOptions): Result<LoadedConfig, RailyardError> {
  const named = file ?? said(env.RAILYARD_CONFIG);
  const read = readConfigFile(root, named);
  if (read.isErr()) return err(read.error);
  const sources = new Map<string, Source>();
  const value = merge(read.value, env, flags, sources);
  const parsed = Settings.safeParse(value);
  if (parsed.success) {
    return ok({
      config: parsed.data,
      file: read.value?.path ?? null,
      sourceOf: (key) => sources.get(key) ?? 'default',
      warnings: slips(env),
    });
  }
  const problems = problemsOf(parsed.error.issues, Settings, value).map((one) => inTheirWords(one, sources));
  return err(invalid(problems, read.value));
}

/** One object out of everything that is said, as the file would say it. */
function merge(
  file: ConfigFile | null,
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<string, unknown>>,
  sources: Map<string, Source>,
): unknown {
  if (file && !isObject(file.value)) return file.value;
  // Groups that nobody mentions have settings all the same.
  const groups = Object.keys(Settings.shape).map((group) => [group, {}] as const);
  const merged: Record<string, unknown> = {
    ...Object.fromEntries(groups),
    ...(file && isObject(file.value) ? file.value : {}),
  };
  for (const setting of SETTINGS) {
    const { group, name, key } = setting;
    const before = merged[group];
    // It is no group, and will be refused as that.
    if (!isObject(before)) continue;
    if (Object.hasOwn(before, name)) sources.set(key, 'file');
    const told = override(setting, env, flags);
    if (!told) continue;
    merged[group] = { ...before, [name]: told.value };
    sources.set(key, told.source);
  }
  return merged;
}

function override(
  setting: Setting,
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<string, unknown>>,
): { value: unknown; source: Source } | null {
  const flag = flags[setting.key];
  if (flag !== undefined) return { value: flag, source: 'command line' };
  const text = said(env[setting.env]);
  return text === null ? null : { value: fromVariable(setting, text), source: 'environment' };
}

/** A variable without a value says nothing. */
const said = (value: string | undefined): string | null =>
  value === undefined || value.trim() === '' ? null : value;

/** A problem under the name that the person knows: of a variable, its own; with what the setting is as the way out. */
function inTheirWords(
  { pointer, message, fix }: TemplateProblem,
  sources: ReadonlyMap<string, Source>,
): TemplateProblem {
  const setting = SETTINGS.find(({ group, name }) => `${pointer}/`.startsWith(`/${group}/${name}/`));
  if (!setting) return { pointer, message, fix };
  const inVariable = sources.get(setting.key) === 'environment';
  return {
    pointer: inVariable ? setting.env : pointer,
    message,
    fix: fix.startsWith('Use ') ? fix : setting.says,
  };
}

function invalid(problems: readonly TemplateProblem[], file: ConfigFile | null): RailyardError {
  const where = file ? ` (${file.path} and the environment)` : ' (from the environment)';
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const message = `The configuration${where} is not valid: ${first?.pointer ?? ''}: ${first?.message ?? ''}${more}`;
  return problem('CONFIG_INVALID', message, {
    suggestion: 'Correct what is named; docs/reference/configuration.md has every setting.',
    details: { problems, file: file?.path ?? null },
  });
}
