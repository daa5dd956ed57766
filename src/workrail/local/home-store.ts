/**
 * The store of a Railyard: the folder `workrail/` of its data directory. Artifacts are those of the data directory, one blob for
 * one content, whether a block or an agent made it.
 */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type Home } from '../../home';
import { type KeyringStore } from '../ports';
import { LocalKeyring } from './keyring-file';
import { openWorkrailStore, type StoreOptions, type WorkrailStore } from './open-store';

/** A data directory's store, with the keys of its tokens. */
export interface HomeStore extends WorkrailStore {
  readonly keyring: KeyringStore;
}

export type HomeStoreOptions = Pick<StoreOptions, 'observer' | 'minting' | 'maxEvents'>;

/** The folder of the store. */
export const workrailRoot = (home: Home): string => home.path('workrail');

/** Open the store of a data directory: for commands, the service and the tools of agents alike. */
export async function openStoreOf(
  home: Home,
  options: HomeStoreOptions = {},
): Promise<Result<HomeStore, RailyardError>> {
  const root = workrailRoot(home);
  const store = await openWorkrailStore({ ...options, root, artifacts: home.path('artifacts') });
  if (store.isErr()) return err(store.error);
  return ok({ ...store.value, keyring: new LocalKeyring(root) });
}
