/** Settings from the environment that a worker needs; each has a default that works on one machine. */
import { delimiter, join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { PACKAGE_ROOT } from '../src/home';

export interface WorkerSettings {
  /** Where skills are looked for, in this order: RAILYARD_SKILLS (a path list), then the ones that come with us. */
  readonly skillDirs: readonly string[];
  /** RAILYARD_ENV_ALLOW: the variables a block may ask for in `inputs.env`, separated by commas. */
  readonly envAllow: readonly string[];
  /** RAILYARD_SLOTS: how many skills may run at once on this host, across runs. */
  readonly slots: number;
}

const DEFAULT_SLOTS = 16;

export function readWorkerSettings(env: NodeJS.ProcessEnv): Result<WorkerSettings, RailyardError> {
  const slots = env.RAILYARD_SLOTS === undefined ? DEFAULT_SLOTS : Number(env.RAILYARD_SLOTS);
  if (!Number.isInteger(slots) || slots < 1 || slots > 1_000) {
    const message = `RAILYARD_SLOTS is "${env.RAILYARD_SLOTS ?? ''}"; it is a whole number from 1 to 1000.`;
    return err(problem('CONFIG_INVALID', message));
  }
  const list = (text: string | undefined, separator: string): string[] =>
    (text ?? '')
      .split(separator)
      .map((one) => one.trim())
      .filter((one) => one !== '');
  return ok({
    skillDirs: [
      ...list(env.RAILYARD_SKILLS, delimiter).map((folder) => resolve(folder)),
      join(PACKAGE_ROOT, 'skills'),
    ],
    envAllow: list(env.RAILYARD_ENV_ALLOW, ','),
    slots,
  });
}
