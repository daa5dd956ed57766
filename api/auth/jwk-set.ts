/** Where the keys of the issuer come from: a file, or a URL. */
import { readFile } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { parseJson } from '../../src/home';
import { Jwk } from './jwt';

/**
 * The keys that are good now. `fresh` asks for a look that is newer than the last one, for a token that names a key which is
 * not known yet.
 */
export type JwkSet = (fresh: boolean) => Promise<Result<readonly Jwk[], string>>;

/** A set that was fetched is taken for current this long: so long a key may live on that its issuer has withdrawn. */
const CURRENT_MS = 5 * 60_000;
/** Strangers can name keys that do not exist; nobody is asked more often than this because of them. */
const PAUSE_MS = 10_000;
/** How long the last set is used while its issuer does not answer. */
const STALE_MS = 60 * 60_000;
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 1_000_000;

const KeySet = z.object({ keys: z.array(z.unknown()).max(100) });

/** A set in a file. It is a few kilobytes, read anew each time, so that a change counts at once. */
export function fileSet(path: string): JwkSet {
  return async () => {
    try {
      return parseSet(await readFile(path, 'utf8'));
    } catch (error) {
      return err(messageOf(error));
    }
  };
}

/** A set at a URL. */
export function urlSet(url: string, now: () => number = Date.now): JwkSet {
  let known: { readonly keys: readonly Jwk[]; readonly at: number } | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failure = '';
  let asking: Promise<void> | null = null;

  const ask = async (): Promise<void> => {
    askedAt = now();
    const keys = await fetchSet(url);
    if (keys.isOk()) known = { keys: keys.value, at: askedAt };
    else failure = keys.error;
    asking = null;
  };

  return async (fresh) => {
    const current = known !== null && now() - known.at < CURRENT_MS;
    if ((fresh || !current) && now() - askedAt >= PAUSE_MS) asking ??= ask();
    // Whoever comes while it is being asked waits for the same answer.
    if (asking && (fresh || !current)) await asking;
    return known !== null && now() - known.at < STALE_MS ? ok(known.keys) : err(failure);
  };
}

async function fetchSet(url: string): Promise<Result<readonly Jwk[], string>> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    if (!response.ok) return err(`HTTP ${response.status}`);
    return parseSet(await readBounded(response));
  } catch (error) {
    return err(messageOf(error));
  }
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // The types say nothing of what is in the stream; it is bytes.
  const body: AsyncIterable<Uint8Array> | never[] = response.body ?? [];
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parseSet(text: string): Result<readonly Jwk[], string> {
  const set = KeySet.safeParse(parseJson(text));
  if (!set.success) return err('It is not a JWK set.');
  // A set may hold keys for other purposes, of shapes we do not know.
  return ok(set.data.keys.flatMap((key) => Jwk.safeParse(key).data ?? []));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
