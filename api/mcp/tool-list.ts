/** The tools as MCP lists them, made from the one table. */
import { type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { TOOLS, type Tool, type ToolName } from '../../src/workrail/protocol';

/** The tools with their schemas. */
export const TOOL_LIST: readonly McpTool[] = Object.entries(TOOLS).map(([name, tool]) => mcpTool(name, tool));

/** Is it one of them? */
export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

function mcpTool(name: string, { title, description, input, output, hints }: Tool): McpTool {
  const { readOnly, idempotent, destructive } = hints;
  return {
    ...{ name, title, description },
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
    annotations: {
      ...{ title, readOnlyHint: readOnly, idempotentHint: idempotent, destructiveHint: destructive },
      // Nothing outside of the data directory is touched.
      openWorldHint: false,
    },
  };
}

/** JSON Schema 2020-12, which is what MCP takes a schema without `$schema` for. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): McpTool['inputSchema'] {
  const { $schema: _version, ...made } = z.toJSONSchema(schema, { io });
  // The schema of a strict object is one of type "object"; zod's type says no more than that it is a schema.
  return made as McpTool['inputSchema'];
}
