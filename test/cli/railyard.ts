/** The program as a person meets it: real processes, real files, real ports. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEndpoint } from '../../src/home';

const PROGRAM = join(__dirname, '..', '..', 'bin', 'railyard.js');
export const WALKING = join(__dirname, '..', '..', 'factories', 'walking.json');
const SKILLS = join(__dirname, '..', 'fixtures', 'factory-skills');
const PATIENCE_MS = 90_000;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process and what it has printed so far. */
export class Running {
  out = '';
  err = '';
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (data: Buffer) => (this.out += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (this.err += data.toString()));
    this.ended = new Promise((resolve) =>
      child.once('close', (code) => resolve({ code, out: this.out, err: this.err })),
    );
  }

  async untilOut(text: string | RegExp): Promise<void> {
    await until(
      () => (typeof text === 'string' ? this.out.includes(text) : text.test(this.out)),
      () => this.out + this.err,
    );
  }
}

/** One data directory, and commands on it. */
export class Home {
  private readonly started: Running[] = [];

  private constructor(
    readonly root: string,
    private readonly more: NodeJS.ProcessEnv,
  ) {}

  static async make(more: NodeJS.ProcessEnv = {}): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), 'railyard-cli-')), more);
  }

  start(args: readonly string[], options: SpawnOptions = {}): Running {
    const env = {
      ...process.env,
      RAILYARD_HOME: this.root,
      RAILYARD_SKILLS: SKILLS,
      NO_COLOR: '1',
      ...this.more,
    };
    const running = new Running(
      spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], ...options }),
    );
    this.started.push(running);
    return running;
  }

  /** Run a command to its end. */
  run(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  async up(...args: readonly string[]): Promise<Running> {
    const up = this.start(['up', '--port', '0', ...args]);
    await until(
      () => up.out.includes('Railyard is up.') || up.child.exitCode !== null,
      () => up.out + up.err,
    );
    if (up.child.exitCode !== null) throw new Error(up.out + up.err);
    return up;
  }

  async endpoint(): Promise<{ url: string; key: string }> {
    const endpoint = await readEndpoint(this.root);
    if (!endpoint) throw new Error('There is no service');
    return endpoint;
  }

  async json<T>(...args: readonly string[]): Promise<T> {
    const { out, err, code } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`railyard ${args.join(' ')} ended with ${code}: ${out}${err}`);
    return JSON.parse(out) as T;
  }

  async remove(): Promise<void> {
    for (const { child, ended } of this.started) {
      child.kill('SIGTERM');
      await ended;
    }
    await rm(this.root, { recursive: true, force: true });
  }
}

export async function until(
  holds: () => boolean | Promise<boolean>,
  tell: () => string = () => '',
): Promise<void> {
  const start = Date.now();
  while (!(await holds())) {
    if (Date.now() - start > PATIENCE_MS) throw new Error(`In vain: ${tell()}`);
    await sleep(50);
  }
}

/** Is there a process with this number that is not just waiting to be collected? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
