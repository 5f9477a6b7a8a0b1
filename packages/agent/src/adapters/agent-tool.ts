/**
 * @fileoverview A tool of MCP as a tool of an agent: its schema as parameters, its result as a sentence and data.
 * @module agent/adapters/agent-tool
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type ContentBlock, McpError, type ToolResult } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";
import type { ToolParam } from "../tools/tool-param.js";
import { printToolCall } from "../xml/print-tool-call.js";
import { paramsFromSchema } from "./params-from-schema.js";
import { plainText } from "./plain-text.js";

/** What is used of a definition; it may come from a stranger. */
export interface McpToolLike {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** Calls the tool. */
export type CallMcpTool = (
  args: JsonObject,
  context: Pick<ToolInvokeContext, "signal" | "postMessage">,
) => Promise<ToolResult>;

/** How tools become an agent's. */
export interface AgentToolOptions {
  /** Put before every name, so that tools of several servers can stand side by side. */
  readonly prefix?: string | undefined;
}

/** Makes a tool of an agent. */
export function toAgentTool(
  definition: McpToolLike,
  call: CallMcpTool,
  options: AgentToolOptions = {},
): ToolDefinition {
  const { inputSchema } = definition;
  const { params, restore } = paramsFromSchema(isJsonObject(inputSchema) ? inputSchema : {});
  const name = toTagName(`${options.prefix ?? ""}${definition.name}`);
  const tool: ToolDefinition = {
    name,
    description: plainText(definition.description?.trim() || definition.title?.trim() || name, MAX_TEXT),
    whenToUse: "When its description fits what is to be done",
    params,
    useExamples: [],
    invoke: async ({ params: values, signal, postMessage }) =>
      toOutcome(await call(restore(isJsonObject(values) ? values : {}), { signal, postMessage })),
  };
  return { ...tool, useExamples: [printToolCall(tool, exampleOf(params))] };
}

const MAX_TEXT = 20_000;
const MAX_MESSAGE = 100_000;

/** A name of MCP may have characters that a tag has not. */
function toTagName(name: string): string {
  const tag = name.replace(/[^\w.-]/g, "_").slice(0, 127);
  return /^[A-Za-z_]/.test(tag) ? tag : `_${tag}`;
}

/** Values for what every call must carry. */
function exampleOf(params: readonly ToolParam[]): JsonObject {
  return Object.fromEntries(
    params.filter(({ optional }) => !optional).map((param) => [param.name, exampleValue(param)]),
  );
}

function exampleValue({ type = "string", params = [] }: ToolParam): unknown {
  switch (type) {
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return params.map(exampleValue);
    case "object":
      return exampleOf(params);
    default:
      return "…";
  }
}

/** @throws {McpError} where the tool says that it failed: its text is meant for the model */
function toOutcome(result: ToolResult): ToolOutcome {
  const { content, structuredContent, isError } = result;
  const whole = content.map(toText).join("\n");
  const text = plainText(whole, MAX_MESSAGE);
  if (isError === true) throw new McpError("AGENT_EXECUTION_ERROR", text || "no reason was given");
  const isText = content.every(({ type }) => type === "text");
  return { message: text || "Done", toolResult: structuredContent ?? (isText ? whole : content) };
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    default:
      return `[${block.type}: ${block.mimeType}]`;
  }
}
