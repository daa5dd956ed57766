/**
 * Keys of people and programs, one file a key: `keys/<id>.json`. A file of its own is made once and changed only to
 * revoke it, so two commands at the same time lose nothing, and it is small enough to be read at every request: a key
 * stops at the moment it is revoked.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { isMissing } from '../errno';
import { problem, type RailyardError } from '../errors';
import { writeAtomic, writeOnce } from './atomic-file';
import { type Home } from './home';
import { readJson } from './parse-json';

const KeyRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  /**
   * SHA-256 of the secret, in hex. The secret is 256 random bits: there is nothing to guess that a slow hash would have to
   * protect, and a slow hash at every request would be a way to keep the service busy.
   */
  hash: z.string(),
  created: z.iso.datetime(),
  expires: z.iso.datetime().nullable(),
  revoked: z.iso.datetime().nullable(),
});

/** What is kept of a key. The secret is not. */
export type KeyRecord = z.infer<typeof KeyRecord>;

/** Whose key it is to be, and for how long. */
export interface KeyRequest {
  readonly name: string;
  readonly roles: readonly string[];
  /** Null: until it is revoked. */
  readonly expires: Date | null;
}

/** What is shown of a key: everything but its hash. */
export interface KeyLine {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly created: string;
  readonly expires: string | null;
  readonly revoked: string | null;
}

/** The line of a key at some moment. */
export function keyLine({ id, name, roles, created, expires, revoked }: KeyRecord, now: Date): KeyLine {
  const over = expires !== null && Date.parse(expires) <= now.getTime();
  const state = revoked !== null ? 'revoked' : over ? 'expired' : 'active';
  return { id, name, roles, state, created, expires, revoked };
}

/** The name of whoever holds the local key; no other key may carry it. */
export const LOCAL_NAME = 'local';
/** The routes accept no longer names of people and roles either. */
export const MAX_KEY_NAME = 200;
export const MAX_KEY_ROLE = 100;

const KEY = /^ryk_(?<id>[0-9a-f]{12})_(?<secret>[A-Za-z0-9_-]{43})$/;
const ID = /^[0-9a-f]{12}$/;

/** Make a key. Its text is in the answer and nowhere else. */
export async function createKey(
  home: Home,
  { name, roles, expires }: KeyRequest,
): Promise<{ key: string; record: KeyRecord }> {
  const secret = randomBytes(32).toString('base64url');
  const record: KeyRecord = {
    version: 1,
    id: randomBytes(6).toString('hex'),
    name,
    roles: [...new Set(roles)],
    hash: hashOf(secret).toString('hex'),
    created: new Date().toISOString(),
    expires: expires?.toISOString() ?? null,
    revoked: null,
  };
  await mkdir(home.path('keys'), { recursive: true, mode: 0o700 });
  const fresh = await writeOnce(pathOf(home, record.id), JSON.stringify(record), 0o600);
  // 48 random bits: two of a thousand keys meet once in a billion stores.
  return fresh ? { key: `ryk_${record.id}_${secret}`, record } : createKey(home, { name, roles, expires });
}

/** Every key, the oldest first. */
export async function listKeys(home: Home): Promise<readonly KeyRecord[]> {
  const names = await readdir(home.path('keys')).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .flatMap((name) => (name.endsWith('.json') ? (readKey(home, name.slice(0, -5)) ?? []) : []))
    .sort((a, b) => a.created.localeCompare(b.created) || a.id.localeCompare(b.id));
}

/** Revoke a key for good. Once more changes nothing. */
export async function revokeKey(home: Home, id: string): Promise<Result<KeyRecord, RailyardError>> {
  const record = readKey(home, id);
  if (!record) return err(problem('KEY_NOT_FOUND', `There is no key "${id}".`));
  if (record.revoked !== null) return ok(record);
  const revoked = { ...record, revoked: new Date().toISOString() };
  await writeAtomic(pathOf(home, id), JSON.stringify(revoked), 0o600);
  return ok(revoked);
}

/** What a key is good for. An id alone proves nothing: it is there for the log. */
export type KeyCheck =
  | { readonly kind: 'good'; readonly record: KeyRecord }
  | { readonly kind: 'wrong' | 'revoked' | 'expired'; readonly id: string };

/** Look a key up by its text; null where the text is no key of this kind. */
export function checkKey(home: Home, key: string, now: Date): KeyCheck | null {
  const { id, secret } = KEY.exec(key)?.groups ?? {};
  if (id === undefined || secret === undefined) return null;
  const record = readKey(home, id);
  if (!record || !isSecretOf(record, secret)) return { kind: 'wrong', id };
  if (record.revoked !== null) return { kind: 'revoked', id };
  if (record.expires !== null && Date.parse(record.expires) <= now.getTime()) return { kind: 'expired', id };
  return { kind: 'good', record };
}

function isSecretOf({ hash }: KeyRecord, secret: string): boolean {
  const [kept, given] = [Buffer.from(hash, 'hex'), hashOf(secret)];
  return kept.length === given.length && timingSafeEqual(kept, given);
}

/** The record of a key; null where there is none, or a file that says nothing we can trust. */
function readKey(home: Home, id: string): KeyRecord | null {
  const parsed = ID.test(id) ? KeyRecord.safeParse(readJson(pathOf(home, id))) : null;
  // A file that was copied under another name is not that key.
  return parsed?.success && parsed.data.id === id ? parsed.data : null;
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
const pathOf = (home: Home, id: string): string => home.path('keys', `${id}.json`);
