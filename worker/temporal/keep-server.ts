import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { err, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { type Temporal, type TemporalGround } from './connect';
import { startDevServer, type DevServer } from './dev-server';
import { findTemporalProgram } from './program';

/** A dev server that is started again when it ends by itself. */
export interface KeptServer {
  /** The server is needed no more: end it and wait until it is gone. Safe to call twice. */
  readonly stop: () => Promise<void>;
  /** Settles when starting it again does not help, with the last reason. */
  readonly broken: Promise<RailyardError>;
}

/** More ends than this within the window mean that starting again does not help. */
const MAX_ENDS = 3;
const WINDOW_MS = 60_000;
const AGAIN_AFTER_MS = 500;

/**
 * Start the dev server again, at the same address and on the same database, whenever it ends without being stopped.
 * Workers and clients then find it again by themselves and nothing is lost.
 */
export function keepServer(temporal: Temporal, ground: TemporalGround): KeptServer {
  let stopped = false;
  // Asked by a function, since it changes while this waits.
  const isStopped = () => stopped;
  let current: DevServer | null = temporal.server;

  const keep = async (): Promise<RailyardError | null> => {
    let ends: number[] = [];
    let last = problem('TEMPORAL_START_FAILED', 'The Temporal dev server ended again and again.');
    for (;;) {
      const exit = await current?.exited;
      if (isStopped()) return null;
      if (exit)
        ground.say(
          `The Temporal server ended (${exit.signal ?? exit.code ?? 'unknown'}); starting it again.`,
        );
      ends = [...ends.filter((at) => at > Date.now() - WINDOW_MS), Date.now()];
      if (ends.length > MAX_ENDS) return last;
      if (ends.length > 1) await pause(AGAIN_AFTER_MS);
      const started = await startAgain(temporal, ground);
      current = started.unwrapOr(null);
      if (started.isErr()) last = started.error;
      // Stopped while it was starting.
      if (isStopped()) await current?.stop();
    }
  };

  const kept = current === null ? Promise.resolve(null) : keep();
  return {
    broken: kept.then((reason) => reason ?? new Promise<never>(() => undefined)),
    stop: async () => {
      stopped = true;
      await current?.stop();
      await kept;
    },
  };
}

async function startAgain(
  { address, namespace }: Temporal,
  { dataDir, settings: { cli }, env, say }: TemporalGround,
): Promise<Result<DevServer, RailyardError>> {
  const program = await findTemporalProgram({ cacheDir: join(dataDir, 'programs'), env, cli, say });
  if (program.isErr()) return err(program.error);
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return startDevServer({ program: program.value.path, dataDir, env, say, namespace, port });
}
