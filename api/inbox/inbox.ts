/** What waits for people, over all runs. Reading it changes nothing. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { ArtifactShelf } from '../artifacts';
import { type FactoryRuns } from '../factory-runs';
import { inParallel } from '../in-parallel';
import { type RunRoll } from '../run-roll';
import { type BlockView, type GateView, type RunView } from '../run-view';
import { waitingGate, type WaitingGate } from './waiting-gate';

/** Runs that are read at the same time. */
const READERS = 16;

/** What is asked of the inbox. */
export interface InboxQuery {
  /** Null: whoever it waits for. */
  readonly role: string | null;
  readonly run: string | null;
  readonly overdue: boolean | null;
  readonly limit: number;
  /** The place after which the page begins. */
  readonly after: string | null;
}

export interface InboxPage {
  readonly gates: readonly WaitingGate[];
  /** How many wait, on all pages. */
  readonly total: number;
  readonly next: string | null;
  /** Runs whose gates are not known, since they cannot be read. */
  readonly unread: readonly string[];
}

interface Waiting {
  readonly view: RunView;
  readonly gate: GateView;
  readonly block: BlockView;
  /** Orders the inbox, the longest wait first, and names a place in it. */
  readonly place: string;
}

export class Inbox {
  private readonly shelf: ArtifactShelf;

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
  ) {
    this.shelf = new ArtifactShelf(runs.home);
  }

  /** A page of the inbox. */
  async page({ role, run, overdue, limit, after }: InboxQuery): Promise<Result<InboxPage, RailyardError>> {
    const names = (await this.roll.unfinished()).filter((name) => run === null || name === run);
    const views = await inParallel(names, READERS, (name) => this.read(name));
    const unread: string[] = [];
    const waiting: Waiting[] = [];
    for (const [index, view] of views.entries()) {
      if (view.isErr()) unread.push(names[index] ?? '');
      else waiting.push(...openGates(view.value));
    }
    const asked = waiting
      .filter(({ gate }) => role === null || gate.approvers.length === 0 || gate.approvers.includes(role))
      .filter(({ gate }) => overdue === null || gate.overdue === overdue)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const rest = asked.filter(({ place }) => after === null || place > after);
    const page = rest.slice(0, limit);
    return ok({
      gates: await Promise.all(
        page.map(({ view, gate, block }) => waitingGate(this.shelf, view, gate, block)),
      ),
      total: asked.length,
      next: rest.length > limit ? (page.at(-1)?.place ?? null) : null,
      unread,
    });
  }

  /** The gate of a block with its evidence: the one that is open, else the one that was open last. */
  async evidence(run: string, block: string): Promise<Result<WaitingGate, RailyardError>> {
    const read = await this.runs.read(run);
    if (read.isErr()) return err(read.error);
    const view = read.value;
    const known = view.blocks.find(({ id }) => id === block);
    if (!known) return err(problem('BLOCK_NOT_FOUND', `The run "${run}" has no block "${block}".`));
    const openings = view.gates.filter((gate) => gate.block === block);
    const gate = openings.find(({ outcome }) => outcome === null) ?? openings.at(-1);
    if (!gate) return err(problem('GATE_NOT_FOUND', `No gate of "${block}" has been open yet.`));
    return ok(await waitingGate(this.shelf, view, gate, known));
  }

  private async read(run: string): Promise<Result<RunView, RailyardError>> {
    const view = await this.runs.read(run);
    if (view.isOk()) this.roll.note(run, view.value.status);
    return view;
  }
}

function openGates(view: RunView): Waiting[] {
  const blocks = new Map(view.blocks.map((block) => [block.id, block]));
  return view.gates.flatMap((gate) => {
    const block = blocks.get(gate.block);
    if (gate.outcome !== null || !block) return [];
    return [{ view, gate, block, place: `${gate.opened_at} ${view.run_id} ${gate.block} ${gate.gate}` }];
  });
}
