/** `railyard config`: what is set, to what, and by whom. */
import { type Command } from 'commander';
import pc from 'picocolors';
import { effective, readConfig } from '../../src/config';
import { homeRoot } from '../../src/home';
import { fail, say, sayJson } from '../output';

interface ConfigCommandOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export function addConfig(program: Command): void {
  program
    .command('config')
    .description('show every setting of the service, and where its value comes from')
    .option('--config <file>', 'configuration file (default: railyard.json in the data directory)')
    .option('--json', 'print JSON')
    .action(showConfig);
}

function showConfig({ config: path, json = false }: ConfigCommandOptions): void {
  const root = homeRoot(process.env);
  const read = readConfig({ root, env: process.env, file: path });
  if (read.isErr()) {
    fail(read.error, json);
    return;
  }
  const settings = effective(read.value);
  const { file, warnings } = read.value;
  if (json) {
    sayJson({ home: root, file, settings, warnings });
    return;
  }
  say(`data directory  ${root}`);
  say(`file            ${file ?? 'none'}`);
  const width = Math.max(...settings.map(({ key }) => key.length));
  for (const { key, value, source, env } of settings) {
    const from = source === 'environment' ? env : source;
    say(`${key.padEnd(width)}  ${inWords(value)}  ${pc.dim(`(${from})`)}`);
  }
  for (const warning of warnings) say(`${pc.yellow('warning')}: ${warning}`);
}

function inWords(value: unknown): string {
  if (value === null) return 'not set';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
