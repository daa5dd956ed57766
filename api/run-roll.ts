/**
 * The roll of all runs: which there are, in which order, and which of them are over for good. Records are written once and
 * never change, so each is read once; what is over for good is remembered, so nobody asks Temporal for it again.
 */
import { readdir } from 'node:fs/promises';
import { type RunStatus } from '../src/factory/run-state';
import { readRun, type Home } from '../src/home';

/** A run as the roll knows it. */
export interface Entry {
  readonly run: string;
  readonly factory: string;
  readonly startedBy: string;
  readonly createdAt: string;
}

/** States that no run leaves: a failed one can still be retried. */
const FINAL: readonly RunStatus[] = ['completed', 'cancelled'];

/** Is this the last state of a run? */
export const isFinal = (status: string): boolean => FINAL.some((one) => one === status);

export class RunRoll {
  private readonly entries = new Map<string, Entry>();
  private readonly over = new Set<string>();

  constructor(private readonly home: Home) {}

  /** Every run, the newest first; of those that began together, in the order of their names. */
  async all(): Promise<readonly Entry[]> {
    for (const name of await readdir(this.home.path('runs'))) {
      if (this.entries.has(name)) continue;
      const record = readRun(this.home, name);
      if (record.isErr()) continue;
      const { run, factory, startedBy, createdAt } = record.value;
      this.entries.set(name, { run, factory, startedBy, createdAt });
    }
    return [...this.entries.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  }

  /** The runs that may still change, the newest first. */
  async unfinished(): Promise<readonly string[]> {
    return (await this.all()).map(({ run }) => run).filter((run) => !this.over.has(run));
  }

  /** Remember what a run was seen to be. */
  note(run: string, status: string): void {
    if (isFinal(status)) this.over.add(run);
  }
}

/** Where a run stands in the roll, as a text that sorts. */
export const placeOf = ({ createdAt, run }: Entry): string => `${createdAt} ${run}`;
