/**
 * Where things are below the store's folder (locks, section 13):
 *
 *   sessions/<id>/events/<first>-<last>.jsonl   segments
 *   sessions/<id>/manifest.jsonl                which of them are truth, and their pins
 *   sessions/<id>/cache/                        validated events, for a quick start; safe to delete
 *   sessions/<id>/set-aside/                    what repair took out
 *   sessions/<id>/.lock                         held by the one writer
 *   sessions/.new-<random>/                     a session that is being born
 *   snapshots/, workflows/pinned/               content, by digest
 *   artifacts/                                  bytes of outputs, by digest; of a Railyard, those of its data directory
 */
import { join } from 'node:path';
import { type SessionId } from '../model';

/** Enough for the order of names to be the order of events in any session a person will see; more digits still work. */
const INDEX_DIGITS = 8;
const SEGMENT = /^(\d{8,})-(\d{8,})\.jsonl$/;
/** What a session that is being born is called. */
export const STAGING_PREFIX = '.new-';

export class Layout {
  constructor(
    readonly root: string,
    private readonly artifactsFolder = join(root, 'artifacts'),
  ) {}

  readonly sessions = (): string => join(this.root, 'sessions');
  readonly snapshots = (): string => join(this.root, 'snapshots');
  readonly workflows = (): string => join(this.root, 'workflows', 'pinned');
  /** The folder that `pinned` is in. */
  readonly pinnedParent = (): string => join(this.root, 'workflows');
  readonly artifacts = (): string => this.artifactsFolder;
  readonly session = (id: SessionId): SessionFolder => new SessionFolder(join(this.sessions(), id));
  readonly staging = (random: string): SessionFolder =>
    new SessionFolder(join(this.sessions(), `${STAGING_PREFIX}${random}`));
}

export class SessionFolder {
  constructor(readonly path: string) {}

  readonly events = (): string => join(this.path, 'events');
  readonly manifest = (): string => join(this.path, 'manifest.jsonl');
  readonly cache = (): string => join(this.path, 'cache');
  readonly setAside = (): string => join(this.path, 'set-aside');
  readonly lock = (): string => join(this.path, '.lock');
  /** A path that the manifest names. */
  readonly file = (relative: string): string => join(this.path, relative);
}

/** First and last event of a segment or a chunk, as names have them. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

const digits = (index: number): string => String(index).padStart(INDEX_DIGITS, '0');

export const boundsName = ({ first, last }: Bounds): string => `${digits(first)}-${digits(last)}`;

/** The name of a segment inside `events/`. */
export const segmentName = (bounds: Bounds): string => `${boundsName(bounds)}.jsonl`;

/** The bounds a segment's name says; null: it is no segment's name. */
export function segmentBounds(name: string): Bounds | null {
  const [, first, last] = SEGMENT.exec(name) ?? [];
  return first === undefined || last === undefined ? null : { first: Number(first), last: Number(last) };
}
