/** The Temporal SDK of this process: where its log goes, and where what it counts is read. */
import { type Log } from '../src/log';
import { routeSdkLogs } from '../worker/factory-worker';
import { freePort } from '../worker/temporal';

const TRIES = 3;
const ANSWER_MS = 1_000;

/**
 * Set the SDK up; answers with a way to what it counts, as Prometheus reads it. The SDK serves that on a port of the loopback
 * interface, like the embedded server without a key: it holds numbers, the namespace and the task queue.
 */
export async function startSdk(log: Log): Promise<() => Promise<string>> {
  for (let tries = 1; ; tries += 1) {
    const address = `127.0.0.1:${await freePort()}`;
    try {
      routeSdkLogs(log, address);
      return () => counted(address);
    } catch (error) {
      // Somebody took the port between our look and the SDK's bind.
      if (tries === TRIES) throw error;
    }
  }
}

async function counted(address: string): Promise<string> {
  const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return answer.ok ? answer.text() : '';
}
