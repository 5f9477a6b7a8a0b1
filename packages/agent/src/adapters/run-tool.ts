/**
 * @fileoverview Runs an agent tool on behalf of an MCP server or a grouped tool.
 * @module agent/adapters/run-tool
 */
import { randomUUID } from "node:crypto";
import type { Call } from "tenon/host";
import { isPlainObject } from "@tenon/internal/json";
import type { ToolResult } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";

/** Looks up a tool by name, for tools that call other tools. */
export type FindTool = ToolInvokeContext["getToolFromName"];

/** Runs a tool with validated parameters. Messages that the tool posts are sent to the client as log messages. */
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
      // A random ID, because tools may build paths from it, and a client's request ID may contain any characters.
      getCurrentTask: () => (task ??= randomUUID()),
      getToolFromName: findTool,
      signal: call?.signal,
      // Delivery is best effort: the result is complete without these messages.
      postMessage: (message) => void call?.log("info", message, tool.name),
    }),
  );
}

/** Converts an outcome to an MCP result: the message as text, then the data as JSON text and structured content. */
function toResult({ message, toolResult }: ToolOutcome): ToolResult {
  const said = { type: "text", text: message } as const;
  if (toolResult === undefined || toolResult === null) return { content: [said] };
  const structuredContent = isPlainObject(toolResult) ? toolResult : { result: toolResult };
  return {
    content: [said, { type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}
