/** The tools of agents on the data directory, for commands. */
import { err, ok, type Result } from 'neverthrow';
import { openTools, type McpOptions, type ToolsOptions } from '../api/mcp';
import { type RailyardError } from '../src/errors';
import { homeRoot, openHome } from '../src/home';

/** Open the tools and do something with them. */
export async function withTools<T>(
  options: ToolsOptions,
  work: (tools: McpOptions) => Promise<T>,
): Promise<Result<T, RailyardError>> {
  const home = await openHome(homeRoot(process.env));
  if (home.isErr()) return err(home.error);
  const tools = await openTools(home.value, options);
  return tools.isErr() ? err(tools.error) : ok(await work(tools.value));
}
