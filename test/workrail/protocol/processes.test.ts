import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type StepOutput, TOOLS } from '../../../src/workrail/protocol';
import { temporary } from '../../sandbox/places';
import { counted, loop, step, workflow } from '../compiler/workflows';
import { desk, eventsOfKind, unwrap } from './protocols';

const STEPPER = join(__dirname, 'stepper.cjs');
const PROCESSES = 4;
const SESSIONS_EACH = 4;
const ADVANCES = 50;

const LONG = workflow([loop('many', [step('work')], { maxIterations: ADVANCES + 10 })], {
  conditions: [counted('many')],
});

/** What a process said, a line each. */
async function stepper(root: string): Promise<string[]> {
  const given = [root, JSON.stringify(LONG), String(SESSIONS_EACH), String(ADVANCES)];
  const child = spawn(process.execPath, [STEPPER, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  await once(child, 'close');
  return said.trim().split('\n');
}

describe('four processes with four sessions each', () => {
  it('of one workflow make fifty advances in every one of them, and no call fails', async () => {
    const root = temporary();
    const lines = (await Promise.all(Array.from({ length: PROCESSES }, () => stepper(root)))).flat();
    expect(lines.filter((line) => !line.startsWith('end '))).toEqual([]);
    expect(lines).toHaveLength(PROCESSES * SESSIONS_EACH);
    const at = await desk([LONG], root);
    const check = unwrap(await at.store.checkStore());
    expect(check.sessions.filter(({ health }) => health !== 'healthy')).toEqual([]);
    for (const line of lines) {
      const said: unknown = JSON.parse(line.slice('end '.length));
      const answer: StepOutput = TOOLS.continue_workflow.output.parse(said);
      expect(await eventsOfKind(at, answer, 'advance_recorded')).toHaveLength(ADVANCES);
      // A fifth process serves the tokens of the others.
      const again = await at.agent.read(answer);
      expect(again.label).toBe(answer.label);
      expect((await at.agent.next(answer)).kind).toBe('ok');
    }
    expect(new Set(check.sessions.map(({ sessionId }) => sessionId)).size).toBe(lines.length);
  });
});
