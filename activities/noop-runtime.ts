/** A runtime that does nothing, in no process: what is left is the cost of everything around a skill. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIRECTORY } from '../src/sandbox';
import { type SkillRuntime } from './skill-runtime';

const CONTENT = '{"noop":true}\n';
const METRIC = 100;

/** Writes each declared artifact, reports each declared metric as 100. For benchmarks. */
export function createNoopRuntime(): SkillRuntime {
  return {
    name: 'noop',
    run: ({ request }, signal) => {
      if (signal.aborted) {
        return Promise.resolve({ kind: 'cancelled', error: 'The no-op was cancelled before it started.' });
      }
      for (const { path, format } of request.outputs) {
        const file = format === DIRECTORY ? join(path, 'noop.json') : path;
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, CONTENT);
      }
      const metrics = Object.fromEntries(request.metrics.map(({ key }) => [key, METRIC]));
      return Promise.resolve({ kind: 'finished', result: { metrics, notes: '', records: [] } });
    },
  };
}
