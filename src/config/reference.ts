/** The reference page of the configuration, made from the table of settings. */
import { OTHER_VARIABLES, SETTINGS, type Setting } from './setting-list';
import { Settings } from './settings';

/** docs/reference/configuration.md */
export function configurationPage(): string {
  const groups = Object.keys(Settings.shape).flatMap((group) => [
    `## ${group}`,
    '',
    '| key | variable | values | default | what it is |',
    '| --- | --- | --- | --- | --- |',
    ...SETTINGS.filter((setting) => setting.group === group).map(row),
    '',
  ]);
  return [
    '# Configuration',
    '',
    'Made from `src/config/settings.ts` by `npm run docs`.',
    '',
    'Settings are in a JSON file and in the environment; a variable goes before the file, and an option of `railyard up` before',
    'both. The file is `railyard.json` in the data directory, or the one that `--config` or `RAILYARD_CONFIG` names; groups are',
    'objects: `{"http": {"port": 8080}, "worker": {"slots": 4}}`. A path in the file is relative to the file. An empty variable says',
    'nothing. A key that is not known, and a value that cannot be, is refused at the start, all of them at once. `railyard config`',
    'prints what is in effect and who said so.',
    '',
    ...groups,
    '## Only in the environment',
    '',
    '| variable | what it is |',
    '| --- | --- |',
    ...Object.entries(OTHER_VARIABLES).map(([name, says]) => `| \`${name}\` | ${says} |`),
    '',
  ].join('\n');
}

function row(setting: Setting): string {
  const { key, env, says, secret } = setting;
  const note = secret ? `${says} A secret: never shown.` : says;
  return `| \`${key}\` | \`${env}\` | ${valuesOf(setting)} | ${fallbackOf(setting)} | ${note} |`;
}

function valuesOf({ kind, separator = ',' }: Setting): string {
  return kind === 'list' ? `list; in the variable with \`${separator}\` between` : kind;
}

function fallbackOf({ fallback }: Setting): string {
  if (fallback === null) return 'not set';
  if (Array.isArray(fallback)) return 'none';
  return `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``;
}
