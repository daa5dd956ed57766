/** The Temporal server that all tests of one Jest run share. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalProgram, startDevServer, type DevServer } from '../../worker/temporal';

/** The program is fetched once a checkout, not once a run. */
const PROGRAMS = join(__dirname, '..', '..', 'node_modules', '.cache', 'railyard');

let server: DevServer | null = null;
let dataDir: string | null = null;

export async function startTemporal(): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const program = await findTemporalProgram({
    cacheDir: PROGRAMS,
    env: process.env,
    cli: process.env.TEMPORAL_CLI ?? null,
    say,
  });
  if (program.isErr()) throw new Error(`${program.error.message}\n${program.error.suggestion}`);
  dataDir = await mkdtemp(join(tmpdir(), 'railyard-test-temporal-'));
  const started = await startDevServer({ program: program.value.path, dataDir, env: process.env, say });
  if (started.isErr()) throw new Error(started.error.message);
  server = started.value;
  // Jest hands its own environment to the workers it starts after this.
  process.env.RAILYARD_TEST_TEMPORAL = server.address;
  process.env.TEMPORAL_CLI = program.value.path;
}

export async function stopTemporal(): Promise<void> {
  await server?.stop();
  if (dataDir !== null) await rm(dataDir, { recursive: true, force: true });
}
