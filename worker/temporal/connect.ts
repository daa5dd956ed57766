import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { connectionTo, type ConnectionSettings, type TemporalSettings } from './connection-settings';
import { startDevServer, type DevServer } from './dev-server';
import { findTemporalProgram } from './program';
import { reach } from './reach';
import { raiseRetention } from './retention';
import { type Env, type Say } from './ways';

const ANSWER_WITHIN_MS = 5_000;

/** A Temporal server that answers and has the namespace. */
export interface Temporal {
  readonly address: string;
  readonly namespace: string;
  /** Address and, for a server of someone else, credentials: for `Connection` and `NativeConnection`. */
  readonly connection: ConnectionSettings;
  /** The dev server, where one was started. */
  readonly server: DevServer | null;
}

/** What a Temporal server is found or started with. */
export interface TemporalGround {
  readonly dataDir: string;
  readonly settings: TemporalSettings;
  /** For the programs that are started. */
  readonly env: Env;
  readonly say: Say;
}

/** The server that the settings name; without one, a dev server on the data directory. */
export async function temporalFor(ground: TemporalGround): Promise<Result<Temporal, RailyardError>> {
  const { dataDir, settings, env, say } = ground;
  const { address, namespace, cli } = settings;
  if (address !== null) return namedServer(address, settings);
  const program = await findTemporalProgram({ cacheDir: join(dataDir, 'programs'), env, cli, say });
  if (program.isErr()) return err(program.error);
  const started = await startDevServer({ program: program.value.path, dataDir, env, say, namespace });
  if (started.isErr()) return err(started.error);
  const server = started.value;
  const connection = { address: server.address };
  await raiseRetention(connection, namespace);
  return ok({ address: server.address, namespace, connection, server });
}

async function namedServer(
  address: string,
  settings: TemporalSettings,
): Promise<Result<Temporal, RailyardError>> {
  const { namespace } = settings;
  const connection = connectionTo(address, settings);
  if (connection.isErr()) return err(connection.error);
  const reached = await reach(connection.value, namespace, { withinMs: ANSWER_WITHIN_MS });
  if (reached.isOk()) return ok({ address, namespace, connection: connection.value, server: null });
  return err(
    problem('TEMPORAL_AWAY', reached.error.sentence, {
      suggestion:
        'Check that the Temporal server is up and that TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are right, ' +
        'or unset TEMPORAL_ADDRESS to have a dev server started.',
      details: { address, namespace },
    }),
  );
}
