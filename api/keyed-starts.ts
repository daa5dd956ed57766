/**
 * Starts that carry an `Idempotency-Key`. The run's id is made from the key, so the record of the run is also the record of
 * the key: the same request again finds its run, after a crash too, and another request under the key is refused.
 */
import { isDeepStrictEqual } from 'node:util';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { compileTemplate } from '../src/factory/compile';
import { readRun } from '../src/home';
import { type FactoryRuns, type StartRequest } from './factory-runs';
import { isAway } from './temporal-calls';

/** What a start came to; `fresh`: it is this request that started the run. */
export interface Started {
  readonly run: string;
  readonly warnings: readonly string[];
  readonly fresh: boolean;
}

export class KeyedStarts {
  /** The same key twice at the same time is one after the other. */
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(private readonly runs: FactoryRuns) {}

  /** Start a run, or find the one that this request has started before. */
  async start(id: string, request: StartRequest): Promise<Result<Started, RailyardError>> {
    const run = `key-${id}`;
    const before = this.pending.get(run) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => this.startNow({ ...request, run }, run));
    this.pending.set(run, mine);
    try {
      return await mine;
    } finally {
      if (this.pending.get(run) === mine) this.pending.delete(run);
    }
  }

  private async startNow(request: StartRequest, run: string): Promise<Result<Started, RailyardError>> {
    const compilation = compileTemplate(request.template);
    if (compilation.isErr()) return err(compilation.error);
    const record = readRun(this.runs.home, run);
    if (record.isOk()) {
      const { factoryHash, parameters, startedBy } = record.value;
      const asked = { factoryHash: compilation.value.factoryHash, parameters: request.parameters };
      const same = isDeepStrictEqual({ factoryHash, parameters }, asked) && startedBy === request.startedBy;
      if (!same) return err(reused(run));
    }
    // Also where there is a record: the start may have got no further than that.
    const started = await this.runs.start(request);
    if (started.isOk()) return ok({ ...started.value, fresh: true });
    if (started.error.code === 'RUN_EXISTS') return ok({ run, warnings: [], fresh: false });
    const suggestion = 'Try again with the same Idempotency-Key.';
    return err(isAway(started.error) ? { ...started.error, suggestion } : started.error);
  }
}

const reused = (run: string): RailyardError =>
  problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key has started another run.', {
    suggestion: 'Use a key of its own for each start.',
    details: { run_id: run },
  });
