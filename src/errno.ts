/**
 * Errors of the operating system, by their shape: one that comes from another realm (a worker thread, a test runner's
 * sandbox) is no instance of our `Error`.
 */
interface SystemError {
  readonly code: string;
  readonly message: string;
}

/** Is this an error of the operating system? */
export function isErrno(error: unknown): error is SystemError {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

/** Is this the operating system's error with one of these codes? */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isErrno(error) && codes.includes(error.code);
}

/** There is nothing at the path. */
export const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR');
