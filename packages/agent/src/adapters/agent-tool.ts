/**
 * @fileoverview Converts an MCP tool to an agent tool: the input schema becomes parameters, and the result
 * becomes a message and data.
 * @module agent/adapters/agent-tool
 */
import { deepFreeze } from "@tenon/internal/deep-freeze";
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { OptionsOf, OptionTable } from "@tenon/internal/options/define-options";
import { flag, text } from "@tenon/internal/options/option-rows";
import { type ContentBlock, McpError, type ToolHints, type ToolResult } from "tenon/protocol";
import { APPROVAL_OPTION } from "../tools/approval-policy.js";
import type { ToolDefinition, ToolInvokeContext, ToolOutcome } from "../tools/define-tool.js";
import { paramsFromSchema } from "../tools/params-from-schema.js";
import { plainText } from "../tools/plain-text.js";
import type { ToolParam } from "../tools/tool-param.js";
import { printToolCall } from "../xml/print-tool-call.js";

/** The MCP tool fields that the conversion uses. They may come from an untrusted server. */
export interface McpToolLike {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  /** Hints about the tool's behavior, such as `readOnlyHint`. */
  readonly annotations?: unknown;
}

/** Sends a call to the MCP tool. */
export type CallMcpTool = (
  args: JsonObject,
  context: Pick<ToolInvokeContext, "signal" | "postMessage">,
) => Promise<ToolResult>;

/** Options for converting MCP tools to agent tools. */
export const AGENT_TOOL_ROWS = {
  /** Prefix for every tool name. Prevents name collisions between tools from different servers. */
  prefix: text({ pattern: /^[\s\S]*$/, expected: "a string" }),
  /**
   * Rule for calls: run them at once, ask the user, or reject them.
   * @default the rule of the conversation options; without one, tools of MCP servers ask unless they are read-only, which
   * counts only for trusted servers
   */
  approval: APPROVAL_OPTION,
} as const;

/** Options for converting the tools of a server outside this application. */
export const FOREIGN_TOOL_ROWS = {
  ...AGENT_TOOL_ROWS,
  /**
   * True if the hints of the server's tools are true, such as `readOnlyHint`. Hints of other servers are dropped: a
   * hostile server could otherwise mark a dangerous tool as read-only, and its calls would run without approval.
   * @default false
   */
  trusted: flag({ default: false, aliases: ["trust", "trustHints"] }),
} as const;

/** Options for converting MCP tools to agent tools. */
export interface AgentToolOptions extends OptionsOf<OptionTable<typeof FOREIGN_TOOL_ROWS>> {}

/** Converts an MCP tool to an agent tool. */
export function toAgentTool(
  definition: McpToolLike,
  call: CallMcpTool,
  options: AgentToolOptions = {},
): ToolDefinition {
  const inputSchema = copySchema(definition.inputSchema);
  const params = paramsFromSchema(inputSchema);
  const name = toTagName(`${options.prefix ?? ""}${definition.name}`);
  const annotations = readHints(definition.annotations);
  const { approval } = options;
  const tool: ToolDefinition = {
    name,
    description: plainText(textOf(definition.description) || textOf(definition.title) || name, MAX_TEXT),
    whenToUse: "When its description matches the task at hand",
    params,
    useExamples: [],
    approval,
    invoke: async ({ params: args, signal, postMessage }) =>
      toOutcome(await call(isJsonObject(args) ? args : {}, { signal, postMessage })),
  };
  const useExamples = [printToolCall(tool, exampleOf(params))];
  return { ...tool, useExamples, inputSchema, annotations };
}

/**
 * Converts a tool of an MCP server outside this application. Without hints, nothing is known about its effects, so its
 * calls require approval by default. `createCall` receives the definition with the hints that count.
 */
export function toForeignTool(
  definition: McpToolLike,
  createCall: (definition: McpToolLike) => CallMcpTool,
  options: AgentToolOptions = {},
): ToolDefinition {
  const { title, ...hints } = readHints(definition.annotations) ?? {};
  const annotations = {
    ...(title === undefined ? {} : { title }),
    ...(options.trusted === true ? hints : {}),
  };
  const known = { ...definition, annotations };
  return toAgentTool(known, createCall(known), options);
}

/** Returns the hints of an MCP tool, without values of the wrong type. */
export function readHints(annotations: unknown): ToolHints | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const { title } = annotations;
  const hints: { -readonly [Name in keyof ToolHints]: ToolHints[Name] } = {};
  for (const name of HINTS) {
    const hint = annotations[name];
    if (typeof hint === "boolean") hints[name] = hint;
  }
  if (textOf(title) !== "") hints.title = plainText(textOf(title), MAX_TITLE);
  return hints;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const MAX_TITLE = 200;
const MAX_SCHEMA = 200_000;
const MAX_SCHEMA_DEPTH = 64;

/**
 * Copies an input schema. A schema that is too large for a model is replaced by one that accepts any object, because the
 * server validates its arguments itself.
 */
function copySchema(schema: unknown): JsonObject {
  const text = toJson(schema) ?? "";
  const isUsable = text.length <= MAX_SCHEMA && !exceedsDepth(text, MAX_SCHEMA_DEPTH);
  const copy = isUsable ? readJson(text) : undefined;
  // Models require the type, which some servers omit.
  return deepFreeze({ type: "object", ...(isJsonObject(copy) ? copy : {}) });
}

/** Serializes a value. Returns `undefined` if it cannot be represented in JSON. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const MAX_TEXT = 20_000;
const MAX_MESSAGE = 100_000;

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

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

function exampleValue({ type = "string", params = [], format }: ToolParam): unknown {
  if (format === "json") return "…";
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
