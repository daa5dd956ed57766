/** What every Temporal benchmark stands on: an embedded server with a database of its own, and a client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { readConfig } from '../src/config';
import { PACKAGE_ROOT } from '../src/home';
import { findTemporalProgram, temporalFor, type ConnectionSettings } from '../worker/temporal';

export interface Ground {
  readonly folder: string;
  readonly settings: ConnectionSettings;
  readonly client: Client;
  readonly native: NativeConnection;
  close(): Promise<void>;
}

/** Start the ground; TEMPORAL_ADDRESS is obeyed here too. */
export async function prepareGround(note: (text: string) => void): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-bench-'));
  const cacheDir = join(PACKAGE_ROOT, 'node_modules', '.cache', 'railyard');
  const read = readConfig({ root: folder, env: process.env });
  if (read.isErr()) throw new Error(read.error.message);
  const said = read.value.config.temporal;
  const program = await findTemporalProgram({ cacheDir, env: process.env, cli: said.cli, say: note });
  const settings = { ...said, cli: program.isOk() ? program.value.path : said.cli };
  const temporal = await temporalFor({ dataDir: folder, settings, env: process.env, say: note });
  if (temporal.isErr()) throw new Error(`${temporal.error.message} ${temporal.error.suggestion}`);
  const { connection: reached, namespace, server } = temporal.value;
  const connection = await Connection.connect(reached);
  const native = await NativeConnection.connect(reached);
  return {
    folder,
    settings: reached,
    client: new Client({ connection, namespace }),
    native,
    close: async () => {
      await native.close();
      await connection.close();
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
