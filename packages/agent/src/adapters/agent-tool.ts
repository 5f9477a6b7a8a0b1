/**
 * @fileoverview Converts an MCP tool to an agent tool: the input schema becomes parameters, and the result
 * becomes a message and data.
 * @module agent/adapters/agent-tool
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type ContentBlock, McpError, type ToolResult } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";
import type { ToolParam } from "../tools/tool-param.js";
import { printToolCall } from "../xml/print-tool-call.js";
import { paramsFromSchema } from "./params-from-schema.js";
import { plainText } from "./plain-text.js";

/** The MCP tool fields that the conversion uses. They may come from an untrusted server. */
export interface McpToolLike {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** Sends a call to the MCP tool. */
export type CallMcpTool = (
  args: JsonObject,
  context: Pick<ToolInvokeContext, "signal" | "postMessage">,
) => Promise<ToolResult>;

/** Options for converting MCP tools to agent tools. */
export interface AgentToolOptions {
  /** Prefix for every tool name. Prevents name collisions between tools from different servers. */
  readonly prefix?: string | undefined;
}

/** Converts an MCP tool to an agent tool. */
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
    whenToUse: "When its description matches the task at hand",
    params,
    useExamples: [],
    invoke: async ({ params: values, signal, postMessage }) =>
      toOutcome(await call(restore(isJsonObject(values) ? values : {}), { signal, postMessage })),
  };
  return { ...tool, useExamples: [printToolCall(tool, exampleOf(params))] };
}

const MAX_TEXT = 20_000;
const MAX_MESSAGE = 100_000;

/** Converts an MCP tool name to a tag name. Characters that are not allowed in tags become `_`. */
function toTagName(name: string): string {
  const tag = name.replace(/[^\w.-]/g, "_").slice(0, 127);
  return /^[A-Za-z_]/.test(tag) ? tag : `_${tag}`;
}

/** Returns example values for the required parameters. */
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

/**
 * Converts an MCP result.
 *
 * @throws {McpError} if the result is an error; the message is the result's text, which is meant for the model
 */
function toOutcome(result: ToolResult): ToolOutcome {
  const { content, structuredContent, isError } = result;
  const whole = content.map(toText).join("\n");
  const text = plainText(whole, MAX_MESSAGE);
  if (isError === true)
    throw new McpError("AGENT_EXECUTION_ERROR", text || "The tool failed without an error message.");
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
