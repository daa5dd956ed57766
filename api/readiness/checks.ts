/** What the service needs, beside itself. */
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { hasCode } from '../../src/errno';
import { type Home } from '../../src/home';
import { type FactoryRuns } from '../factory-runs';
import { type Check } from './readiness';

/** Temporal answers and has our namespace. */
export function temporalAnswers(runs: FactoryRuns): Check {
  return {
    part: 'temporal',
    look: async () => ((await runs.reachTemporal()).isOk() ? null : 'it does not answer'),
  };
}

/** The data directory takes what is written to it, and has room for more. */
export function dataIsWritable(home: Home, minFreeBytes: number): Check {
  const probe = home.path(`ready-${process.pid}.tmp`);
  return {
    part: 'data',
    look: async () => {
      try {
        await writeFile(probe, 'ready\n');
        await unlink(probe);
        const { bavail, bsize } = await statfs(home.root);
        return bavail * bsize < minFreeBytes ? 'the disk is full' : null;
      } catch (error) {
        return hasCode(error, 'ENOSPC', 'EDQUOT') ? 'the disk is full' : 'it cannot be written to';
      }
    },
  };
}
