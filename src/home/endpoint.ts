import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from './atomic-file';
import { type Home } from './home';
import { parseJson } from './parse-json';

const Endpoint = z.object({ url: z.string() });

/** Where the service of a data directory listens. */
export type Endpoint = z.infer<typeof Endpoint>;

/** Tell the commands on this machine where the service listens. */
export async function announce(home: Home, endpoint: Endpoint): Promise<void> {
  await writeAtomic(home.path('endpoint.json'), JSON.stringify(endpoint));
}

/** The service has ended. */
export async function withdraw(home: Home): Promise<void> {
  await rm(home.path('endpoint.json'), { force: true });
}

/** What a command needs to call the service of a data directory; null where none was ever there. */
export async function readEndpoint(root: string): Promise<{ url: string; key: string } | null> {
  try {
    const endpoint = Endpoint.safeParse(parseJson(await readFile(join(root, 'endpoint.json'), 'utf8')));
    const key = await readFile(join(root, 'key'), 'utf8');
    return endpoint.success ? { url: endpoint.data.url, key: key.trim() } : null;
  } catch {
    return null;
  }
}
