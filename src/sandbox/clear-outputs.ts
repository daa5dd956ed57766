import { rm } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import { locate, pathInside, type Workspace } from './workspace';

/**
 * Remove what an earlier attempt left at the declared paths, so that a stale file never passes as output. A link at such
 * a path is removed, never what it leads to. All paths are checked before the first one is touched.
 */
export async function clearOutputs(
  workspace: Workspace,
  paths: readonly string[],
): Promise<Result<void, RailyardError>> {
  const places: string[] = [];
  for (const path of paths) {
    const inside = pathInside(workspace.root, path);
    const place = inside.isErr() ? inside : locate(workspace, inside.value);
    if (place.isErr()) return err(place.error);
    places.push(place.value);
  }
  for (const place of places) await rm(place, { recursive: true, force: true });
  return ok();
}
