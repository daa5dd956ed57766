/** The WorkRail store of the data directory, for commands. No service is needed, and one that runs is not in the way. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { homeRoot, openHome, type Home } from '../src/home';
import { openStoreOf, type HomeStore } from '../src/workrail/local';
import { SessionId } from '../src/workrail/model';

/** Open the store and do something with it. */
export async function withStore<T>(
  work: (store: HomeStore, home: Home) => Promise<Result<T, RailyardError>>,
): Promise<Result<T, RailyardError>> {
  const home = await openHome(homeRoot(process.env));
  if (home.isErr()) return err(home.error);
  const store = await openStoreOf(home.value);
  return store.isErr() ? err(store.error) : work(store.value, home.value);
}

/** What a person typed for a session; what cannot be an id is none. */
export function sessionIdOf(text: string): Result<SessionId, RailyardError> {
  const parsed = SessionId.safeParse(text);
  return parsed.success
    ? ok(parsed.data)
    : err(problem('SESSION_NOT_FOUND', `There is no session "${text}" in this store.`));
}
