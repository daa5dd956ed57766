/** `railyard keyring`: the keys that sign the tokens of the store. What they are is never shown. */
import { type Command } from 'commander';
import { sha256Hex } from '../../src/canonical';
import { workrailRoot } from '../../src/workrail/local';
import { type Keyring } from '../../src/workrail/ports';
import { fail, say, sayJson } from '../output';
import { withStore } from '../store';

/** Enough to tell two keys apart; nobody gets from it to 32 random bytes. */
const FINGERPRINT_LENGTH = 12;

interface KeyringLine {
  readonly file: string;
  readonly current: string;
  readonly previous: string | null;
}

export function addKeyring(program: Command): void {
  const keyring = program
    .command('keyring')
    .description('the keys that sign the tokens agents hold')
    .addHelpText(
      'after',
      `
A rotation makes a fresh key. Tokens under the one before stay good until the next rotation, so two of them void every token that was
given out before; nothing else is lost, and fresh tokens come from resume_session.`,
    );
  keyring
    .command('show')
    .description('show where the keys are, and their fingerprints')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => act('read', options));
  keyring
    .command('rotate')
    .description('sign with a fresh key from now on; the one before still counts until the next rotation')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => act('rotate', options));
}

async function act(what: 'read' | 'rotate', { json = false }: { json?: boolean }): Promise<void> {
  const keys = await withStore(async ({ keyring }, home) =>
    (await keyring[what]()).map((now) => lineOf(`${workrailRoot(home)}/keys/keyring.json`, now)),
  );
  if (keys.isErr()) {
    fail(keys.error, json);
    return;
  }
  const { file, current, previous } = keys.value;
  if (json) {
    sayJson(keys.value);
    return;
  }
  if (what === 'rotate') say('rotated: tokens are signed with a fresh key from now on');
  say(`file      ${file}`);
  say(`current   ${current}`);
  say(`previous  ${previous === null ? 'none' : `${previous} (its tokens count until the next rotation)`}`);
}

const lineOf = (file: string, { current, previous }: Keyring): KeyringLine => ({
  file,
  current: fingerprint(current),
  previous: previous && fingerprint(previous),
});

const fingerprint = (key: Uint8Array): string => sha256Hex(key).slice(0, FINGERPRINT_LENGTH);
