/** `railyard verify` reads every byte and changes nothing; `railyard repair` sets an unfinished append aside. */
import { type Command } from 'commander';
import { err, ok } from 'neverthrow';
import pc from 'picocolors';
import { problem } from '../../src/errors';
import { type RepairReport, type SessionCheck, type StoreCheck } from '../../src/workrail/local';
import { type SessionId } from '../../src/workrail/model';
import { metered } from '../meter';
import { fail, say, sayJson } from '../output';
import { sessionIdOf, withStore } from '../store';

interface RepairOptions {
  readonly yes?: true;
  readonly json?: boolean;
}

/** Something is wrong that reading again does not mend. */
const NOT_HEALTHY = 1;

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('read every byte of a session, or of the whole store, and say what is wrong')
    .argument('[session]', 'the id of a session (default: all of them, and what nothing refers to)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Checked are manifests, the digest of every segment, the order of events, pins, snapshots, pinned workflows and artifacts.
Exit code 0: all is healthy; 1: something is not. Leftovers of appends that came to nothing are named, and are harmless.`,
    )
    .action((session: string | undefined, { json = false }: { json?: boolean }) =>
      session === undefined ? verifyStore(json) : verifySession(session, json),
    );
  program
    .command('repair')
    .description('set an unfinished append of a session aside, so that it is healthy again')
    .argument('<session>', 'the id of the session')
    .option('--yes', 'do it; without this nothing is changed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Only what a crash in the middle of an append leaves is repaired: nobody was told that it succeeded. It is copied to set-aside/ in the
session's folder first. Damage to what was acknowledged is refused; that is for a backup or a bundle.`,
    )
    .action(repair);
}

async function verifySession(session: string, json: boolean): Promise<void> {
  const checked = await withStore(async (store) => {
    const id = sessionIdOf(session);
    return id.isErr() ? err(id.error) : store.checkSession(id.value);
  });
  if (checked.isErr()) {
    fail(checked.error, json);
    return;
  }
  if (!isWhole(checked.value)) process.exitCode = NOT_HEALTHY;
  if (json) sayJson({ healthy: isWhole(checked.value), ...checked.value });
  else for (const line of sessionLines(checked.value)) say(line);
}

async function verifyStore(json: boolean): Promise<void> {
  const checked = await withStore((store) => metered('sessions', (at) => store.checkStore(at)));
  if (checked.isErr()) {
    fail(checked.error, json);
    return;
  }
  const healthy = checked.value.sessions.every(isWhole);
  if (!healthy) process.exitCode = NOT_HEALTHY;
  if (json) sayJson({ healthy, ...checked.value });
  else for (const line of storeLines(checked.value)) say(line);
}

/** All of it is there, and as it was written. */
const isWhole = ({ health, content, missingArtifacts }: SessionCheck): boolean =>
  health === 'healthy' && content.length === 0 && missingArtifacts.length === 0;

function sessionLines(check: SessionCheck): string[] {
  const { sessionId, health, reason, validEvents, content, missingArtifacts, orphans } = check;
  const state = health === 'healthy' ? pc.green(health) : pc.red(health);
  return [
    `${sessionId}  ${state}  ${validEvents} events are valid`,
    ...(reason === null ? [] : [`  ${reason.code}: ${reason.message}`]),
    // The first of them may be the reason itself.
    ...content.filter((one) => one !== reason).map(({ code, message }) => `  ${code}: ${message}`),
    ...missingArtifacts.map((digest) => `  artifact ${digest}: missing or damaged`),
    ...orphans.map((path) => `  ${pc.dim(`${path}: of an append that came to nothing; harmless`)}`),
  ];
}

function storeLines({ sessions, unreferenced, unborn }: StoreCheck): string[] {
  const whole = sessions.filter(isWhole).length;
  const worthALine = sessions.filter((check) => !isWhole(check) || check.orphans.length > 0);
  const { snapshots, workflows } = unreferenced;
  return [
    ...worthALine.flatMap(sessionLines),
    `sessions: ${sessions.length}, healthy: ${whole}, not: ${sessions.length - whole}`,
    `nothing refers to: ${snapshots.length} snapshots, ${workflows.length} pinned workflows (harmless; \`railyard gc\`)`,
    ...(unborn > 0 ? [`sessions that were never born: ${unborn} (harmless)`] : []),
  ];
}

async function repair(session: string, { yes, json = false }: RepairOptions): Promise<void> {
  const done = await withStore(async (store) => {
    const id = sessionIdOf(session);
    if (id.isErr()) return err(id.error);
    if (yes) return (await store.repair(id.value)).map((report) => ({ sessionId: id.value, ...report }));
    const checked = await store.checkSession(id.value);
    if (checked.isErr()) return err(checked.error);
    if (checked.value.health === 'healthy')
      return ok({ sessionId: id.value, kind: 'nothing_to_do' as const });
    return err(unconfirmed(checked.value));
  });
  if (done.isErr()) fail(done.error, json);
  else if (json) sayJson(done.value);
  else for (const line of repairLines(done.value)) say(line);
}

function unconfirmed({ sessionId, health, reason, validEvents }: SessionCheck) {
  const what = reason === null ? health : `${health} (${reason.code}: ${reason.message})`;
  return problem(
    'INPUT_INVALID',
    `The session ${sessionId} is ${what}; ${validEvents} events are valid. Nothing was changed.`,
    {
      suggestion: `To set what follows the valid part aside, if it is an unfinished append: railyard repair ${sessionId} --yes`,
      details: { sessionId, health, reason },
    },
  );
}

function repairLines(report: RepairReport & { readonly sessionId: SessionId }): string[] {
  if (report.kind === 'nothing_to_do') return [`${report.sessionId} has no unfinished append: nothing to do`];
  const { sessionId, reason, validEvents, setAside, files } = report;
  return [
    `${pc.green('repaired')}: ${sessionId} has ${validEvents} events`,
    `  was ${reason.code}: ${reason.message}`,
    ...files.map((file) => `  set aside: ${setAside}/${file}`),
  ];
}
