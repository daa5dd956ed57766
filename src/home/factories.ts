/** Compiled factories in the data directory, by hash: runs go on with the one they started with. */
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, sha256Digest } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { type CompiledFactory } from '../factory/compile';
import { writeOnce } from './atomic-file';
import { type Home } from './home';
import { readJson } from './parse-json';

export class FactoryShelf {
  /** Every attempt of every run asks for its factory; they never change, so they are read once. */
  private readonly known = new Map<string, CompiledFactory>();

  constructor(private readonly home: Home) {}

  async save(hash: string, compiled: CompiledFactory): Promise<void> {
    if (this.known.has(hash)) return;
    const text = canonicalJson(compiled);
    if (text.isErr()) throw new Error(`Bug: a compiled factory is not JSON: ${text.error.reason}`);
    await writeOnce(this.path(hash), text.value);
    this.known.set(hash, compiled);
  }

  read(hash: string): Result<CompiledFactory, RailyardError> {
    const known = this.known.get(hash);
    if (known) return ok(known);
    const value = readJson(this.path(hash));
    const text = canonicalJson(value);
    if (text.isErr() || sha256Digest(text.value) !== hash) {
      const message = `The compiled factory ${hash} is ${value === undefined ? 'not in' : 'damaged in'} the data directory.`;
      return err(
        problem('INTERNAL', message, { suggestion: 'Start the run again, or restore the data directory.' }),
      );
    }
    // Its digest is the one it was saved under, so it is what the compiler made.
    const compiled = value as CompiledFactory;
    this.known.set(hash, compiled);
    return ok(compiled);
  }

  private path(hash: string): string {
    return this.home.path('factories', `${hash.replace('sha256:', '')}.json`);
  }
}
