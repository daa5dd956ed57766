/** A session in the store of a data directory, made through the store itself. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { openHome } from '../../src/home';
import { openStoreOf, type HomeStore } from '../../src/workrail/local';
import { type SessionId } from '../../src/workrail/model';
import { plansFor, sessionId, workflow, type SessionShape } from '../workrail/sessions';

export const unwrap = <T>(result: Result<T, RailyardError>): T => {
  if (result.isErr()) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

export const storeIn = async (root: string): Promise<HomeStore> =>
  unwrap(await openStoreOf(unwrap(await openHome(root))));

/** A completed session with two notes and an artifact. */
export async function keepSession(root: string, shape: SessionShape = {}): Promise<SessionId> {
  const { sessions, workflows, artifacts } = await storeIn(root);
  const [id, bytes] = [sessionId(shape.id), Buffer.from(`bytes of ${shape.id ?? 'one'}`)];
  unwrap(await workflows.put(shape.workflow ?? workflow()));
  const digest = unwrap(await artifacts.put(bytes));
  const notes = ['Looked at it.', 'A line\u001b[31m in red\nand another one.'];
  const plans = plansFor({ notes, artifacts: [{ digest, byteLength: bytes.length }], ...shape });
  for (const plan of plans) {
    unwrap(await sessions.withSession(id, (_, witness) => sessions.append(witness, [plan])));
  }
  return id;
}

/** The folder of a session in a data directory. */
export const sessionFolder = (root: string, id: SessionId): string => join(root, 'workrail', 'sessions', id);

/** Change one byte of a file, in its middle. */
export async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await rm(path);
  await writeFile(path, bytes);
}

/** The newest segment of a session. */
export async function lastSegment(root: string, id: SessionId): Promise<string> {
  const folder = join(sessionFolder(root, id), 'events');
  return join(folder, (await readdir(folder)).sort().at(-1) ?? 'nothing');
}

/** Every file below a folder, with its time and size. */
export async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.sort().map(async (name) => {
    const { size, mtimeMs } = await stat(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return Promise.all(lines);
}
