import { type PlayedRun } from './played-run';

/** One path through the workflow. */
export interface Scenario {
  /** Play a run to where its history is taken. */
  play(run: PlayedRun): Promise<unknown>;
  /** The workflow whose history it is, where that is not the run itself. */
  readonly workflow?: (run: PlayedRun) => string;
  /** For each execution of the run, how many events of some types its history has: what the path leaves behind. */
  readonly shows: readonly Readonly<Record<string, number>>[];
}

/** Scenarios by their names. */
export type Scenarios = Readonly<Record<string, Scenario>>;
