/** `railyard gc`: take away what nobody needs any more. */
import { InvalidArgumentError, type Command } from 'commander';
import pc from 'picocolors';
import { collectStoreOf, type StoreCollected } from '../../src/workrail/local';
import { DEFAULT_POLICY } from '../../src/workrail/retention';
import { durationMs } from '../duration';
import { metered } from '../meter';
import { fail, say, sayJson } from '../output';
import { withStore } from '../store';

interface CollectOptions {
  readonly dryRun?: true;
  readonly ttl?: number;
  readonly json?: boolean;
}

/** Something stands in the way, so nothing was deleted. */
const SAFE_MODE = 1;

export function addGc(program: Command): void {
  program
    .command('gc')
    .description('delete sessions that have been quiet for long, and content that nothing refers to')
    .option('--dry-run', 'say what would go, and delete nothing')
    .option('--ttl <time>', 'how long a session is kept after its last activity: 90m, 12h or 60d', ttlOf)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Without --ttl sessions are kept for 60 days. Those that workrail/retention.json in the data directory names are kept:
  {"version": 1, "keep": ["<session>"]}
While any session is not healthy nothing is deleted (safe mode, exit code 1). Content that was put within the last day stays.
Artifacts are left alone wherever factory runs are, since those may refer to them.`,
    )
    .action(collect);
}

async function collect({ dryRun, ttl = DEFAULT_POLICY.ttlMs, json = false }: CollectOptions): Promise<void> {
  const mode = dryRun ? ('dry_run' as const) : ('delete' as const);
  const policy = { ...DEFAULT_POLICY, ttlMs: ttl };
  const run = { policy, nowMs: Date.now(), mode };
  const collected = await withStore((store, home) =>
    metered('sessions read', (at) => collectStoreOf(home, store, run, at)),
  );
  if (collected.isErr()) {
    fail(collected.error, json);
    return;
  }
  if (collected.value.safeMode.length > 0) process.exitCode = SAFE_MODE;
  if (json) sayJson(collected.value);
  else for (const line of inWords(collected.value)) say(line);
}

function inWords(report: StoreCollected): string[] {
  const { mode, safeMode, retained, sessions, busy, content, artifacts } = report;
  const done = mode === 'dry_run' ? 'would delete' : 'deleted';
  const { snapshots, workflows } = content;
  const kinds = [
    `${snapshots.digests.length} snapshots (${snapshots.bytes} bytes)`,
    `${workflows.digests.length} pinned workflows (${workflows.bytes} bytes)`,
    ...(artifacts === 'swept'
      ? [`${content.artifacts.digests.length} artifacts (${content.artifacts.bytes} bytes)`]
      : []),
  ];
  return [
    ...safeMode.map(({ message }) => `${pc.yellow('safe mode')}: ${message}`),
    ...sessions.map((session) => `${done}: session ${session}`),
    ...busy.map((session) => `left: session ${session}, which is in use`),
    `${done}: ${sessions.length} sessions, ${kinds.join(', ')}; kept: ${retained} sessions`,
    ...(artifacts === 'left_alone' ? ['artifacts: left alone, since factory runs may refer to them'] : []),
  ];
}

function ttlOf(text: string): number {
  const ms = durationMs(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Say 90m, 12h or 60d.');
  return ms;
}
