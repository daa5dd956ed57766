/** `railyard export` and `railyard import`: runs and sessions on the move. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants, createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import pc from 'picocolors';
import { hasCode, isErrno } from '../../src/errno';
import { problem, type RailyardError } from '../../src/errors';
import { claimWorkspace, homeRoot, noteMoved, packageVersion, readEndpoint, type Home } from '../../src/home';
import {
  exportFrom,
  fenceRun,
  findSession,
  importInto,
  ledgerOf,
  noRun,
  type FoundSession,
} from '../../src/moving';
import { type Chunks, type Exported, type Write } from '../../src/workrail/bundle';
import { type HomeStore } from '../../src/workrail/local';
import { openLedgerOf } from '../../activities/open-ledger';
import { metered, type Meter } from '../meter';
import { fail, say, sayJson } from '../output';
import { person } from '../person';
import { ServiceClient } from '../service-client';
import { withStore } from '../store';

interface ExportOptions {
  readonly output?: string;
  readonly artifacts?: true;
  readonly move?: true;
  readonly json?: boolean;
}

interface ImportOptions {
  readonly workspace?: string;
  readonly json?: boolean;
}

export function addBundles(program: Command): void {
  program
    .command('export')
    .description('write a run or a session as a bundle: one JSON document that another store can go on from')
    .argument('<run>', 'the id of a run, in any state, or of a session')
    .option('-o, --output <file>', 'where to; it appears whole or not at all (default: standard output)')
    .option(
      '--artifacts',
      'of a session that is no run: with the bytes of its artifacts; a run always brings them',
    )
    .option('--move', 'the run goes on elsewhere: nobody drives it here any more; needs --output')
    .option('--json', 'print what was exported as JSON; needs --output')
    .addHelpText(
      'after',
      `
Of a session that is not healthy the valid part is exported; such a bundle can be looked at, and is not imported.
Keys and tokens are never in a bundle. What it says in notes and contexts is as private as the session is.`,
    )
    .action(exportSession);
  program
    .command('import')
    .description('bring a bundle into the store, after it was checked as a whole')
    .argument('<file>', 'a bundle')
    .option(
      '--workspace <folder>',
      'where a run works from now on (default: a folder of its own in the data directory)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The session keeps its id; where the store has one of that id, it becomes a new session. Nothing is merged.
A run stands still until \`railyard resume <run>\`. What its blocks have made is put into the workspace, over what is there.`,
    )
    .action(importFile);
}

async function exportSession(name: string, options: ExportOptions): Promise<void> {
  const { output, json = false, move } = options;
  if ((json || move) && output === undefined) {
    const hint = { suggestion: 'Say where to with -o <file>, or leave that option out.' };
    fail(problem('INPUT_INVALID', 'The bundle itself goes to standard output.', hint), json);
    return;
  }
  const into = (work: Writing): Promise<Result<Exported, RailyardError>> =>
    output === undefined ? work(toStdout) : intoFile(output, work);
  const exported = await withStore(async (store, home) => {
    const found = await findSession(home, store.sessions, name);
    if (found.isErr()) return err(found.error);
    const fenced = move ? await fence(store, found.value, name) : ok();
    if (fenced.isErr()) return err(fenced.error);
    const done = await into((write) => exportTo(store, found.value, options, write));
    if (done.isOk() && move) await noteMoved(home, name, new Date());
    return done;
  });
  if (exported.isErr()) {
    fail(exported.error, json);
    return;
  }
  const { bundleId, events, artifacts, salvaged } = exported.value;
  if (json) {
    sayJson({ ...exported.value, file: output, moved: move ?? false });
    return;
  }
  // Where the bundle goes to standard output, people read the rest elsewhere.
  const tell = output === undefined ? (line: string) => void process.stderr.write(`${line}\n`) : say;
  tell(`exported: ${bundleId}, ${events} events, ${artifacts} artifacts${output ? ` to ${output}` : ''}`);
  if (move) tell('nobody drives the run here any more: it goes on where you import the bundle');
  if (salvaged)
    tell(`${pc.yellow('warning')}: the session is not healthy; this is its valid part, for looking at only`);
}

type Writing = (write: Write) => Promise<Result<Exported, RailyardError>>;

const exportTo = (
  store: HomeStore,
  found: FoundSession,
  { artifacts }: ExportOptions,
  write: Write,
): Promise<Result<Exported, RailyardError>> => {
  const how = {
    artifacts: artifacts ? ('embedded' as const) : ('left_out' as const),
    appVersion: packageVersion(),
    nowMs: Date.now(),
  };
  return metered('characters', (at) => exportFrom(store, found, how, counted(write, at)));
};

/** By the service of this data directory, where there is one: it sees to it that the workflow ends. */
async function fence(
  store: HomeStore,
  found: FoundSession,
  name: string,
): Promise<Result<unknown, RailyardError>> {
  const { run, record } = found;
  if (run === null || record === null) return err(noRun(name));
  const by = person();
  const endpoint = await readEndpoint(homeRoot(process.env));
  if (endpoint) {
    const service = new ServiceClient(endpoint.url, endpoint.key);
    const asked = await service.post(`/factory-run/${encodeURIComponent(run)}/fence`, { by });
    if (asked.isOk() || asked.error.code !== 'SERVICE_AWAY') return asked;
  }
  return fenceRun(ledgerOf(store, found), run, by);
}

