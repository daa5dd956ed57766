/**
 * `npm run demo`: the clone factory from end to end on a data directory of its own. It starts `railyard up`, follows a
 * run with `railyard run`, decides every gate over HTTP as the approvers would, says where the artifacts are, and stops
 * everything again.
 */
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunView } from '../api/run-view';
import { type ServiceClient } from '../cli/service-client';
import { PACKAGE_ROOT } from '../src/home';
import { exitOf, interruption, ownEnvironment, say, start, untilUp } from './own-service';

const RUN = 'demo-run';
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;

async function demo(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-demo-'));
  const workspace = join(home, 'workspaces', RUN);
  await mkdir(workspace, { recursive: true });
  await cp(join(PACKAGE_ROOT, 'samples', 'expert', 'inbox'), join(workspace, 'inbox'), { recursive: true });
  say(`data directory: ${home}`);

  const env = await ownEnvironment(home);
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
