import { describe, expect, it } from '@jest/globals';
import { importsOf, type Import } from './imports';

const PURE = ['src/canonical', 'src/errors.ts', 'neverthrow', 'zod'];
const IMPURE = [...PURE, 'src/errno.ts', 'src/factory', 'fs-native-extensions', 'node:'];

/** What each layer may import: folders and files of ours, and packages. A folder always reaches itself. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'src/errors.ts': ['src/workrail-errors.ts'],
  'src/workrail-errors.ts': ['src/errors.ts'],
  'src/workrail/model': PURE,
  'src/workrail/ports': [...PURE, 'src/workrail/model'],
  'src/workrail/projections': ['src/workrail/model', 'src/workrail/ports'],
  'src/workrail/tokens': [...PURE, 'src/workrail/model', 'src/workrail/ports'],
  'src/workrail/bundle': [...PURE, 'src/workrail/model', 'src/workrail/ports'],
  'src/workrail/retention': [...PURE, 'src/workrail/model', 'src/workrail/ports'],
  'src/workrail/protocol': [...PURE, 'src/workrail'],
  'src/workrail/local': [...IMPURE, 'src/workrail', 'src/home', 'src/sandbox'],
  'src/workrail/engine': [...PURE, 'src/workrail/model', '@cfworker/json-schema', 're2js'],
  'src/workrail/compiler': [
    ...[...PURE, 'src/workrail/model', 'src/workrail/engine'],
    // How a source is read as JSON and how its problems are worded is one thing for both compilers.
    ...['src/factory/compile', 'src/factory/schema'],
  ],
  'src/errno.ts': [],
  'src/canonical': ['node:crypto', 'canonicalize', 'neverthrow'],
  'src/factory': PURE,
  'src/home': IMPURE,
  'src/config': IMPURE,
  'src/log': [...IMPURE, 'src/config'],
  'src/sandbox': [...IMPURE, 'src/home', 'picomatch'],
  'src/ledger': [...PURE, 'src/factory', 'src/workrail/model', 'src/workrail/ports', 'src/workrail/compiler'],
  'src/moving': [
    ...[...IMPURE, 'src/home', 'src/ledger', 'src/sandbox'],
    ...['src/workrail/bundle', 'src/workrail/local', 'src/workrail/model', 'src/workrail/ports'],
  ],
  workflows: [
    ...['src/factory', 'src/errors.ts', '@temporalio/workflow', 'neverthrow'],
    ...['src/ledger/facts.ts', 'src/ledger/run-activities.ts', 'src/ledger/lost.ts'],
  ],
  activities: [...IMPURE, 'src', '@temporalio/activity', '@temporalio/common'],
  worker: [...IMPURE, 'src', 'activities', 'workflows/messages.ts', '@temporalio/'],
  api: [
    ...[...IMPURE, 'src', 'activities', 'workflows/messages.ts'],
    ...['fastify', 'prom-client', '@temporalio/client', '@temporalio/common', '@modelcontextprotocol/sdk'],
  ],
};

const isUnder = (path: string, allowed: string): boolean =>
  path === allowed ||
  path.startsWith(allowed.endsWith(':') || allowed.endsWith('/') ? allowed : `${allowed}/`);

const show = ({ from, to }: Import): string => `${from} → ${to}`;

describe('the layers', () => {
  it.each(Object.entries(LAYERS))('%s imports only what it may', (layer, allowed) => {
    const imports = importsOf(layer);
    const strangers = imports.filter(({ to }) => ![layer, ...allowed].some((one) => isUnder(to, one)));
    expect(strangers.map(show)).toEqual([]);
  });

  it('cover every folder of the sources', () => {
    const known = Object.keys(LAYERS);
    const files = new Set(importsOf('src').map(({ from }) => from));
    expect([...files].filter((file) => !known.some((layer) => isUnder(file, layer)))).toEqual([]);
  });

  it('see no schema library and no barrel on the way of the workflow code', () => {
    const runtime = importsOf('workflows', 'src/factory').filter(({ typeOnly }) => !typeOnly);
    const reached = reach(
      importsOf('workflows').map(({ from }) => from),
      runtime,
    );
    const barrels = reached.filter((file) => file.startsWith('src/') && file.endsWith('/index.ts'));
    expect([...barrels, ...reached.filter((file) => file === 'zod' || file.startsWith('node:'))]).toEqual([]);
  });
});

describe('a folder of src', () => {
  it('is entered by its door, except by workflow code, which takes no barrels', () => {
    const doors = [
      ...['src/canonical', 'src/config', 'src/home', 'src/log', 'src/sandbox'],
      ...['src/factory/compile', 'src/factory/schema'],
      ...['src/workrail/model', 'src/workrail/ports', 'src/workrail/projections', 'src/workrail/tokens'],
      ...['src/workrail/bundle', 'src/workrail/retention', 'src/workrail/local'],
      ...['src/workrail/compiler', 'src/workrail/engine', 'src/workrail/protocol'],
    ];
    const around = importsOf('src', 'activities', 'worker', 'api', 'cli', 'bench', 'scripts').filter(
      ({ from, to }) => {
        const door = doors.find((folder) => isUnder(to, folder));
        return door !== undefined && !isUnder(from, door) && to !== `${door}/index.ts`;
      },
    );
    expect(around.map(show)).toEqual([]);
  });
});

/** Everything that is reached from some files by imports that exist at run time. */
function reach(files: readonly string[], imports: readonly Import[]): string[] {
  const seen = new Set(files);
  // A set that grows while it is walked: each file is looked at once.
  for (const file of seen) for (const { from, to } of imports) if (from === file) seen.add(to);
  return [...seen];
}
