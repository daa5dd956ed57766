import { type Result } from 'neverthrow';

/** Environment variables, as `process.env` has them. */
export type Env = Readonly<Partial<Record<string, string>>>;

/** Gets one line for a person at a time: what is being done and how far it is. */
export type Say = (line: string) => void;

/** The ways a Temporal program is found, in the order they are tried. */
export type WayName = 'TEMPORAL_CLI' | 'PATH' | 'cache' | 'sdk' | 'pypi';

/** A program that answered to `--version`. */
export interface TemporalProgram {
  readonly path: string;
  readonly from: WayName;
  readonly version: string;
}

/** What every way works with. */
export interface Ground {
  /** Where fetched programs are kept. */
  readonly cacheDir: string;
  readonly env: Env;
  /** The program that is asked for (TEMPORAL_CLI); null: whichever is found. */
  readonly cli: string | null;
  readonly say: Say;
}

/** One way to a program: the program, or in one line why not. */
export type Way = (ground: Ground) => Promise<Result<TemporalProgram, string>>;

/** An error of the system in one line. Its class is not asked: errors of another realm have another one. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  return String(error.message);
}

/** The code of a system error, like ENOENT. */
export function codeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null;
}
