/** Data directories on a real disk, and runs that are walked in them by nothing but their ledger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, sha256Digest } from '../../src/canonical';
import { cutPlan, type CompiledFactory } from '../../src/factory/compile';
import type { WalkPlan } from '../../src/factory/plan';
import type { ArtifactRef, AttemptOutcome } from '../../src/factory/run-state';
import type { WalkEvent } from '../../src/factory/walk';
import { claimWorkspace, FactoryShelf, openHome, saveRun, type Home } from '../../src/home';
import type { Recorded, RunLedger } from '../../src/ledger';
import { exportFrom, findSession, importInto, type ImportGround } from '../../src/moving';
import { ContentStore, listingText } from '../../src/sandbox';
import { systemMinting, type HomeStore } from '../../src/workrail/local';
import { SessionId } from '../../src/workrail/model';
import { openLedgerOf } from '../../activities/open-ledger';
import { compiledOf } from '../ledger/scene';
import { unwrap } from '../workrail/local/fixtures';

export const RUN = 'run-of-test';

/** A data directory. */
export interface House {
  readonly home: Home;
  readonly store: HomeStore;
  readonly ledger: RunLedger;
  readonly blobs: ContentStore;
  /** What an import needs. */
  readonly ground: ImportGround;
  end(): void;
}

/** Open a fresh one; `clock` is that of its ledger. */
export async function house(clock: { now: number }): Promise<House> {
  const root = mkdtempSync(join(tmpdir(), 'railyard-house-'));
  const home = unwrap(await openHome(root));
  const { store, ledger } = unwrap(
    await openLedgerOf(home, { minting: { ...systemMinting, nowMs: () => clock.now } }),
  );
  return {
    ...{ home, store, ledger },
    blobs: new ContentStore(home.path('artifacts')),
    ground: {
      ...{ home, store },
      claim: (run, workspace) => claimWorkspace(home, run, workspace, () => Promise.resolve(false)),
    },
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A run of a house: what it was started with. */
export interface Started {
  readonly compiled: CompiledFactory;
  readonly plan: WalkPlan;
  readonly workspace: string;
}

/** Start a run of the factory with this plan. */
export async function startIn({ home, ledger }: House, sketch: WalkPlan): Promise<Started> {
  const compiled = compiledOf(sketch);
  const factoryHash = sha256Digest(canonicalJson(compiled)._unsafeUnwrap());
  const plan = cutPlan(compiled, factoryHash)._unsafeUnwrap();
  const workspace = home.path('workspaces', RUN);
  await new FactoryShelf(home).save(factoryHash, compiled);
  const record = { run: RUN, factoryHash, parameters: { topic: 'railways' }, startedBy: 'sam', workspace };
  const more = {
    version: 1 as const,
    sessionId: RUN,
    factory: compiled.factory.id,
    workspacePath: workspace,
  };
  unwrap(await saveRun(home, { ...more, ...record, createdAt: new Date().toISOString() }));
  unwrap(await ledger.begin({ ...record, sessionId: SessionId.parse(RUN), compiled, plan }));
  return { compiled, plan, workspace };
}

/** Propose an event, with the bytes of its artifacts in the store first. */
export async function propose(
  at: House,
  { workspace }: Pick<Started, 'workspace'>,
  event: WalkEvent,
): Promise<Recorded> {
  const { seen, epoch } = unwrap(await at.ledger.standing(RUN));
  const proposal =
    event.type === 'attempt-finished'
      ? { ...event, outcome: await keep(at.blobs, workspace, event.block, event.outcome) }
      : event;
  return unwrap(await at.ledger.record({ run: RUN, epoch, seen, proposals: [proposal] }));
}

/** Every other artifact is a directory of two files. */
async function keep(
  blobs: ContentStore,
  workspace: string,
  block: string,
  outcome: AttemptOutcome,
): Promise<AttemptOutcome> {
  if (outcome.kind === 'failed') return outcome;
  const artifacts: ArtifactRef[] = [];
  for (const one of outcome.artifacts) {
    const path = join(workspace, block, one.key);
    const file = await blobs.putBytes(`the bytes of ${one.digest}`);
    if (one.digest.length % 2 === 0) {
      artifacts.push({ ...one, path, ...file });
      continue;
    }
    const other = await blobs.putBytes(`more of ${one.digest}`);
    const files = [
      { path: 'one.txt', ...file },
      { path: 'below/two.txt', ...other },
    ];
    const { digest } = await blobs.putBytes(listingText(files));
    artifacts.push({ ...one, path, digest, format: 'directory', bytes: file.bytes + other.bytes });
  }
  return { ...outcome, artifacts };
}

/** The bundle of a run, as its text. */
export async function bundleOf({ home, store }: House, name = RUN): Promise<string> {
  const found = unwrap(await findSession(home, store.sessions, name));
  let text = '';
  const how = { artifacts: 'embedded' as const, appVersion: '0', nowMs: 0 };
  unwrap(
    await exportFrom(store, found, how, (piece) => {
      text += piece;
      return Promise.resolve();
    }),
  );
  return text;
}

/** Bring it into another house. */
export const importText = (at: House, text: string, workspace: string | null = null) =>
  importInto(at.ground, () => piecesOf(text), workspace);

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}
