/** A Railyard for benchmarks: a data directory, a worker with a runtime of choice, and the use cases. */
import { join } from 'node:path';
import { type Client } from '@temporalio/client';
import { type SkillRuntime } from '../activities';
import { FactoryRuns } from '../api/factory-runs';
import { scheduledRunActivities } from '../api/schedules';
import { openHome, PACKAGE_ROOT } from '../src/home';
import { startFactoryWorker, taskQueueOf } from '../worker/factory-worker';
import { openLedgerOf } from '../activities/open-ledger';
import { LogFile } from '../src/log';
import { type Ground } from './ground';

export interface BenchYard {
  readonly runs: FactoryRuns;
  readonly client: Client;
  close(): Promise<void>;
}

export async function openYard(
  { folder, settings, client }: Ground,
  runtime: SkillRuntime,
): Promise<BenchYard> {
  const opened = await openHome(join(folder, 'home'));
  if (opened.isErr()) throw new Error(opened.error.message);
  const home = opened.value;
  const skillDirs = [join(PACKAGE_ROOT, 'skills')];
  const opening = await openLedgerOf(home);
  if (opening.isErr()) throw new Error(opening.error.message);
  const { ledger } = opening.value;
  const runs = new FactoryRuns({ home, client, ledger, taskQueue: taskQueueOf(home), skillDirs });
  const worker = await startFactoryWorker({
    home,
    connection: settings,
    namespace: client.options.namespace,
    // As many as the bare worker has: the SDK's default.
    settings: { skillDirs, envAllow: [], slots: 100 },
    runtime,
    ledger,
    ticks: scheduledRunActivities(runs),
    log: new LogFile(home.path('logs', 'railyard.log')),
  });
  if (worker.isErr()) throw new Error(`${worker.error.message} ${worker.error.suggestion}`);
  return { runs, client, close: () => worker.value.stop() };
}
