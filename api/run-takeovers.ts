/** How runs get another driver: taken over from the store, or fenced off before they go on elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { findMissingSkills } from '../activities';
import { problem, type RailyardError } from '../src/errors';
import { type Answer } from '../src/factory/walk';
import { forgetMoved, type Home } from '../src/home';
import { type RunLedger } from '../src/ledger';
import { fenceRun, putArtifacts } from '../src/moving';
import { BELL } from '../workflows/messages';
import { type RunLives } from './run-lives';
import { type KnownRun, type RunReader } from './run-reader';
import { callTemporal } from './temporal-calls';

/** How long a workflow whose run was taken from it may take to end its skills, and how often that is looked at. */
const SUPERSEDED_END_MS = 15_000;
const SUPERSEDED_LOOK_MS = 100;

/** What a takeover works with. */
interface Ground {
  readonly home: Home;
  readonly client: Client;
  readonly ledger: RunLedger;
  readonly skillDirs: readonly string[];
  readonly lives: RunLives;
  readonly reader: RunReader;
  claim(run: string, workspace: string): Promise<Result<string, RailyardError>>;
}

/** Who drives a run from here on. */
interface Driver {
  readonly epoch: number;
  readonly startedAt: number;
}

export class RunTakeovers {
  constructor(private readonly ground: Ground) {}

  /**
   * Drive a run from where it stands in the store: a new epoch first, and then a workflow of it, by `start`. What is left of an earlier
   * one under this id is of an older epoch by then: it is ended, and could write nothing any more anyway.
   */
  async takeOver(
    known: KnownRun,
    by: string,
    start: (driver: Driver) => Promise<Result<unknown, RailyardError>>,
  ): Promise<Result<Answer, RailyardError>> {
    const { ledger, home, lives } = this.ground;
    const { record } = known;
    const { run } = record;
    if (lives.starting.has(run)) return err(runExists(run));
    lives.starting.add(run);
    try {
      const ready = await this.readyToGoOn(known);
      if (ready.isErr()) return err(ready.error);
      // It stood still on its way here, and nobody could decide.
      const restartDeadlines = record.imported?.epoch === ready.value.epoch;
      const taken = await ledger.takeOver(run, { workflowId: run, by, restartDeadlines });
      if (taken.isErr()) return err(taken.error);
      const started = await start(taken.value);
      if (started.isErr()) return err(started.error);
      await forgetMoved(home, run);
      return (await ledger.standing(run)).map(({ state }) => ({
        kind: 'run',
        status: state.status,
        changed: true,
      }));
    } finally {
      lives.starting.delete(run);
      lives.forget(run);
    }
  }

  /** What a run needs here before somebody goes on with it: that it is not over, its workspace, its skills, its artifacts. */
  private async readyToGoOn({
    record,
    compiled,
  }: KnownRun): Promise<Result<{ readonly epoch: number }, RailyardError>> {
    const { client, home, ledger, skillDirs } = this.ground;
    const { run } = record;
    const standing = await ledger.standing(run);
    if (standing.isErr()) return err(standing.error);
    const { state, epoch } = standing.value;
    if (state.status === 'cancelled' || (state.status === 'completed' && (await this.isOver(run)))) {
      return err(problem('RUN_ENDED', `The run "${run}" is ${state.status}.`));
    }
    const open = compiled.blocks.filter(({ id }) => state.blocks[id]?.status !== 'done');
    const missing = await findMissingSkills(
      open.map(({ skill }) => skill),
      skillDirs,
    );
    if (missing.length > 0) return err(skillsMissing(missing));
    const there = await callTemporal(client, run, () => client.workflowService.getSystemInfo({}));
    if (there.isErr()) return err(there.error);
    const claimed = await this.ground.claim(run, record.workspace);
    if (claimed.isErr()) return err(claimed.error);
    const put = await putArtifacts(home, record.shownWorkspace ?? record.workspace, state);
    return put.map(() => ({ epoch }));
  }

  /** A completed run is over when what it leaves to the next one is written down. */
  private async isOver(run: string): Promise<boolean> {
    const seen = await this.ground.reader.read(run);
    return seen.isOk() && seen.value.status === 'completed';
  }

  /** Take a run from its workflow, before it goes on elsewhere, and see the workflow end. */
  async fence(
    run: string,
    by: string,
  ): Promise<Result<{ readonly epoch: number; readonly fenced: boolean }, RailyardError>> {
    const fenced = await fenceRun(this.ground.ledger, run, by);
    if (fenced.isErr() || !fenced.value.fenced) return fenced;
    const ended = await this.endSuperseded(run);
    return ended.map(() => fenced.value);
  }

  /** A workflow that hears of its successor ends its skills and itself; one that does not hear is terminated. */
  private async endSuperseded(run: string): Promise<Result<void, RailyardError>> {
    const { client } = this.ground;
    const handle = client.workflow.getHandle(run);
    const rung = await callTemporal(client, run, () => handle.signal(BELL));
    for (let waited = 0; rung.isOk() && waited < SUPERSEDED_END_MS; waited += SUPERSEDED_LOOK_MS) {
      if ((await this.ground.lives.of(run)) === 'closed') break;
      await sleep(SUPERSEDED_LOOK_MS);
    }
    this.ground.lives.forget(run);
    if ((await this.ground.lives.of(run)) === 'closed') return ok();
    const ended = await callTemporal(client, run, () => handle.terminate('The run goes on elsewhere'));
    return ended.map(() => undefined);
  }
}

/** Blocks whose skills are not on this machine. */
export const skillsMissing = (missing: readonly string[]): RailyardError => {
  const message = `There is no program for the skill${missing.length > 1 ? 's' : ''} ${missing.join(', ')}.`;
  return problem('SKILL_NOT_FOUND', message, { details: { missing } });
};

/** The id of a run is taken. */
export const runExists = (run: string): RailyardError =>
  problem('RUN_EXISTS', `There is a run "${run}" already.`);
