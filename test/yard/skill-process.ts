import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../cli/railyard';

/** The process that performs the first attempt of a block, once there is one. */
export async function skillPid(root: string, run: string, block: string): Promise<number> {
  const path = join(root, 'runs', run, 'attempts', `${block}.1`, 'process.json');
  let pid = 0;
  await until(async () => {
    const text = await readFile(path, 'utf8').catch(() => '{}');
    pid = (JSON.parse(text) as { pid?: number }).pid ?? 0;
    return pid > 0;
  });
  return pid;
}
