/** Part of `npm run build`: bundles the workflow code into dist. */
import { buildBundle } from '../worker/bundle';

buildBundle().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
