/**
 * Temporal for as long as the service runs. An embedded server that dies by itself is started again on the same port
 * and the same database: worker and clients find it there, and no run is lost.
 */
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import {
  findTemporalProgram,
  startDevServer,
  temporalFor,
  type ConnectionSettings,
  type DevServer,
} from './temporal';

export interface TemporalHost {
  readonly address: string;
  readonly namespace: string;
  readonly connection: ConnectionSettings;
  /** Is it a server of ours? */
  readonly embedded: boolean;
  /** Settles when an embedded server is gone and cannot be started again. */
  readonly broken: Promise<RailyardError>;
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

/** Have a Temporal server: the one TEMPORAL_ADDRESS names, or one of our own. */
export async function hostTemporal(options: HostOptions): Promise<Result<TemporalHost, RailyardError>> {
  const found = await temporalFor(options);
  if (found.isErr()) return err(found.error);
  const { address, namespace, connection, server } = found.value;
  const fixed = { address, namespace, connection };
  if (!server) {
    return ok({
      ...fixed,
      embedded: false,
      broken: new Promise(() => undefined),
      stop: () => Promise.resolve(),
    });
  }
  const keeper = new Keeper(options, namespace, server);
  return ok({ ...fixed, embedded: true, broken: keeper.broken, stop: () => keeper.stop() });
}

/** Keeps one embedded server alive. */
class Keeper {
  readonly broken: Promise<RailyardError>;
  private stopping = false;

  constructor(
    private readonly options: HostOptions,
    private readonly namespace: string,
    private server: DevServer,
  ) {
    this.broken = this.watch();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.server.stop();
  }

  private async watch(): Promise<RailyardError> {
    for (;;) {
      const { code, signal } = await this.server.exited;
      if (this.stopping) return new Promise(() => undefined);
      this.options.say(
        `The Temporal server ended (${signal ?? `exit code ${code ?? 'unknown'}`}); starting it again …`,
      );
      const again = await this.startAgain();
      if (again.isErr()) return again.error;
      this.server = again.value;
      // A stop that came during the start found the old server.
      if (this.stopping) await this.server.stop();
      else this.options.say('The Temporal server is back.');
    }
  }

  private async startAgain(): Promise<Result<DevServer, RailyardError>> {
    const { dataDir, env, say } = this.options;
    const program = await findTemporalProgram({ cacheDir: join(dataDir, 'programs'), env, say });
    if (program.isErr()) return err(program.error);
    const port = Number(this.server.address.split(':').at(-1));
    return startDevServer({
      program: program.value.path,
      dataDir,
      env,
      say,
      namespace: this.namespace,
      port,
    });
  }
}
