/** The part of the package we use; it ships no types. */
declare module 'fs-native-extensions' {
  /** Take an exclusive kernel lock on an open file; false where somebody else holds it. It dies with the process. */
  export function tryLock(fd: number): boolean;
}
