import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { isMissing } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { parseJson } from '../../home';
import { SessionId } from '../model';
import { type KeepList } from '../ports';

const NAME = 'retention.json';
const KeepFile = z.strictObject({ version: z.literal(1), keep: z.array(SessionId) });

/** The file `retention.json` of a store: `{"version": 1, "keep": ["<session>", …]}`. No file: nothing is kept. */
export class KeepListFile implements KeepList {
  constructor(private readonly root: string) {}

  read(): Promise<Result<ReadonlySet<SessionId>, RailyardError>> {
    return Promise.resolve(this.#read());
  }

  #read(): Result<ReadonlySet<SessionId>, RailyardError> {
    let text: string;
    try {
      text = readFileSync(join(this.root, NAME), 'utf8');
    } catch (error) {
      if (isMissing(error)) return ok(new Set());
      const why = error instanceof Error ? error.message : String(error);
      return err(problem('STORE_IO', `${NAME} cannot be read: ${why}.`));
    }
    const parsed = KeepFile.safeParse(parseJson(text));
    if (parsed.success) return ok(new Set(parsed.data.keep));
    const [issue] = parsed.error.issues;
    const where = issue?.path.length ? `"${issue.path.join('.')}": ` : '';
    return err(
      problem('CONFIG_INVALID', `${NAME} cannot be used: ${where}${issue?.message ?? 'not JSON'}.`, {
        suggestion: 'Write it as {"version": 1, "keep": ["<session>", …]}, or remove it.',
      }),
    );
  }
}
