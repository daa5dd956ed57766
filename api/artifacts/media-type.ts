/**
 * As what an artifact is handed out. Skills write artifacts, sometimes from what strangers wrote, and a console may share
 * our origin: nothing that a browser would run or draw is ever called by its own name.
 */

/** How an answer with an artifact describes itself. */
export interface MediaType {
  readonly contentType: string;
  /** Is it shown in place, or only offered for saving? */
  readonly inline: boolean;
}

const TEXT: MediaType = { contentType: 'text/plain; charset=utf-8', inline: true };
const JSON_TEXT: MediaType = { contentType: 'application/json; charset=utf-8', inline: true };
const BYTES: MediaType = { contentType: 'application/octet-stream', inline: false };

/** Formats and file extensions that are plain reading. */
const READABLE: ReadonlyMap<string, MediaType> = new Map([
  ...['markdown', 'md', 'text', 'txt', 'csv', 'tsv', 'log', 'yaml', 'yml', 'jsonl', 'ndjson', 'toml'].map(
    (name): [string, MediaType] => [name, TEXT],
  ),
  ['json', JSON_TEXT],
]);

/** The type of an artifact from its declared format, or from its file's name where the format says nothing. */
export function mediaTypeOf(format: string, path: string): MediaType {
  const named = format === 'file' ? extensionOf(path) : format.toLowerCase();
  return READABLE.get(named) ?? BYTES;
}

function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** `Content-Disposition`: the last name of a path, in ASCII and in full (RFC 6266). */
export function disposition({ inline }: MediaType, path: string): string {
  const name = path.split('/').at(-1) ?? '';
  const ascii = name.replace(/[^A-Za-z0-9._ -]/g, '_');
  // Through a buffer: a lone surrogate, which has no URL form, becomes a question mark in a diamond.
  const full = encodeURIComponent(Buffer.from(name).toString()).replace(/['()*]/g, percent);
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${full}`;
}

const percent = (one: string): string => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
