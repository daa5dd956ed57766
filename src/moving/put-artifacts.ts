/** The artifacts of a run, in its workspace: by digest, wherever the run was before. */
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import { type RunState } from '../factory/run-state';
import { type Home } from '../home';
import { ContentStore, materialise, openWorkspace } from '../sandbox';

/**
 * See to it that what the blocks of a run have made is in its workspace, byte for byte. Of a block that is under way nothing
 * is: its next attempt clears that place.
 */
export async function putArtifacts(
  home: Home,
  workspace: string,
  { blocks }: Pick<RunState, 'blocks'>,
): Promise<Result<void, RailyardError>> {
  const store = new ContentStore(home.path('artifacts'));
  const opened = openWorkspace(workspace);
  if (opened.isErr()) return opened.map(() => undefined);
  for (const { artifacts } of Object.values(blocks)) {
    for (const artifact of artifacts) {
      const put = await materialise(store, opened.value, artifact);
      if (put.isErr()) return put;
    }
  }
  return ok();
}
