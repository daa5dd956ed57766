/** A bundle's text as a stream of its parts, in whatever order they stand: its big collections item by item, the rest whole. */
import { type Chunks, JsonCursor } from './json-cursor';

/** What is read item by item. */
export type Collection =
  'session/events' | 'session/manifest' | 'session/snapshots' | 'session/pinnedWorkflows' | 'artifacts';

export type Part =
  /** The bundle is no object: the value it is instead. */
  | { readonly kind: 'not_an_object' }
  /** A collection begins: it is there, and of the right bracket. */
  | { readonly kind: 'begins'; readonly collection: Collection }
  | { readonly kind: 'item'; readonly collection: Collection; readonly name: string; readonly value: unknown }
  /** Anything else, by its path. */
  | { readonly kind: 'field'; readonly path: string; readonly value: unknown };

const BRACKETS: Readonly<Record<Collection, '[' | '{'>> = {
  'session/events': '[',
  'session/manifest': '[',
  'session/snapshots': '{',
  'session/pinnedWorkflows': '{',
  artifacts: '{',
};

const isCollection = (path: string): path is Collection => path in BRACKETS;

export async function* readParts(chunks: Chunks): AsyncGenerator<Part> {
  const cursor = new JsonCursor(chunks);
  try {
    if ((await cursor.peek()) !== '{') {
      await cursor.value();
      yield { kind: 'not_an_object' };
    } else {
      yield* partsOf(cursor, '');
    }
    await cursor.end();
  } finally {
    await cursor.close();
  }
}

async function* partsOf(cursor: JsonCursor, prefix: string): AsyncGenerator<Part> {
  for await (const name of cursor.members()) {
    const path = `${prefix}${name}`;
    const bracket = await cursor.peek();
    if (isCollection(path) && bracket === BRACKETS[path]) {
      yield { kind: 'begins', collection: path };
      yield* itemsOf(cursor, path);
    } else if (path === 'session' && bracket === '{') {
      yield* partsOf(cursor, 'session/');
    } else {
      yield { kind: 'field', path, value: await cursor.value() };
    }
  }
}

async function* itemsOf(cursor: JsonCursor, collection: Collection): AsyncGenerator<Part> {
  const names = BRACKETS[collection] === '[' ? cursor.elements() : cursor.members();
  for await (const name of names) {
    yield { kind: 'item', collection, name: String(name), value: await cursor.value() };
  }
}
