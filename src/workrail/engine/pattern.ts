/** Patterns of validation criteria, matched in time linear in the text: no pattern an author writes can hang a run. */
import { err, ok, type Result } from 'neverthrow';
import { RE2JS } from 're2js';

/** Longer patterns are programs, not checks. */
export const MAX_PATTERN_LENGTH = 512;

/** Whether a text has a match somewhere. */
export type Pattern = (text: string) => boolean;

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Patterns are of whole characters anyway.
  u: 0,
};

/** A pattern, or why there is none: RE2's syntax, so no lookaround and no references back. */
export function compilePattern(source: string, flags = ''): Result<Pattern, string> {
  if (source.length > MAX_PATTERN_LENGTH) {
    return err(`the pattern has ${source.length} characters; at most ${MAX_PATTERN_LENGTH} are possible`);
  }
  try {
    const bits = Array.from(flags).reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0);
    const compiled = RE2JS.compile(source, bits);
    return ok((text) => compiled.matcher(text).find());
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
