/**
 * JSON that comes in chunks, read value by value: the outer brackets are walked here, each value inside is cut out and
 * given to JSON.parse. So a document is never in memory as a whole, and the values are what JSON.parse says they are.
 */
import { MAX_DEPTH } from '../../canonical';
import { problem } from '../../errors';
import { BundleUnreadable } from './fault';

/** Where the text of a bundle comes from. */
export type Chunks = AsyncIterable<Uint8Array | string>;

/** The longest single value (an artifact, most likely): more would not fit into one string of the engine's. */
const MAX_VALUE_LENGTH = 256 * 1024 * 1024;
const WHITESPACE = new Set([' ', '\n', '\r', '\t']);
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

export class JsonCursor {
  readonly #chunks: AsyncIterator<Uint8Array | string>;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #chunk = '';
  #at = 0;
  #before = 0;

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next character that says something; empty at the end. */
  async peek(): Promise<string> {
    for (;;) {
      while (this.#at < this.#chunk.length) {
        const character = this.#chunk.charAt(this.#at);
        if (!WHITESPACE.has(character)) return character;
        this.#at += 1;
      }
      if (!(await this.#more())) return '';
    }
  }

  /** Walk an object: the name of each member, before its value is read. A name comes once. */
  async *members(): AsyncGenerator<string> {
    await this.#expect('{');
    if (await this.#skips('}')) return;
    const seen = new Set<string>();
    for (;;) {
      if ((await this.peek()) !== '"') throw this.#unreadable('a name is missing');
      const name = await this.value();
      if (typeof name !== 'string') throw this.#unreadable('a name is missing');
      if (seen.has(name)) throw this.#unreadable(`the name ${JSON.stringify(name)} comes twice`);
      seen.add(name);
      await this.#expect(':');
      yield name;
      if (await this.#skips('}')) return;
      await this.#expect(',');
    }
  }

  /** Walk an array: the place of each element, before it is read. */
  async *elements(): AsyncGenerator<number> {
    await this.#expect('[');
    if (await this.#skips(']')) return;
    for (let i = 0; ; i++) {
      yield i;
      if (await this.#skips(']')) return;
      await this.#expect(',');
    }
  }

  /** The value that begins here. */
  async value(): Promise<unknown> {
    await this.peek();
    const text = await this.#cut();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.#unreadable('a value is not JSON');
    }
  }

  /** Nothing may follow. */
  async end(): Promise<void> {
    if ((await this.peek()) !== '') throw this.#unreadable('something follows after its end');
  }

  /** Give the source back, also where it was not read to its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** The text up to the end of the value that begins here; whether it is JSON is another's question. */
  async #cut(): Promise<string> {
    const pieces: string[] = [];
    const scan = { depth: 0, inString: false, escaped: false };
    for (let length = 0; ;) {
      const end = endOfValue(this.#chunk, this.#at, scan);
      if (scan.depth > MAX_DEPTH)
        throw this.#unreadable(`a value is nested more than ${MAX_DEPTH} levels deep`);
      const piece = this.#chunk.slice(this.#at, end ?? this.#chunk.length);
      pieces.push(piece);
      this.#at += piece.length;
      length += piece.length;
      if (length > MAX_VALUE_LENGTH) throw this.#unreadable('a value is too long');
      if (end !== null || !(await this.#more())) return pieces.length === 1 ? piece : pieces.join('');
    }
  }

  async #skips(character: string): Promise<boolean> {
    if ((await this.peek()) !== character) return false;
    this.#at += 1;
    return true;
  }

  async #expect(character: string): Promise<void> {
    if (!(await this.#skips(character))) throw this.#unreadable(`a "${character}" is missing`);
  }

  /** The next chunk; false: there is none. */
  async #more(): Promise<boolean> {
    this.#before += this.#chunk.length;
    this.#at = 0;
    this.#chunk = '';
    const next = await this.#next();
    try {
      if (next.done === true) {
        // Refuses a character that was begun and not ended.
        this.#decoder.decode();
        return false;
      }
      this.#chunk =
        typeof next.value === 'string' ? next.value : this.#decoder.decode(next.value, { stream: true });
    } catch {
      throw this.#unreadable('it is not UTF-8');
    }
    return this.#chunk !== '' || this.#more();
  }

  async #next(): Promise<IteratorResult<Uint8Array | string>> {
    try {
      return await this.#chunks.next();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BundleUnreadable(problem('STORE_IO', `The bundle could not be read to its end: ${why}.`));
    }
  }

  #unreadable(why: string): BundleUnreadable {
    const at = this.#before + this.#at;
    return new BundleUnreadable(
      problem('BUNDLE_INVALID_FORMAT', `The bundle is not one JSON document: at character ${at} ${why}.`, {
        details: { character: at },
      }),
    );
  }
}

interface Scan {
  depth: number;
  inString: boolean;
  escaped: boolean;
}

/** Where the value ends that begins at, or before, a place in a text; null: not in this text. */
function endOfValue(text: string, from: number, scan: Scan): number | null {
  let { depth, inString, escaped } = scan;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (escaped) escaped = false;
      else if (code === BACKSLASH) escaped = true;
      else if (code === QUOTE) {
        inString = false;
        if (depth === 0) return i + 1;
      }
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
    } else if (code === 0x7d || code === 0x5d) {
      // The bracket of what a bare number or word stands in.
      if (depth === 0) return i;
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (code === COMMA || code === 0x3a || code <= 0x20)) {
      return i;
    }
  }
  Object.assign(scan, { depth, inString, escaped });
  return null;
}
