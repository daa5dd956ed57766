/** One run, as a feed watches it. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type RunReader } from '../run-reader';
import { type RunView } from '../run-view';
import { changesBetween, type RunChange } from './difference';
import { type FeedEvent } from './event-log';
import { type Source } from './feed';

const OVER: readonly RunView['status'][] = ['completed', 'failed', 'cancelled'];

export class RunSource implements Source {
  private view: RunView | null = null;
  private revision: string | null = null;

  constructor(
    private readonly runs: Pick<RunReader, 'read' | 'revision'>,
    private readonly run: string,
  ) {}

  async look(): Promise<Result<readonly RunChange[], RailyardError>> {
    // Asked for first: what happens between the two questions is found by the next look.
    const revision = await this.runs.revision(this.run);
    if (this.view && revision.isOk() && revision.value === this.revision) return ok([]);
    const read = await this.runs.read(this.run);
    if (read.isErr()) return err(read.error);
    const changes = this.view ? changesBetween(this.view, read.value) : [];
    this.view = read.value;
    this.revision = revision.unwrapOr(null);
    return ok(changes);
  }

  snapshot(): FeedEvent {
    return { type: 'snapshot', data: this.view };
  }

  ending(): { id: string; event: FeedEvent } | null {
    if (!this.view || !OVER.includes(this.view.status)) return null;
    const { run_id, status, ended_at } = this.view;
    return {
      id: `over-${status}-${ended_at ?? ''}`,
      event: { type: 'end', data: { run_id, status, ended_at } },
    };
  }
}
