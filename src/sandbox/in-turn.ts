/** The end of the queue for each name that has one. */
const queues = new Map<string, Promise<unknown>>();

/** Do things that share a name one after the other, within this process. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const mine = before.then(work, work);
  queues.set(name, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(name) === mine) queues.delete(name);
  }
}
