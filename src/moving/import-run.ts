/**
 * A bundle on its way into a data directory. A run becomes a run again: its session, its compiled factory, its record with
 * a workspace of this machine, and its artifacts in that workspace. Before the session is published the whole run is read
 * from what the bundle brought, so that what is published can be gone on with; the record comes last, and makes it a run.
 * An import that dies before that is done again from the start, and finds what is there already.
 */
import { resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, sha256Digest, type JsonObject } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { resolveConfig, type CompiledFactory } from '../factory/compile';
import { FactoryShelf, forgetMoved, readRun, replaceRun, type Home, type RunRecord } from '../home';
import { FACT_TYPE, RunShelf, type Read } from '../ledger';
import { ContentStore } from '../sandbox';
import { importBundle, type BundleSource, type Imported, type VerifiedBundle } from '../workrail/bundle';
import { systemMinting, type HomeStore } from '../workrail/local';
import { SessionId, type Digest, type DomainEvent } from '../workrail/model';
import { filesOf } from './export-run';
import { nameIn } from './find-session';
import { putArtifacts } from './put-artifacts';

/** Where a bundle is brought to. */
export interface ImportGround {
  readonly home: Home;
  readonly store: HomeStore;
  /** Claim a workspace for a run; answers with its real path. */
  claim(run: string, workspace: string): Promise<Result<string, RailyardError>>;
}

/** What an import came to. */
export interface ImportedBundle extends Imported {
  /** Null: the session is no factory run. */
  readonly run: ImportedRun | null;
}

/** A run that can be gone on with here. */
export type ImportedRun = Pick<RunRecord, 'run' | 'factory' | 'workspace'>;

/** What will be the run's record, but for the session's id. */
interface Draft {
  readonly record: Omit<RunRecord, 'sessionId'>;
  readonly compiled: CompiledFactory;
}

/** Bring a bundle into a data directory. `workspace`: where a run works from now on; null: in a folder of its own. */
export async function importInto(
  ground: ImportGround,
  source: BundleSource,
  workspace: string | null,
): Promise<Result<ImportedBundle, RailyardError>> {
  const { home, store } = ground;
  const found: { run: string | null; draft: Draft | null } = { run: null, draft: null };
  const admit = async (bundle: VerifiedBundle): Promise<Result<SessionId | null, RailyardError>> => {
    const run = nameIn(bundle.events);
    found.run = run;
    if (run === null) return ok(null);
    const known = await knownSession(ground, bundle, run);
    // It is here, as far as this or further, and works where it works: nothing of it is touched.
    if (known.isErr() || isRecorded(home, run, known.value)) return known;
    const made = await draftOf(ground, bundle, run, workspace);
    if (made.isErr()) return err(made.error);
    found.draft = made.value;
    return known;
  };
  const stores = { ...store, sessions: store.importer, admit };
  const imported = await importBundle(stores, source, systemMinting);
  if (imported.isErr()) return err(imported.error);
  const { run, draft } = found;
  if (draft !== null) await settle(home, draft, imported.value.sessionId);
  const record = run === null ? null : readRun(home, run).unwrapOr(null);
  return ok({
    ...imported.value,
    run: record && { run: record.run, factory: record.factory, workspace: record.workspace },
  });
}

/** Make the record, now that the session is there. */
async function settle(home: Home, { record, compiled }: Draft, sessionId: SessionId): Promise<void> {
  await new FactoryShelf(home).save(record.factoryHash, compiled);
  await replaceRun(home, { ...record, sessionId });
  await forgetMoved(home, record.run);
}

const isRecorded = (home: Home, run: string, session: SessionId | null): boolean =>
  session !== null && readRun(home, run).unwrapOr(null)?.sessionId === (session as string);

/**
 * The session of this store that has all of the bundle's events. A run that is here already may come back further on; one
 * that has gone another way here is refused.
 */
async function knownSession(
  { home, store }: ImportGround,
  { sessionId, events }: VerifiedBundle,
  run: string,
): Promise<Result<SessionId | null, RailyardError>> {
  const record = readRun(home, run).unwrapOr(null);
  const id = record ? SessionId.parse(record.sessionId) : sessionId;
  const loaded = await store.sessions.load(id);
  if (loaded.isErr()) return loaded.error.code === 'SESSION_NOT_FOUND' ? ok(null) : err(loaded.error);
  const here = loaded.value.events();
  const common = sharedEvents(here, events);
  if (common === events.length) return ok(id);
  if (common === here.length || !record) return ok(null);
  return err(
    problem(
      'RUN_EXISTS',
      `The run "${run}" is here already, and has gone another way since event ${common}.`,
      {
        suggestion: 'Import it into another data directory, or go on with the one that is here.',
        details: { run, common, here: here.length, bundle: events.length },
      },
    ),
  );
}

/** How many events two sessions have in common, from the first on. */
function sharedEvents(here: readonly DomainEvent[], there: readonly DomainEvent[]): number {
  const differs = here.findIndex(({ eventId }, index) => there[index]?.eventId !== eventId);
  return differs === -1 ? here.length : differs;
}

