/**
 * @fileoverview Reads the tools and results of an MCP server that may not be trusted.
 * @module agent/adapters/mcp-tools
 */
import { memoryOf } from "@tenon/internal/json-memory";
import { isToolResult } from "tenon/host";
import { McpError, type ToolResult } from "tenon/protocol";
import { plainText } from "../tools/plain-text.js";
import type { McpToolLike } from "./agent-tool.js";

/** One page of a tool list. */
export interface ToolPage {
  readonly tools: readonly McpToolLike[];
  readonly nextCursor?: string | undefined;
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;
/** Maximum memory of all tools in bytes. */
export const MAX_TOOL_BYTES = 8 * 1024 * 1024;
const MAX_TEXT = 1_000;

/**
 * Collects all pages of a tool list.
 *
 * @throws if the list exceeds a limit, because a server could send pages forever
 */
export async function collectTools(
  list: (cursor: string | undefined) => Promise<ToolPage>,
): Promise<readonly McpToolLike[]> {
  const all: McpToolLike[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await list(cursor);
    bytes += memoryOf(tools);
    if (all.length + tools.length > MAX_TOOLS || bytes > MAX_TOOL_BYTES) break;
    all.push(...tools.filter(({ name }) => typeof name === "string"));
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
  throw new Error(
    `The MCP server lists too many tools (limit: ${MAX_TOOLS} tools, ${MAX_PAGES} pages, ${MAX_TOOL_BYTES} bytes).`,
  );
}

/** Returns a tool result. @throws {McpError} if the value is not a tool result */
export function readResult(value: unknown): ToolResult {
  if (isToolResult(value)) return value;
  throw executionError("The MCP server sent an invalid tool result.");
}

/** Creates the error for a failed call. The message is for the model, and may be a response of the server. */
export function executionError(message: string, cause?: unknown): McpError {
  const text = plainText(message, MAX_TEXT);
  return new McpError("AGENT_EXECUTION_ERROR", text, undefined, cause === undefined ? {} : { cause });
}
