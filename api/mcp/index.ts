/** The tools of agents over MCP. */
export { type McpOptions } from './mcp-server';
export { openTools, type ToolsOptions } from './open-tools';
export { mcpRoutes, type McpRouteOptions } from './routes';
export { serveStdio } from './stdio';
export { TOOL_LIST } from './tool-list';
