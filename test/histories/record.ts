/** Plays scenarios and stores their histories, with nothing in them of the machine that recorded them. */
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Yard } from '../yard/yard';
import { FOLDER, historyName, SCENARIOS, storedNames } from '.';
import { neutral } from './neutral';
import { PlayedRun } from './played-run';

/** Record every scenario of which a history is missing. Those that are there are what later code has to replay. */
export async function recordHistories(): Promise<void> {
  const there = storedNames();
  const yard = await Yard.open();
  try {
    const places = {
      [yard.home.store]: 'store',
      [yard.home.root]: '/data',
      [`${process.pid}@${hostname()}`]: 'worker@host',
    };
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      if (scenario.shows.every((_, execution) => there.includes(historyName(name, execution)))) continue;
      const run = new PlayedRun(yard, name);
      await scenario.play(run);
      const histories = await executionsOf(yard.client, scenario.workflow?.(run) ?? name);
      for (const [execution, history] of histories.entries()) {
        const text = JSON.stringify(neutral(JSON.parse(history), places), null, 1);
        await writeFile(join(FOLDER, `${historyName(name, execution)}.json`), `${text}\n`);
      }
    }
  } finally {
    await yard.close();
  }
}

/** The histories of a run's executions, the first one first, as Temporal's JSON. */
async function executionsOf(client: Client, run: string): Promise<readonly string[]> {
  const { raw } = await client.workflow.getHandle(run).describe();
  const found: string[] = [];
  let execution = raw.workflowExecutionInfo?.firstRunId;
  while (execution) {
    const history = await client.workflow.getHandle(run, execution).fetchHistory();
    found.push(historyToJSON(history));
    const last = history.events?.at(-1);
    execution = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return found;
}
