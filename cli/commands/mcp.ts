/** `railyard mcp`: the tools of agents over standard input and output. */
import { resolve } from 'node:path';
import { type Command } from 'commander';
import { LogStream } from '../../src/log';
import { fail } from '../output';
import { goOnWithoutReader } from '../reader';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of agents (MCP) over standard input and output')
    .option('--project <folder>', 'the project whose .railyard/workflows are offered too', '.')
    .addHelpText(
      'after',
      `
An MCP client starts this; no service is needed, and one that runs is not in the way. Standard output carries the protocol
alone; what goes wrong is said on standard error, a JSON object a line. It ends when its client does.

Example, for Claude Code:
  claude mcp add railyard -- npx railyard mcp

The same over HTTP, for agents elsewhere: \`railyard up\`, and a key of the role "agent". See docs/guides/mcp.md.`,
    )
    .action(mcp);
}

async function mcp({ project }: { readonly project: string }): Promise<void> {
  // A call that is under way is finished, whoever still listens.
  goOnWithoutReader();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  const log = new LogStream(process.stderr, 'info');
  // Only here: the SDK of MCP takes a while to load, and no other command needs it.
  const [{ serveStdio }, { withTools }] = [
    await import('../../api/mcp/index.js'),
    await import('../tools.js'),
  ];
  const served = await withTools(
    { project: resolve(project), log: (message, error) => log.write('error', message, { error }) },
    (tools) =>
      serveStdio({
        ...tools,
        onTrouble: (message, error) => log.write('warn', message, { error }),
        ...{ input: process.stdin, output: process.stdout, stop: stop.signal },
      }),
  );
  // On standard error: standard output is the protocol's, also where it never began.
  if (served.isErr()) fail(served.error, false);
}
