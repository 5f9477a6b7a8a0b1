/**
 * @fileoverview Runs an agent tool for other callers: an MCP server, or an action of a grouped tool.
 * @module agent/adapters/run-tool
 */
import { randomUUID } from "node:crypto";
import type { Call } from "tenon/host";
import { isPlainObject } from "@tenon/internal/json";
import type { ToolResult } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";

/** Finds another tool by name. */
export type FindTool = ToolInvokeContext["getToolFromName"];

/** Runs a tool with validated parameters. */
export async function runTool(
  tool: ToolDefinition,
  params: unknown,
  surroundings: { readonly call: Call | undefined; readonly findTool: FindTool },
): Promise<ToolResult> {
  const { call, findTool } = surroundings;
  let task: string | undefined;
  return toResult(
    await tool.invoke({
      params,
      // The client's request id may contain anything, and tools build paths from the task id.
      getCurrentTask: () => (task ??= randomUUID()),
      getToolFromName: findTool,
      signal: call?.signal,
      // Log messages are optional: if the client ignores them or has disconnected, the result is still
      // complete.
      postMessage: (message) => void call?.log("info", message, tool.name),
    }),
  );
}

/** Converts an outcome to a result: the message for the model, then the data, structured and as JSON text. */
function toResult({ message, toolResult }: ToolOutcome): ToolResult {
  const said = { type: "text", text: message } as const;
  if (toolResult === undefined || toolResult === null) return { content: [said] };
  const structuredContent = isPlainObject(toolResult) ? toolResult : { result: toolResult };
  return {
    content: [said, { type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}
