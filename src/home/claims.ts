/**
 * One live owner of a workspace: two runs that write the same files would ruin each other. A claim is a file that names
 * a run and its workspace; it lapses when that run is over, which is looked up when somebody else wants the place.
 */
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { problem, type RailyardError } from '../errors';
import { writeAtomic } from './atomic-file';
import { unusable, type Home } from './home';
import { readJson } from './parse-json';

const Claim = z.object({ run: z.string(), workspace: z.string() });

/**
 * Claim a workspace for a run, making the folder; WORKSPACE_BUSY where a live run owns it, a part of it, or what it is
 * part of. The caller lets no two claims run at once. Answers with the workspace's real path.
 */
export async function claimWorkspace(
  home: Home,
  run: string,
  workspace: string,
  isLive: (run: string) => Promise<boolean>,
): Promise<Result<string, RailyardError>> {
  const real = await makeFolder(workspace);
  if (real.isErr()) return err(real.error);
  // The folder that every run has for itself needs no claim; but another run may ask for it by its path.
  const host = hostOf(home, real.value);
  if (host === run) return real;
  if (host !== null && (await isLive(host))) return err(busy(workspace, host));
  for (const name of await readdir(home.path('claims'))) {
    const claim = Claim.safeParse(readJson(home.path('claims', name)));
    if (!claim.success || claim.data.run === run || !overlap(claim.data.workspace, real.value)) continue;
    if (await isLive(claim.data.run)) return err(busy(workspace, claim.data.run));
    await rm(home.path('claims', name), { force: true });
  }
  await writeAtomic(home.path('claims', `${run}.json`), JSON.stringify({ run, workspace: real.value }));
  return real;
}

async function makeFolder(workspace: string): Promise<Result<string, RailyardError>> {
  if (!isAbsolute(workspace)) {
    const message = `The workspace "${workspace}" is not an absolute path.`;
    return err(problem('INPUT_INVALID', message, { suggestion: 'Pass workspace_path as an absolute path.' }));
  }
  try {
    await mkdir(workspace, { recursive: true });
    return ok(await realpath(workspace));
  } catch (error) {
    const { message } = unusable(workspace, error);
    return err(problem('INPUT_INVALID', message.replace('data directory', 'workspace')));
  }
}

/** The run in whose own folder a workspace is. */
function hostOf(home: Home, workspace: string): string | null {
  const path = relative(home.path('workspaces'), workspace);
  return isInside(home.path('workspaces'), workspace) ? (path.split('/')[0] ?? null) : null;
}

const overlap = (a: string, b: string): boolean => isInside(a, b) || isInside(b, a);

function isInside(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === '' || (path !== '..' && !path.startsWith('../') && !isAbsolute(path));
}

function busy(workspace: string, owner: string): RailyardError {
  return problem(
    'WORKSPACE_BUSY',
    `The workspace ${workspace} belongs to the run "${owner}", which is not over.`,
    {
      suggestion: `Wait for it, end it with \`railyard cancel ${owner}\`, or use another workspace.`,
      details: { run: owner },
    },
  );
}
