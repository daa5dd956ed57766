/** The workflow code against histories of earlier versions: runs that were started with one must go on with the next. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { findBundle } from '../../worker/bundle';
import { EXPECTED, historyText, readHistory, storedNames } from '../histories';
import { decoded, encoded, plainText } from '../histories/neutral';
import { recordHistories } from '../histories/record';

/** Recording plays every scenario; a replay is done in no time. */
const PATIENCE_MS = 300_000;

beforeAll(async () => {
  if (process.env.RECORD_HISTORIES === '1') await recordHistories();
}, PATIENCE_MS);

/** Replay histories, by name, with the workflow code of today; answers with what was wrong with each, or null. */
async function replay(
  histories: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, Error | null>> {
  // What the SDK says about a history that it refuses is in the error too. The runtime ends with its only worker.
  const logger = new DefaultLogger('ERROR', () => undefined);
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const codePath = (await findBundle())._unsafeUnwrap();
  const named = Object.entries(histories).map(([workflowId, history]) => ({
    workflowId,
    history: historyFromJSON(history),
  }));
  const faults = new Map<string, Error | null>();
  for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, named)) {
    faults.set(result.workflowId, result.error ?? null);
  }
  return faults;
}

describe('the stored histories', () => {
  it('are those of every scenario, and no others', () => {
    expect([...storedNames()].sort()).toEqual(EXPECTED.map(({ name }) => name).sort());
  });

  it.each(EXPECTED)('show in $name the path it is named for', ({ name, events }) => {
    const counts: Record<string, number> = {};
    for (const { eventType } of readHistory(name).events) {
      const type = eventType.replace('EVENT_TYPE_', '');
      counts[type] = (counts[type] ?? 0) + 1;
    }
    expect(counts).toMatchObject(events);
  });

  it('tell nothing of the machine that recorded them', () => {
    const text = storedNames().map(historyText).map(plainText).join('\n');
    const places = text.match(/(?<![\w.:/-])\/[\w.-]+\//g) ?? [];
    expect([...new Set(places)]).toEqual(['/data/']);
    const who = text.match(/"identity": "[^"]*"/g) ?? [];
    // Temporal itself, which speaks for a schedule and hands on what a child says.
    const server = /"(history-service|temporal-scheduler-default-railyard-store-tick-\w+\.1)"$/;
    expect([...new Set(who.filter((one) => !server.test(one)))]).toEqual(['"identity": "worker@host"']);
  });
});

describe('the workflow code', () => {
  let faults: ReadonlyMap<string, Error | null>;
  beforeAll(async () => {
    faults = await replay(Object.fromEntries(storedNames().map((name) => [name, readHistory(name)])));
  });

  it.each(EXPECTED)('replays $name', ({ name }) => {
    expect(faults.get(name)).toBeNull();
  });

  // Else the tests above could not fail.
  it('refuses a history with an activity that it does not start', async () => {
    const history = historyText('plain').replace('"name": "runAttempt"', '"name": "runBlock"');
    const refused = await replay({ tampered: JSON.parse(history) });
    expect(refused.get('tampered')).toBeInstanceOf(DeterminismViolationError);
  });

  it('refuses a history of another walk over the same blocks', async () => {
    // Where one block may run at a time, two were started together.
    const history = historyText('group').replace(/"data": "([^"]*)"/g, (_all, data: string) => {
      const input = decoded(data).replace('"maxConcurrent":2', '"maxConcurrent":1');
      return `"data": "${encoded(input)}"`;
    });
    const refused = await replay({ tampered: JSON.parse(history) });
    expect(refused.get('tampered')).toBeInstanceOf(DeterminismViolationError);
  });
});