async function draftOf(
  ground: ImportGround,
  bundle: VerifiedBundle,
  run: string,
  workspace: string | null,
): Promise<Result<Draft, RailyardError>> {
  const { home, store } = ground;
  const closed = await checkClosed(ground, bundle);
  if (closed.isErr()) return err(closed.error);
  const sketch = await readStray(store, bundle, run, '/');
  if (sketch.isErr()) return err(sketch.error);
  const { compiled, plan } = sketch.value.frame;
  const text = canonicalJson(compiled);
  if (text.isErr() || sha256Digest(text.value) !== plan.factoryHash) {
    return err(damaged('The factory of the run is not the one it was started with.'));
  }
  const before = readRun(home, run).unwrapOr(null);
  const place = placeOf(home, bundle.events, compiled, run, workspace ?? before?.workspacePath ?? null);
  if (place.isErr()) return err(place.error);
  const claimed = await ground.claim(run, place.value.workspace);
  if (claimed.isErr()) return err(claimed.error);
  const shown = resolve(place.value.workspace);
  const read = await readStray(store, bundle, run, shown);
  if (read.isErr()) return err(read.error);
  const { state, startedAt, driver } = read.value.fold;
  const put = await putArtifacts(home, shown, state);
  const record: Draft['record'] = {
    version: 1,
    run,
    factory: compiled.factory.id,
    factoryHash: plan.factoryHash,
    parameters: place.value.parameters,
    workspacePath: place.value.workspacePath,
    workspace: claimed.value,
    ...(shown === claimed.value ? {} : { shownWorkspace: shown }),
    startedBy: state.startedBy,
    createdAt: new Date(startedAt).toISOString(),
    imported: { at: new Date().toISOString(), bundle: bundle.envelope.bundleId, epoch: driver.epoch },
  };
  return put.map(() => ({ record, compiled }));
}

/** Read the run from the events of its bundle. What cannot be read here could not be gone on with. */
async function readStray(
  { sessions, snapshots, workflows, artifacts }: HomeStore,
  { events, sessionId }: VerifiedBundle,
  run: string,
  workspace: string,
): Promise<Result<Read, RailyardError>> {
  const find = () => Promise.resolve(err(problem('RUN_NOT_FOUND', 'It is not here yet.')));
  const shelf = new RunShelf({ sessions, snapshots, workflows, artifacts, minting: systemMinting, find });
  const read = await shelf.readStray(events, { run, sessionId, workspace });
  return read.mapErr(({ message, details }) =>
    problem('BUNDLE_INVALID_FORMAT', `The bundle holds no run that can be gone on with: ${message}`, {
      ...(details ? { details } : {}),
    }),
  );
}

/** Every artifact that the run refers to must have come along or be here, and be whole. */
async function checkClosed(
  { home, store }: ImportGround,
  bundle: VerifiedBundle,
): Promise<Result<void, RailyardError>> {
  const blobs = new ContentStore(home.path('artifacts'));
  const missing = async (digests: Iterable<Digest>): Promise<Digest | null> => {
    for (const digest of digests) {
      if (bundle.artifacts.has(digest)) continue;
      if ((await blobs.verify(digest)).isErr()) return digest;
    }
    return null;
  };
  for (const event of bundle.events) {
    if (event.kind !== 'node_output_appended' || event.data.payload.payloadKind !== 'artifact_ref') continue;
    const { sha256, contentType } = event.data.payload;
    const lost = await missing([sha256]);
    if (lost) return err(incomplete(lost));
    if (contentType !== FACT_TYPE) continue;
    const bytes = await store.artifacts.get(sha256);
    const files = bytes.isOk()
      ? await filesOf(store.artifacts, { contentType, bytes: bytes.value })
      : err(bytes.error);
    if (files.isErr()) return err(damaged(files.error.message));
    const lostFile = await missing(files.value);
    if (lostFile) return err(incomplete(lostFile));
  }
  return ok();
}

/** Where the run works on this machine. What it was started with may name another one's folder. */
function placeOf(
  home: Home,
  events: readonly DomainEvent[],
  compiled: CompiledFactory,
  run: string,
  wanted: string | null,
): Result<Pick<RunRecord, 'parameters' | 'workspacePath' | 'workspace'>, RailyardError> {
  const start = events.find((event) => event.kind === 'context_set');
  // Written by the ledger's `startPlan`: `nameIn` has seen that it is.
  const given = (start?.data.context.parameters ?? {}) as JsonObject;
  const workspacePath = wanted === null ? home.path('workspaces', run) : resolve(wanted);
  const parameters = Object.hasOwn(given, 'workspace_path')
    ? { ...given, workspace_path: workspacePath }
    : given;
  return resolveConfig(compiled, parameters, { workspacePath, run }).map(({ workspace }) => ({
    parameters,
    workspacePath,
    workspace,
  }));
}

const damaged = (why: string): RailyardError => problem('BUNDLE_INTEGRITY_FAILED', why);

const incomplete = (digest: Digest): RailyardError =>
  problem(
    'BUNDLE_INTEGRITY_FAILED',
    `The run needs the artifact ${digest}, which is neither in the bundle nor here.`,
    {
      suggestion: 'Export the run again with its artifacts: a run always brings them.',
      details: { digest },
    },
  );
