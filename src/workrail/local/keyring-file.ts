/**
 * The file `keys/keyring.json`: the signing keys of one store (locks, sections 1.2 and 10).
 *
 * It is made once, whoever comes first; replaced only by a rotation, whole, under a kernel lock; and never repaired:
 * a file that is damaged, or that others may read, is refused with what to do, because a fresh key in its place would
 * void every token without a word.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { isMissing } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { parseJson, writeAtomic, writeOnce } from '../../home';
import { type Keyring, type KeyringStore } from '../ports';
import { fromBase64Url, toBase64Url } from '../tokens';

export const KEYRING_VERSION = 1;
const KEY_BYTES = 32;
const NAME = 'keys/keyring.json';
/** Nobody but the owner. */
const MODE = 0o600;
const ROTATION_WAIT_MS = 5000;
const ROTATION_TRY_MS = 20;

const Key = z.string().transform((text, issues) => {
  const bytes = fromBase64Url(text);
  if (bytes?.length === KEY_BYTES) return bytes;
  issues.addIssue(`must be ${KEY_BYTES} bytes in base64url`);
  return z.NEVER;
});
const KeyringFile = z.strictObject({
  version: z.literal(KEYRING_VERSION),
  current: Key,
  previous: Key.nullable(),
});

/** The keyring of a data directory. Cheap to read at every call: the file is opened only when it is another one. */
export class LocalKeyring implements KeyringStore {
  readonly #path: string;
  #read: { readonly mark: string; readonly keyring: Keyring } | null = null;

  constructor(root: string) {
    this.#path = join(root, ...NAME.split('/'));
  }

  async read(): Promise<Result<Keyring, RailyardError>> {
    try {
      const stats = this.#stat() ?? (await this.#make());
      return this.#load(stats);
    } catch (error) {
      return err(unreadable(error));
    }
  }

  async rotate(): Promise<Result<Keyring, RailyardError>> {
    try {
      // Sees to it that there is a folder and a first key.
      const before = await this.read();
      if (before.isErr()) return before;
      return await this.#locked(async () => {
        const now = await this.read();
        if (now.isErr()) return now;
        const next = { current: freshKey(), previous: now.value.current };
        await writeAtomic(this.#path, textOf(next), MODE);
        return this.read();
      });
    } catch (error) {
      return err(unreadable(error));
    }
  }

  #stat(): BigIntStats | undefined {
    try {
      return statSync(this.#path, { bigint: true });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #make(): Promise<BigIntStats> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    await writeOnce(this.#path, textOf({ current: freshKey(), previous: null }), MODE);
    return statSync(this.#path, { bigint: true });
  }

  #load(stats: BigIntStats): Result<Keyring, RailyardError> {
    const open = openness(stats);
    if (open !== null) return err(open);
    // Another file has another inode or time, since rotation never writes into one.
    const mark = `${stats.ino}:${stats.mtimeNs}:${stats.size}`;
    if (this.#read?.mark === mark) return ok(this.#read.keyring);
    const parsed = KeyringFile.safeParse(parseJson(readFileSync(this.#path, 'utf8')));
    if (!parsed.success) return err(damaged(parsed.error));
    const { current, previous } = parsed.data;
    this.#read = { mark, keyring: { current, previous } };
    return ok(this.#read.keyring);
  }

  async #locked<T>(work: () => Promise<Result<T, RailyardError>>): Promise<Result<T, RailyardError>> {
    // A file of its own: the keyring itself is replaced, and a lock stays with the file it was taken on.
    const file = await open(`${this.#path}.lock`, 'a', MODE);
    try {
      for (let waited = 0; !tryLock(file.fd); waited += ROTATION_TRY_MS) {
        if (waited >= ROTATION_WAIT_MS) {
          return err(problem('STORE_IO', 'Another process has been rotating the signing keys for too long.'));
        }
        await sleep(ROTATION_TRY_MS);
      }
      return await work();
    } finally {
      await file.close();
    }
  }
}

const freshKey = (): Uint8Array => new Uint8Array(randomBytes(KEY_BYTES));

function textOf({ current, previous }: Keyring): string {
  return `${JSON.stringify({
    version: KEYRING_VERSION,
    current: toBase64Url(current),
    previous: previous && toBase64Url(previous),
  })}\n`;
}

/** Whether others than the owner may read or write it. Windows has no such bits. */
function openness({ mode }: BigIntStats): RailyardError | null {
  const others = Number(mode & 0o077n);
  if (process.platform === 'win32' || others === 0) return null;
  return problem(
    'STORE_KEYRING_INVALID',
    `Others than its owner may use ${NAME} (mode ${Number(mode & 0o777n).toString(8)}, not 600).`,
    {
      suggestion:
        `Run \`chmod 600\` on ${NAME}; if somebody may have read it, rotate the keys twice, ` +
        'so that no token under the old one counts.',
    },
  );
}

function damaged(error: z.ZodError): RailyardError {
  const [issue] = error.issues;
  const where = issue?.path.length ? `"${issue.path.join('.')}": ` : '';
  return problem('STORE_KEYRING_INVALID', `${NAME} cannot be used: ${where}${issue?.message ?? 'not JSON'}.`);
}

const unreadable = (error: unknown): RailyardError =>
  problem(
    'STORE_IO',
    `${NAME} cannot be read or written: ${error instanceof Error ? error.message : String(error)}.`,
  );
