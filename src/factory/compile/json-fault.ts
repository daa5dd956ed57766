/**
 * Where a JSON text goes wrong. `JSON.parse` says so only sometimes (Node 20 leaves the position out of most
 * messages), and it takes the last of two equal keys without a word.
 */

/** The first fault of a text. */
export interface JsonFault {
  /** In UTF-16 code units from the start. */
  readonly offset: number;
  readonly reason: string;
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next; `first` states also allow the container to close at once. */
type Expect = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end';

interface Container {
  readonly close: '}' | ']';
  readonly keys: Set<string>;
}

/** The first fault of a JSON text: bad syntax, or a key that stands twice in one object. Null: there is none. */
export function findJsonFault(text: string): JsonFault | null {
  const open: Container[] = [];
  let expect: Expect = 'value';
  const afterValue = (): Expect => (open.length > 0 ? 'comma' : 'end');

  for (let offset = skip(text, 0); ;) {
    const token = match(TOKEN, text, offset);
    if (offset >= text.length) return expect === 'end' ? null : { offset, reason: 'the text ends too early' };
    if (token === null) return { offset, reason: unreadable(text, offset) };
    const fault = (reason: string): JsonFault => ({ offset, reason });
    const top = open.at(-1);

    if (expect === 'end') return fault('there is text after the end of the value');
    if (token === top?.close && (expect === 'comma' || expect.startsWith('first'))) {
      open.pop();
      expect = afterValue();
    } else if (expect === 'comma') {
      if (token !== ',') return fault(`expected "," or "${top?.close ?? ''}"`);
      expect = top?.close === '}' ? 'key' : 'value';
    } else if (expect === 'colon') {
      if (token !== ':') return fault('expected ":" after the key');
      expect = 'value';
    } else if (expect === 'key' || expect === 'first key') {
      if (!token.startsWith('"')) return fault('expected a key in double quotes');
      const key = String(JSON.parse(token));
      if (top?.keys.has(key)) return fault(`the key "${key}" stands twice in one object`);
      top?.keys.add(key);
      expect = 'colon';
    } else if (token === '{' || token === '[') {
      open.push({ close: token === '{' ? '}' : ']', keys: new Set() });
      expect = token === '{' ? 'first key' : 'first value';
    } else if (/^[}\],:]/.test(token)) {
      return fault('expected a value');
    } else {
      expect = afterValue();
    }
    offset = skip(text, offset + token.length);
  }
}

/** Line and column of an offset, both from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const skip = (text: string, offset: number): number => offset + (match(SPACE, text, offset) ?? '').length;

function match(pattern: RegExp, text: string, offset: number): string | null {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? null;
}

function unreadable(text: string, offset: number): string {
  if (text[offset] === '"') return 'the string is not closed, or holds a control character or a bad escape';
  if (text.startsWith('//', offset) || text.startsWith('/*', offset)) return 'JSON has no comments';
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0))}`;
}
