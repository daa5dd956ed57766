/** A run as a bundle that is closed over: with every artifact that its events name, and the files of directories. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import { artifactsNamedIn, FACT_TYPE } from '../ledger';
import { DIRECTORY, parseListing } from '../sandbox';
import { exportBundle, type Exported, type ReadArtifact, type Write } from '../workrail/bundle';
import { type HomeStore } from '../workrail/local';
import { Digest } from '../workrail/model';
import { type ArtifactStore } from '../workrail/ports';
import { type FoundSession } from './find-session';

export interface ExportOptions {
  /** For a session that is no run. */
  readonly artifacts: 'embedded' | 'left_out';
  readonly appVersion: string;
  readonly nowMs: number;
}

/** Export a run, with its artifacts always, or a session. */
export async function exportFrom(
  store: HomeStore,
  { sessionId, run }: Pick<FoundSession, 'sessionId' | 'run'>,
  { artifacts, appVersion, nowMs }: ExportOptions,
  write: Write,
): Promise<Result<Exported, RailyardError>> {
  const prefix = await store.sessions.loadValidatedPrefix(sessionId);
  if (prefix.isErr()) return err(prefix.error);
  const request = { prefix: prefix.value, producer: { appVersion }, exportedAtMs: nowMs };
  return run === null
    ? exportBundle(store, { ...request, artifacts }, write)
    : exportBundle(
        store,
        { ...request, artifacts: 'embedded', refersTo: (one) => filesOf(store.artifacts, one) },
        write,
      );
}

/** The files of the directories that a fact names. */
export async function filesOf(
  artifacts: ArtifactStore,
  { contentType, bytes }: ReadArtifact,
): Promise<Result<readonly Digest[], RailyardError>> {
  const files: Digest[] = [];
  for (const { digest, format } of contentType === FACT_TYPE ? artifactsNamedIn(bytes) : []) {
    if (format !== DIRECTORY) continue;
    const listing = await artifacts.get(Digest.parse(digest));
    const read = listing.andThen((text) => parseListing(Buffer.from(text).toString('utf8')));
    if (read.isErr()) return err(read.error);
    files.push(...read.value.files.map((file) => Digest.parse(file.digest)));
  }
  return ok(files);
}
