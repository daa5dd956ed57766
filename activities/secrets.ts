/**
 * Values of environment variables that were handed to a skill must not come back in what is kept: results, errors,
 * logs. Where one appears as it is, the variable's name is put in its place. (A skill that encodes a value first, or
 * writes it into its artifacts, cannot be helped.)
 */

/** Shorter values ("1", "on") are no secrets, and hiding them would make nonsense of every text. */
const SHORTEST = 4;

export class Secrets {
  /** Longest first: one value may be part of another. */
  private readonly hidden: readonly (readonly [value: string, label: string])[];

  constructor(env: Readonly<Record<string, string>>) {
    this.hidden = Object.entries(env)
      .filter(([, value]) => value.length >= SHORTEST)
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([name, value]) => [value, `[${name}]`]);
  }

  /** The text without the values. */
  hide(text: string): string {
    return this.hidden.reduce((shown, [value, label]) => shown.replaceAll(value, label), text);
  }

  /** The same for every string of a JSON value, keys included. */
  hideIn<T>(value: T): T {
    // Strings become strings, and everything else is rebuilt as it was: the shape is the same.
    return this.rebuild(value) as T;
  }

  /** A filter for a stream of bytes: a value may come in two pieces, so the end of each is held back. */
  filter(): { next(chunk: Buffer): Buffer; end(): Buffer } {
    // Latin-1 has a character for every byte, so bytes can be searched as text and come out as they went in.
    const bytes = this.hidden.map(
      ([value, label]) => [Buffer.from(value).toString('latin1'), label] as const,
    );
    const hold = Math.max(0, ...bytes.map(([value]) => value.length - 1));
    let held = '';
    return {
      next: (chunk) => {
        const all = bytes.reduce(
          (text, [value, label]) => text.replaceAll(value, label),
          held + chunk.toString('latin1'),
        );
        const cut = Math.max(0, all.length - hold);
        held = all.slice(cut);
        return Buffer.from(all.slice(0, cut), 'latin1');
      },
      end: () => {
        const rest = Buffer.from(held, 'latin1');
        held = '';
        return rest;
      },
    };
  }

  private rebuild(value: unknown): unknown {
    if (typeof value === 'string') return this.hide(value);
    if (Array.isArray(value)) return value.map((item) => this.rebuild(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [this.hide(key), this.rebuild(child)]),
    );
  }
}
