/** The part of the package we use; it ships no types. */
declare module 'picomatch' {
  interface Options {
    readonly dot?: boolean;
    readonly nonegate?: boolean;
    readonly noextglob?: boolean;
  }
  /** A test for paths, made from a pattern. */
  function picomatch(pattern: string, options?: Options): (path: string) => boolean;
  namespace picomatch {
    /** The part of a pattern before its first wildcard, and whether it has one. */
    function scan(pattern: string, options?: Options): { readonly base: string; readonly isGlob: boolean };
  }
  export = picomatch;
}
