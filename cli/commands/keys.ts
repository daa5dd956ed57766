/** `railyard keys`: keys for people and programs. They are files of the data directory; no service is needed. */
import { InvalidArgumentError, type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import pc from 'picocolors';
import { type RailyardError } from '../../src/errors';
import {
  createKey,
  homeRoot,
  keyLine,
  listKeys,
  LOCAL_NAME,
  MAX_KEY_NAME,
  MAX_KEY_ROLE,
  openHome,
  revokeKey,
  type Home,
  type KeyLine,
  type KeyRecord,
} from '../../src/home';
import { durationMs } from '../duration';
import { fail, say, sayJson } from '../output';

interface CreateOptions {
  readonly role: readonly string[];
  readonly expires?: Date;
  readonly json?: true;
}

interface ReadOptions {
  readonly json?: true;
}

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('make, list and revoke keys for people and programs')
    .addHelpText(
      'after',
      `
Roles:
  viewer    may read everything; so may everybody who has any role
  operator  may start runs, and pause, resume, cancel and retry them
  agent     for programs that work with the service
  any other word is a role in which gates are decided, such as expert, product_lead or tech_lead

Example:
  railyard keys create ann@example.org --role expert --expires 30d`,
    );
  keys
    .command('create')
    .description('make a key and print it, this once')
    .argument('<name>', 'whose key it is', nameOf)
    .requiredOption('--role <role>', 'a role it gives; repeat it for more', collectRole)
    .option(
      '--expires <time>',
      'when it ends: 90m, 12h or 30d from now, or a date such as 2027-01-31',
      timeOf,
    )
    .option('--json', 'print JSON')
    .action(create);
  keys
    .command('list')
    .description('show every key, without its secret')
    .option('--json', 'print JSON')
    .action(list);
  keys
    .command('revoke')
    .description('end a key for good, at once')
    .argument('<id>', 'the id that `railyard keys list` shows')
    .option('--json', 'print JSON')
    .action(revoke);
}

async function create(name: string, { role, expires, json }: CreateOptions): Promise<void> {
  const made = await withHome((home) => createKey(home, { name, roles: role, expires: expires ?? null }));
  if (made.isErr()) fail(made.error, json === true);
  else if (json) sayJson({ key: made.value.key, ...lineOf(made.value.record) });
  else for (const line of created(made.value.key, lineOf(made.value.record))) say(line);
}

async function list({ json }: ReadOptions): Promise<void> {
  const keys = (await withHome(listKeys)).map((records) => records.map(lineOf));
  if (keys.isErr()) fail(keys.error, json === true);
  else if (json) sayJson({ keys: keys.value });
  else if (keys.value.length === 0)
    say('No keys yet. Make one with: railyard keys create <name> --role <role>');
  else for (const line of table(keys.value)) say(line);
}

async function revoke(id: string, { json }: ReadOptions): Promise<void> {
  const revoked = (await withHome((home) => revokeKey(home, id))).andThen((result) => result.map(lineOf));
  if (revoked.isErr()) fail(revoked.error, json === true);
  else if (json) sayJson(revoked.value);
  else say(`revoked: key ${revoked.value.id} of ${revoked.value.name} opens nothing any more`);
}

async function withHome<T>(work: (home: Home) => Promise<T>): Promise<Result<T, RailyardError>> {
  const home = await openHome(homeRoot(process.env));
  return home.isErr() ? err(home.error) : ok(await work(home.value));
}

const lineOf = (record: KeyRecord): KeyLine => keyLine(record, new Date());

function created(key: string, { id, name, roles, expires }: KeyLine): string[] {
  return [
    key,
    '',
    `It is ${name}'s, with ${roles.length > 1 ? 'the roles' : 'the role'} ${roles.join(', ')}; it ${ends(expires)}.`,
    'It is shown this once: only its hash is kept. Use it as RAILYARD_KEY, or as "Authorization: Bearer <key>".',
    `End it with: railyard keys revoke ${id}`,
  ];
}

const ends = (expires: string | null): string =>
  expires === null ? 'lasts until it is revoked' : `ends at ${expires}`;

function table(lines: readonly KeyLine[]): string[] {
  const width = (of: (line: KeyLine) => string): number => Math.max(...lines.map((line) => of(line).length));
  const [names, roles] = [width(({ name }) => name), width((line) => line.roles.join(', '))];
  return lines.map((line) => {
    const state = `${line.state === 'active' ? pc.green(line.state) : pc.dim(line.state)}${' '.repeat(9 - line.state.length)}`;
    const until = line.revoked ?? line.expires;
    const when = until === null ? '' : line.state === 'active' ? `until ${until}` : `since ${until}`;
    const who = `${line.id}  ${line.name.padEnd(names)}  ${line.roles.join(', ').padEnd(roles)}`;
    return `${who}  ${state}${when}`.trimEnd();
  });
}

function nameOf(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_KEY_NAME || /\p{Cc}/u.test(name)) {
    throw new InvalidArgumentError(`A name has 1 to ${MAX_KEY_NAME} characters.`);
  }
  if (name === LOCAL_NAME) throw new InvalidArgumentError(`"${LOCAL_NAME}" is the name of the local key.`);
  return name;
}

function collectRole(text: string, before: readonly string[] = []): readonly string[] {
  const role = text.trim();
  if (role === '' || role.length > MAX_KEY_ROLE || /[\s\p{Cc},]/u.test(role)) {
    throw new InvalidArgumentError(`A role is one word of at most ${MAX_KEY_ROLE} characters.`);
  }
  return [...before, role];
}

/** A time to come: so long from now, or a date. */
function timeOf(text: string): Date {
  const length = durationMs(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = new Date(length !== null ? Date.now() + length : isDate ? text : Number.NaN);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Say 90m, 12h, 30d or 2027-01-31.');
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('That is over already.');
  return time;
}
