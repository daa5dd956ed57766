/**
 * The histories that changes to the workflow code must still replay: small runs through every path, as Temporal kept
 * them. `RECORD_HISTORIES=1 npx jest test/workflows/replay` records those that are missing: when a path is added, or when
 * a file was deleted because no open run can have such a history. One that no longer replays is not to be recorded anew:
 * the change would break open runs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATE_SCENARIOS } from './gate-scenarios';
import { RUN_SCENARIOS } from './run-scenarios';
import { TICK_SCENARIOS } from './tick-scenarios';
import { type Scenarios } from './scenario';
import { TRIGGER_SCENARIOS } from './trigger-scenarios';

export const SCENARIOS: Scenarios = {
  ...RUN_SCENARIOS,
  ...GATE_SCENARIOS,
  ...TRIGGER_SCENARIOS,
  ...TICK_SCENARIOS,
};

/** Where the histories are. */
export const FOLDER = __dirname;

/** A history in Temporal's JSON. */
export interface StoredHistory {
  readonly events: readonly StoredEvent[];
}

/** The type, and under another name for each type what else there is. */
export interface StoredEvent {
  readonly eventType: string;
}

/** The name of one execution's history: further executions of the same run are numbered from 2. */
export const historyName = (scenario: string, execution: number): string =>
  execution === 0 ? scenario : `${scenario}-${execution + 1}`;

/** The names of the histories there should be, each with the events it should show. */
export const EXPECTED = Object.entries(SCENARIOS).flatMap(([scenario, { shows }]) =>
  shows.map((events, execution) => ({ name: historyName(scenario, execution), events })),
);

/** The names of the histories there are. */
export const storedNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));

/** The text of a history. */
export const historyText = (name: string): string => readFileSync(join(FOLDER, `${name}.json`), 'utf8');

/** A history, a copy of its own for every caller. */
export const readHistory = (name: string): StoredHistory => JSON.parse(historyText(name)) as StoredHistory;
