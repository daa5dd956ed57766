/**
 * `npm run demo`: the clone factory from end to end on a data directory of its own. It starts `railyard up`, follows a
 * run with `railyard run`, decides every gate over HTTP as the approvers would, says where the artifacts are, and stops
 * everything again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunView } from '../api/run-view';
import { ServiceClient } from '../cli/service-client';
import { PACKAGE_ROOT, readEndpoint } from '../src/home';
import { findTemporalProgram } from '../worker/temporal';

const RAILYARD = join(PACKAGE_ROOT, 'bin', 'railyard.js');
const RUN = 'demo-run';
const START_WITHIN_MS = 90_000;
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function demo(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-demo-'));
  const workspace = join(home, 'workspaces', RUN);
  await mkdir(workspace, { recursive: true });
  await cp(join(PACKAGE_ROOT, 'samples', 'expert', 'inbox'), join(workspace, 'inbox'), { recursive: true });
  say(`data directory: ${home}`);

  // Its own service, whatever the commands of this terminal talk to otherwise.
  const own = {
    RAILYARD_HOME: home,
    RAILYARD_CONFIG: undefined,
    RAILYARD_URL: undefined,
    RAILYARD_KEY: undefined,
  };
  const env = { ...process.env, ...own, ...(await temporalProgram()) };
  const interrupted = interruption();
  const up = start(['up', '--port', '0'], env);
  try {
    const service = await untilUp(home, up, interrupted);
    if (service === null) return INTERRUPTED;
    const parameters = ['expert_name=Orla Venn', 'expert_slug=orla-venn', 'publish_domain=example.org'];
    const run = start(
      [
        ...[
          'run',
          join(PACKAGE_ROOT, 'factories', 'clone-factory.json'),
          '--id',
          RUN,
          '--as',
          'platform-team',
        ],
        ...['--workspace', workspace, ...parameters.flatMap((one) => ['-p', one])],
      ],
      env,
    );
    const ended = exitOf(run);
    const stopRun = (): void => void run.kill('SIGINT');
    if (interrupted.aborted) stopRun();
    else interrupted.addEventListener('abort', stopRun);
    const approvers = decideGates(service, ended);
    const code = await ended;
    await approvers;
    if (code === 0) await sayArtifacts(service);
    return interrupted.aborted ? INTERRUPTED : code;
  } finally {
    up.kill('SIGINT');
    await exitOf(up);
    say('everything is stopped');
  }
}

/** Aborts when somebody wants the demo to end: by a signal, or since nobody reads it any more. */
function interruption(): AbortSignal {
  const wish = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => wish.abort());
  process.stdout.on('error', () => wish.abort());
  return wish.signal;
}

/** The program is kept with the checkout, so that a second demo need not fetch it again. */
async function temporalProgram(): Promise<Record<string, string>> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_CLI: asked } = process.env;
  if (address) return {};
  // An empty variable says nothing.
  const cli = asked === undefined || asked === '' ? null : asked;
  const cacheDir = join(PACKAGE_ROOT, 'node_modules', '.cache', 'railyard');
  const program = await findTemporalProgram({ cacheDir, env: process.env, cli, say });
  if (program.isErr()) throw new Error(`${program.error.message}\n${program.error.suggestion}`);
  return { TEMPORAL_CLI: program.value.path };
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  say(`\n$ railyard ${args.map((one) => (one.includes(' ') ? `'${one}'` : one)).join(' ')}`);
  // A group of its own: Ctrl-C comes to the demo, which then stops its children in order.
  return spawn(process.execPath, [RAILYARD, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

function exitOf(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? 1);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Null: interrupted. */
async function untilUp(
  home: string,
  up: ChildProcess,
  interrupted: AbortSignal,
): Promise<ServiceClient | null> {
  for (let waited = 0; waited < START_WITHIN_MS; waited += 100) {
    if (interrupted.aborted) return null;
    const endpoint = await readEndpoint(home);
    if (endpoint) return new ServiceClient(endpoint.url, endpoint.key);
    if (up.exitCode !== null) throw new Error('`railyard up` ended before it was ready; see above.');
    await sleep(100);
  }
  throw new Error(`\`railyard up\` was not ready within ${START_WITHIN_MS / 1000} s.`);
}

/** Each approver looks at what waits and approves it, until the run is over. */
async function decideGates(service: ServiceClient, ended: Promise<number>): Promise<void> {
  const watch = new AbortController();
  void ended.then(() => watch.abort());
  while (!watch.signal.aborted) {
    const view = await service.get<RunView>(`/factory-run/${RUN}`);
    const open = view.isOk() ? view.value.gates.filter(({ outcome }) => outcome === null) : [];
    for (const { block, attempt, approvers } of open) {
      const role = approvers[0] ?? 'expert';
      const path = `/factory-run/${RUN}/gate/${block}/approve`;
      say(
        `\n$ curl -X POST $URL/api/a360${path} -d '{"approver": "${role}@example.org", "role": "${role}", …}'`,
      );
      const body = { approver: `${role}@example.org`, role, attempt, notes: 'Read it; looks right.' };
      const decided = await service.post(path, body);
      if (decided.isErr()) say(`refused: ${decided.error.message}`);
    }
    await sleep(300);
  }
}

async function sayArtifacts(service: ServiceClient): Promise<void> {
  const view = await service.get<RunView>(`/factory-run/${RUN}`);
  if (view.isErr()) return;
  say('\nartifacts:');
  for (const { id, artifacts } of view.value.blocks) {
    for (const { key, path, digest } of artifacts) say(`  ${id}/${key}: ${path} (${digest.slice(0, 19)}…)`);
  }
}

demo().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
