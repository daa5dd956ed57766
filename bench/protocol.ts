/**
 * `protocol`: the tools of agents through a real client over stdio. The floor of what writes is the three syncs that the locks
 * prescribe, by hand, and the client's empty round trip (`ping`), taken in turn with it; of what reads, the round trip alone.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type Step } from '../scripts/agent-client';
import { FsyncFloor } from './fsync';
import { latency, timed, type Line } from './report';

const WORKFLOW = 'user.rounds';
/** Steps of the workflow that is walked: rounds of four. */
const ROUNDS = 320;
const LENGTHS = [10, 200, 1_000];
const SAMPLES = 60;
const WARM_UP = 5;
const SESSIONS = 100;
/** As long as notes are: 25 lines. */
const NOTES = 'What was done in this step, with a path such as src/export/split.ts:18.\n'.repeat(25);

export async function* protocolBench(note: (text: string) => void): AsyncGenerator<Line> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-bench-protocol-'));
  await keepWorkflow(home);
  const fsync = await FsyncFloor.open(join(home, 'floor'));
  const agent = await Agent.stdio(home);
  const bench = new Bench(agent, fsync);
  try {
    note(`protocol: ${SAMPLES} starts`);
    yield await bench.writes('start', () => bench.start());
    note(`protocol: ${SAMPLES} advances each at ${LENGTHS.join(', ')} steps`);
    let step = await bench.start();
    let done = 0;
    for (const length of LENGTHS) {
      for (; done < length; done += 1) step = await bench.advance(step);
      yield await bench.writes(`advance at ${length}`, async () => {
        step = await bench.advance(step);
        done += 1;
      });
      yield await bench.reads(`rehydrate at ${length}`, () => bench.rehydrate(step));
    }
    note(`protocol: resume over ${SESSIONS} sessions`);
    yield* await resumes(note);
  } finally {
    await agent.close();
    await fsync.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** A resume in a server that has seen the sessions, and the first one in a server that has not. */
async function resumes(note: (text: string) => void): Promise<Line[]> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-bench-resume-'));
  await keepWorkflow(home);
  const fsync = await FsyncFloor.open(join(home, 'floor'));
  try {
    const maker = new Bench(await Agent.stdio(home), fsync);
    for (let n = 0; n < SESSIONS; n += 1) await maker.advance(await maker.start());
    const resume = async (by: Agent): Promise<void> => {
      const { candidates, totalEligible } = await by.call('resume_session', { query: 'split.ts' });
      if (candidates.length === 0 || totalEligible !== SESSIONS)
        throw new Error('A resume found too little.');
    };
    const known = await maker.reads(`resume over ${SESSIONS}`, () => resume(maker.agent));
    await maker.agent.close();
    note('protocol: the same in servers that begin');
    const [times, floors]: [number[], number[]] = [[], []];
    for (let n = 0; n < 5; n += 1) {
      const fresh = await Agent.stdio(home);
      floors.push(await timed(() => fresh.client.ping()));
      times.push(await timed(() => resume(fresh)));
      await fresh.close();
    }
    return [known, latency('protocol', `resume over ${SESSIONS}, first`, times, floors)];
  } finally {
    await fsync.close();
    await rm(home, { recursive: true, force: true });
  }
}

class Bench {
  constructor(
    readonly agent: Agent,
    private readonly fsync: FsyncFloor,
  ) {}

  start(): Promise<Step> {
    return this.agent.call('start_workflow', { workflowId: WORKFLOW });
  }

  async advance({ stateToken, ackToken }: Step): Promise<Step> {
    const output = { notesMarkdown: NOTES };
    const next = await this.agent.call('continue_workflow', { stateToken, ackToken, output });
    if (next.kind !== 'ok' || next.pending === null) throw new Error(`An advance was ${next.kind}.`);
    return next;
  }

  async rehydrate({ stateToken }: Step): Promise<void> {
    await this.agent.call('continue_workflow', { stateToken });
  }

  writes(name: string, work: () => Promise<unknown>): Promise<Line> {
    return this.measure(name, work, async () => {
      await this.fsync.append();
      await this.agent.client.ping();
    });
  }

  reads(name: string, work: () => Promise<unknown>): Promise<Line> {
    return this.measure(name, work, () => this.agent.client.ping());
  }

  private async measure(
    name: string,
    work: () => Promise<unknown>,
    floor: () => Promise<unknown>,
  ): Promise<Line> {
    const [times, floors]: [number[], number[]] = [[], []];
    for (let n = -WARM_UP; n < SAMPLES; n += 1) {
      const [took, floorTook] = [await timed(work), await timed(floor)];
      if (n < 0) continue;
      times.push(took);
      floors.push(floorTook);
    }
    return latency('protocol', name, times, floors);
  }
}

/** A workflow as long as the longest walk, among the user's. */
async function keepWorkflow(home: string): Promise<void> {
  const step = (id: string): object => ({
    ...{ id, title: `Do ${id}`, prompt: `Do what ${id} asks for, and write down what came of it.` },
    validationCriteria: {
      and: [
        { type: 'regex', pattern: '[\\w./-]+\\.\\w+:\\d+', message: 'Cite file:line.' },
        { type: 'length', min: 200, message: 'Enough to go on from.' },
      ],
    },
  });
  const workflow = {
    ...{ id: WORKFLOW, name: 'Rounds' },
    conditions: [{ id: 'always', kind: 'always_true' }],
    steps: [
      {
        ...{ type: 'loop', loopId: 'rounds', maxIterations: ROUNDS },
        while: { kind: 'condition_ref', conditionId: 'always' },
        body: ['one', 'two', 'three', 'four'].map(step),
      },
    ],
  };
  await mkdir(join(home, 'workflows'), { recursive: true });
  await writeFile(join(home, 'workflows', 'rounds.json'), JSON.stringify(workflow));
}
