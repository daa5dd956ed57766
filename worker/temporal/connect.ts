import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { settingsFromEnv, type ConnectionSettings } from './connection-settings';
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

/** The server TEMPORAL_ADDRESS names; without it, a dev server on the data directory. */
export async function temporalFor(options: {
  readonly dataDir: string;
  readonly env: Env;
  readonly say: Say;
}): Promise<Result<Temporal, RailyardError>> {
  const { dataDir, env, say } = options;
  const address = env.TEMPORAL_ADDRESS?.trim();
  const named = env.TEMPORAL_NAMESPACE?.trim() ?? '';
  const namespace = named === '' ? 'default' : named;
  if (address) return namedServer(address, namespace, env);
  const program = await findTemporalProgram({ cacheDir: join(dataDir, 'programs'), env, say });
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
  namespace: string,
  env: Env,
): Promise<Result<Temporal, RailyardError>> {
  const settings = settingsFromEnv(address, env);
  if (settings.isErr()) return err(settings.error);
  const reached = await reach(settings.value, namespace, { withinMs: ANSWER_WITHIN_MS });
  if (reached.isOk()) return ok({ address, namespace, connection: settings.value, server: null });
  return err(
    problem('TEMPORAL_AWAY', reached.error.sentence, {
      suggestion:
        'Check that the Temporal server is up and that TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are right, ' +
        'or unset TEMPORAL_ADDRESS to have a dev server started.',
      details: { address, namespace },
    }),
  );
}
