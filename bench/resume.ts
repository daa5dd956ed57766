/** Which of 1,000 sessions somebody most likely means, against reading and parsing the same files by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkrailStore, type WorkrailStore } from '../src/workrail/local';
import { rankForResume, sessionView, summarise, type Resumable } from '../src/workrail/projections';
import { fill } from './filled';
import { latency, timed, type Line } from './report';
import { unwrap } from './store-plans';

const SESSIONS = 1_000;
const EVENTS_A_SESSION = 20;
const ROUNDS = 5;

export async function* resumeLines(root: string, note: (text: string) => void): AsyncGenerator<Line> {
  note(`store: a resume over ${SESSIONS} sessions of ${EVENTS_A_SESSION} events`);
  for (let n = 0; n < SESSIONS; n += 1) await fill(root, EVENTS_A_SESSION);
  const known = unwrap(await openWorkrailStore({ root }));
  await resume(known);
  const [floor, cold, warm]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < ROUNDS; n += 1) {
    floor.push(await timed(() => Promise.resolve(eventsByHand(root))));
    cold.push(await timed(async () => resume(unwrap(await openWorkrailStore({ root })))));
    warm.push(await timed(() => resume(known)));
  }
  yield latency('store', 'resume over 1,000, cold', cold, floor);
  yield latency('store', 'resume over 1,000, known', warm, floor);
}

async function resume({ sessions }: WorkrailStore): Promise<void> {
  const runs: Resumable[] = [];
  for (const sessionId of unwrap(await sessions.list())) {
    const session = unwrap(await sessions.load(sessionId));
    // No snapshot is needed to rank: the status plays no part in it.
    const summary = summarise(session.project(sessionView), () => undefined);
    for (const { runId, tipNodeId, lastActivity, recap, workflowId } of summary?.runs ?? []) {
      if (tipNodeId === null || lastActivity === null || workflowId === null) continue;
      const found = { gitHeadSha: summary?.gitHeadSha ?? null, gitBranch: summary?.gitBranch ?? null };
      const run = { sessionId, runId, tipNodeId, lastActivity, recap, workflowId, workflowName: null };
      runs.push({ ...run, ...found });
    }
  }
  const best = rankForResume({ text: 'finished filled_19' }, runs);
  if (runs.length !== SESSIONS || best[0]?.whyMatched[0] !== 'matched_notes')
    throw new Error(`Of ${runs.length} runs none was found by its notes.`);
}

/** Every event of every session, without a question asked; their number. */
function eventsByHand(root: string): number {
  let events = 0;
  for (const session of readdirSync(join(root, 'sessions'))) {
    const folder = join(root, 'sessions', session, 'events');
    for (const name of readdirSync(folder)) {
      for (const line of readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')) {
        JSON.parse(line);
        events += 1;
      }
    }
  }
  if (events !== SESSIONS * EVENTS_A_SESSION) throw new Error(`There are ${events} events by hand.`);
  return events;
}
