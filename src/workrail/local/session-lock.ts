/**
 * One writer a session (locks, section 15): in this process one after the other, across processes by a kernel lock, which
 * goes with its process however that ends. The port is fail-fast; here is the bounded patience above it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type FileLock, type FileSystem } from './file-system';
import { type SessionFolder } from './layout';

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 40;
/** After this the caller is told that the session is busy. */
const PATIENCE_MS = 500;

/** Try something again and again, at uneven intervals, until it answers or patience ends; null: it never did. */
export async function patiently<T>(attempt: () => T | null): Promise<T | null> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = attempt();
    if (answer !== null) return answer;
    if (performance.now() >= end) return null;
    await pause(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
  }
}

/** Hold the lock of a session that exists; null: somebody else kept it all the time. */
export function holdLock(fs: FileSystem, folder: SessionFolder): Promise<FileLock | null> {
  return patiently(() => {
    const lock = fs.lock(folder.lock());
    return typeof lock === 'string' ? null : lock;
  });
}

/**
 * Read without the lock. What looks unfinished may be under way, and only the lock can tell: where nobody holds it, what is
 * read then is what there is. Null: somebody held it all the time, and it looked unfinished all the time.
 */
export async function readSettled<T>(
  fs: FileSystem,
  folder: SessionFolder,
  read: () => T,
  isUnfinished: (value: T) => boolean,
): Promise<{ readonly value: T } | null> {
  const first = read();
  if (!isUnfinished(first)) return { value: first };
  return patiently(() => {
    const lock = fs.lock(folder.lock(), 'existing');
    try {
      const value = read();
      return lock === 'busy' && isUnfinished(value) ? null : { value };
    } finally {
      if (typeof lock !== 'string') lock.release();
    }
  });
}

/** A turn that is being taken; what is started within it knows it, and what it is part of. */
interface Turn {
  readonly path: string;
  readonly within: Turn | undefined;
  over: boolean;
}

/** The end of the queue for each folder that has one. */
const queues = new Map<string, Promise<unknown>>();
const current = new AsyncLocalStorage<Turn>();

/**
 * Do things on one session one after the other, within this process, in the order in which they came. Who asks for a turn
 * within a turn of the same session would wait for itself for ever: it gets null at once.
 */
export async function inTurn<T>(folder: SessionFolder, work: () => Promise<T>): Promise<T | null> {
  const turn: Turn = { path: folder.path, within: current.getStore(), over: false };
  if (isWithin(turn.within, folder.path)) return null;
  const before = queues.get(folder.path) ?? Promise.resolve();
  const take = (): Promise<T> => current.run(turn, work);
  const mine = before.then(take, take);
  queues.set(folder.path, mine);
  try {
    return await mine;
  } finally {
    turn.over = true;
    if (queues.get(folder.path) === mine) queues.delete(folder.path);
  }
}

function isWithin(turn: Turn | undefined, path: string): boolean {
  return turn !== undefined && ((turn.path === path && !turn.over) || isWithin(turn.within, path));
}
