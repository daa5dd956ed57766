import { userInfo } from 'node:os';

/** Who is at the keyboard: the name of the account. A container may run under a number that has no account. */
export function person(lookUp = () => userInfo().username, env: NodeJS.ProcessEnv = process.env): string {
  try {
    return lookUp();
  } catch {
    const named = [env.USER, env.LOGNAME].find((name) => name !== undefined && name !== '');
    return named ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
