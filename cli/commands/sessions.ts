/** `railyard sessions` and `railyard inspect`: look at the store without changing anything. */
import { InvalidArgumentError, type Command } from 'commander';
import { err, ok } from 'neverthrow';
import pc from 'picocolors';
import { problem } from '../../src/errors';
import { overview, type SessionLine } from '../../src/workrail/local';
import { eventText } from '../event-text';
import { metered } from '../meter';
import { fail, say, sayJson } from '../output';
import { sessionIdOf, withStore } from '../store';

interface InspectOptions {
  readonly from: number;
  readonly json?: boolean;
}

export function addSessions(program: Command): void {
  program
    .command('sessions')
    .description('list the sessions of the store: workflows, status, last activity, health')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nThe session with the latest activity comes first.')
    .action(list);
  program
    .command('inspect')
    .description('show the events of a session')
    .argument('<session>', 'the id of the session')
    .option('--from <index>', 'begin with this event', indexOf, 0)
    .option('--json', 'print JSON, with all that the events say')
    .addHelpText(
      'after',
      '\nOf a session that is not healthy the valid part is shown, and why there is no more of it.',
    )
    .action(inspect);
}

async function list({ json = false }: { json?: boolean }): Promise<void> {
  const lines = await withStore((store) => metered('sessions', (at) => overview(store, at)));
  if (lines.isErr()) fail(lines.error, json);
  else if (json) sayJson({ sessions: lines.value.map(inJson) });
  else if (lines.value.length === 0) say('No sessions yet: agents make them when they start a workflow.');
  else for (const line of lines.value) say(inWords(line));
}

const inJson = ({ lastActivityMs, ...line }: SessionLine) => ({
  ...line,
  lastActivity: lastActivityMs === null ? null : new Date(lastActivityMs).toISOString(),
});

function inWords(line: SessionLine): string {
  const { sessionId, health, reason, events, runs, lastActivity } = inJson(line);
  const told = runs.map(({ workflowId, status }) => `${workflowId ?? 'no workflow'} ${status ?? 'unknown'}`);
  const state =
    health === 'healthy' ? pc.green(health) : `${pc.red(health)} (${reason ?? 'no reason given'})`;
  const parts = [
    sessionId,
    told.join(', ') || 'no run',
    `${events} events`,
    lastActivity ?? 'no time',
    state,
  ];
  return parts.join('  ');
}

async function inspect(session: string, { from, json = false }: InspectOptions): Promise<void> {
  const found = await withStore(async ({ sessions }) => {
    const id = sessionIdOf(session);
    if (id.isErr()) return err(id.error);
    const prefix = await sessions.loadValidatedPrefix(id.value);
    if (prefix.isErr()) return err(prefix.error);
    const { eventCount } = prefix.value.session;
    if (from > 0 && from >= eventCount) {
      return err(
        problem('INPUT_INVALID', `The session ${id.value} has ${eventCount} events; there is no ${from}.`),
      );
    }
    return ok(prefix.value);
  });
  if (found.isErr()) {
    fail(found.error, json);
    return;
  }
  const { session: log, health, reason } = found.value;
  const events = log.events(from);
  if (json) {
    sayJson({ sessionId: log.sessionId, health, reason, eventCount: log.eventCount, events });
    return;
  }
  for (const event of events) say(eventText(event));
  if (reason !== null) {
    const text = `${log.sessionId} is ${health}: ${reason.code}: ${reason.message}`;
    process.stderr.write(`${pc.yellow('warning')}: ${text}; what is shown is its valid part\n`);
  }
}

function indexOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('An event is named by its index, from 0.');
  return Number(text);
}
