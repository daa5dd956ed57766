/** Keys that `railyard keys create` made. */
import { err, ok } from 'neverthrow';
import { checkKey, type Home } from '../../src/home';
import { refusal, type CallerSource } from './principal';

const WHY = {
  wrong: 'The key is wrong.',
  revoked: 'The key was revoked.',
  expired: 'The key has expired.',
} as const;

/** Whoever holds a key of this store. */
export function storedKeys(home: Home, now: () => Date = () => new Date()): CallerSource {
  return (credential) => {
    const checked = checkKey(home, credential, now());
    if (checked === null) return null;
    if (checked.kind !== 'good') return Promise.resolve(err(refusal(WHY[checked.kind], checked.id)));
    const { name, roles } = checked.record;
    return Promise.resolve(ok({ kind: 'key', name, roles }));
  };
}