function counted(write: Write, at: Meter['at']): Write {
  let written = 0;
  return async (text) => {
    await write(text);
    at((written += text.length));
  };
}

async function toStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** A file that appears whole or not at all. */
async function intoFile(path: string, work: Writing): Promise<Result<Exported, RailyardError>> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    const file = await open(temporary, 'wx');
    try {
      const done = await work((text) => file.writeFile(text));
      if (done.isErr()) return done;
      await file.sync();
      await rename(temporary, path);
      return done;
    } finally {
      await file.close();
      await rm(temporary, { force: true });
    }
  } catch (error) {
    return err(fileFault(path, 'written', error));
  }
}

async function importFile(path: string, { workspace, json = false }: ImportOptions): Promise<void> {
  const imported = await withStore(async (store, home) => {
    const fault = await whyUnreadable(path);
    if (fault !== null) return err(fault);
    const ground = { home, store, claim: claimIn(home) };
    return metered('bytes', (at) => importInto(ground, () => piecesOf(path, at), workspace ?? null));
  });
  if (imported.isErr()) {
    fail(imported.error, json);
    return;
  }
  const { sessionId, exportedSessionId, fresh, events, missingArtifacts, run } = imported.value;
  if (json) {
    sayJson(imported.value);
    return;
  }
  const renamed = sessionId === exportedSessionId ? '' : ` (${exportedSessionId} is taken here)`;
  say(`${fresh ? 'imported' : 'here already'}: ${sessionId}${renamed}, ${events} events`);
  for (const digest of missingArtifacts)
    say(`${pc.yellow('missing')}: artifact ${digest}; export with --artifacts to bring it along`);
  if (run === null) return;
  say(`run ${run.run} of ${run.factory}, in ${run.workspace}`);
  say(`go on with it: railyard resume ${run.run}`);
}

/** No Temporal is asked: a workspace belongs to whatever run of this store is not over. */
const claimIn =
  (home: Home) =>
  (run: string, workspace: string): Promise<Result<string, RailyardError>> =>
    claimWorkspace(home, run, workspace, async (owner) => {
      const opened = await openLedgerOf(home);
      const standing = opened.isOk() ? await opened.value.ledger.standing(owner) : err(opened.error);
      return standing.isOk() && !['completed', 'cancelled'].includes(standing.value.state.status);
    });

/** Said of the file itself, before anybody speaks of a bundle; null: it can be read. */
async function whyUnreadable(path: string): Promise<RailyardError | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if ((await file.stat()).isFile()) return null;
      // It is read twice: to check it, and for its artifacts.
      return problem('INPUT_INVALID', `${path} is no plain file.`, {
        suggestion: 'Save the bundle as a file.',
      });
    } finally {
      await file.close();
    }
  } catch (error) {
    return fileFault(path, 'read', error);
  }
}

async function* piecesOf(path: string, at: Meter['at']): Chunks {
  let read = 0;
  // Without an encoding a read stream yields bytes.
  for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) {
    at((read += piece.length));
    yield piece;
  }
}

/** What the system says of a file that a person named. Anything else is a bug, and is thrown on. */
function fileFault(path: string, what: 'read' | 'written', error: unknown): RailyardError {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
    return problem('STORE_FULL', `There is no room for ${path}.`, { suggestion: 'Make room, then retry.' });
  }
  if (!isErrno(error)) throw error;
  return problem('INPUT_INVALID', `${path} cannot be ${what}: ${error.message}.`, {
    suggestion: 'Name another file.',
  });
}
