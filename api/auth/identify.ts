import { err, type Result } from 'neverthrow';
import { refusal, type CallerSource, type Principal, type Refusal } from './principal';

/** Who sent a request, by its Authorization header. */
export async function identify(
  authorization: string | undefined,
  sources: readonly CallerSource[],
): Promise<Result<Principal, Refusal>> {
  const [scheme = '', credential = ''] = (authorization ?? '').split(' ', 2);
  if (scheme.toLowerCase() !== 'bearer' || credential === '') {
    return err(refusal('This request carries no key.'));
  }
  for (const source of sources) {
    const known = source(credential);
    if (known !== null) return known;
  }
  return err(refusal('The key is wrong.'));
}
