/**
 * @fileoverview An agent's tool at work for a caller that is no agent: a server of MCP, or an action of a grouped tool.
 * @module agent/adapters/run-tool
 */
import { randomUUID } from "node:crypto";
import type { Call } from "tenon/host";
import { isPlainObject } from "@tenon/internal/json";
import type { ToolResult } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";

/** Where a tool finds the others. */
export type FindTool = ToolInvokeContext["getToolFromName"];

/** Runs a tool with parameters that were checked. */
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
      // A client's id for its call may be anything, and tools make paths of this.
      getCurrentTask: () => (task ??= randomUUID()),
      getToolFromName: findTool,
      signal: call?.signal,
      // Where the client does not listen, or is gone, nothing is lost that the result does not say.
      postMessage: (message) => void call?.log("info", message, tool.name),
    }),
  );
}

/** The sentence for the model, then the result, as data and as the same JSON in text. */
function toResult({ message, toolResult }: ToolOutcome): ToolResult {
  const said = { type: "text", text: message } as const;
  if (toolResult === undefined || toolResult === null) return { content: [said] };
  const structuredContent = isPlainObject(toolResult) ? toolResult : { result: toolResult };
  return {
    content: [said, { type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}
