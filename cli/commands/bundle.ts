/** `railyard export` and `railyard import`: sessions on the move. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants, createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Command } from 'commander';
import { err, type Result } from 'neverthrow';
import pc from 'picocolors';
import { hasCode, isErrno } from '../../src/errno';
import { problem, type RailyardError } from '../../src/errors';
import { packageVersion } from '../../src/home';
import {
  exportBundle,
  importBundle,
  type Chunks,
  type Exported,
  type Write,
} from '../../src/workrail/bundle';
import { systemMinting } from '../../src/workrail/local';
import { metered, type Meter } from '../meter';
import { fail, say, sayJson } from '../output';
import { sessionIdOf, withStore } from '../store';

interface ExportOptions {
  readonly output?: string;
  readonly artifacts?: true;
  readonly json?: boolean;
}

export function addBundles(program: Command): void {
  program
    .command('export')
    .description('write a session as a bundle: one JSON document that another store can go on from')
    .argument('<session>', 'the id of the session')
    .option('-o, --output <file>', 'where to; it appears whole or not at all (default: standard output)')
    .option('--artifacts', 'with the bytes of its artifacts')
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
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe session keeps its id; where the store has one of that id, it becomes a new session. Nothing is merged.',
    )
    .action(importFile);
}

async function exportSession(session: string, options: ExportOptions): Promise<void> {
  const { output, json = false } = options;
  if (json && output === undefined) {
    const hint = { suggestion: 'Say where to with -o <file>, or leave --json out.' };
    fail(problem('INPUT_INVALID', 'The bundle itself goes to standard output.', hint), true);
    return;
  }
  const into = (work: Writing): Promise<Result<Exported, RailyardError>> =>
    output === undefined ? work(toStdout) : intoFile(output, work);
  const exported = await into((write) => exportTo(session, options, write));
  if (exported.isErr()) {
    fail(exported.error, json);
    return;
  }
  const { bundleId, events, artifacts, salvaged } = exported.value;
  if (json) {
    sayJson({ ...exported.value, file: output });
    return;
  }
  // Where the bundle goes to standard output, people read the rest elsewhere.
  const tell = output === undefined ? (line: string) => void process.stderr.write(`${line}\n`) : say;
  tell(`exported: ${bundleId}, ${events} events, ${artifacts} artifacts${output ? ` to ${output}` : ''}`);
  if (salvaged)
    tell(`${pc.yellow('warning')}: the session is not healthy; this is its valid part, for looking at only`);
}

type Writing = (write: Write) => Promise<Result<Exported, RailyardError>>;

const exportTo = (
  session: string,
  { artifacts }: ExportOptions,
  write: Write,
): Promise<Result<Exported, RailyardError>> =>
  withStore(async (store) => {
    const id = sessionIdOf(session);
    if (id.isErr()) return err(id.error);
    const prefix = await store.sessions.loadValidatedPrefix(id.value);
    if (prefix.isErr()) return err(prefix.error);
    const request = {
      prefix: prefix.value,
      producer: { appVersion: packageVersion() },
      exportedAtMs: Date.now(),
      artifacts: artifacts ? ('embedded' as const) : ('left_out' as const),
    };
    return metered('characters', (at) => exportBundle(store, request, counted(write, at)));
  });

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

async function importFile(path: string, { json = false }: { json?: boolean }): Promise<void> {
  const imported = await withStore(async (store) => {
    const fault = await whyUnreadable(path);
    if (fault !== null) return err(fault);
    const stores = { ...store, sessions: store.importer };
    return metered('bytes', (at) => importBundle(stores, () => piecesOf(path, at), systemMinting));
  });
  if (imported.isErr()) {
    fail(imported.error, json);
    return;
  }
  const { sessionId, exportedSessionId, events, missingArtifacts } = imported.value;
  if (json) {
    sayJson(imported.value);
    return;
  }
  const renamed = sessionId === exportedSessionId ? '' : ` (${exportedSessionId} is taken here)`;
  say(`imported: ${sessionId}${renamed}, ${events} events`);
  for (const digest of missingArtifacts)
    say(`${pc.yellow('missing')}: artifact ${digest}; export with --artifacts to bring it along`);
}

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
