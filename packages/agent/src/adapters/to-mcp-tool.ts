/**
 * @fileoverview Converts agent tools to MCP tools.
 * @module agent/adapters/to-mcp-tool
 */
import { ArgumentsError, createToolEntry, type ToolDraft } from "tenon/host";
import { type ToolSource } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom, texts } from "@tenon/internal/options/option-rows";
import type { ToolHints } from "tenon/protocol";
import { compileSchema } from "tenon/host";
import type { ToolDefinition } from "../tools/define-tool.js";
import { ValidationError } from "../shared/errors.js";
import { parseToolParams, toValuesSchema } from "../tools/tool-schema.js";
import { type FindTool, runTool } from "./run-tool.js";

const MCP_TOOL_OPTIONS = /* @__PURE__ */ defineOptions("toMcpTool", {
  /** Behavior hints that clients see in `tools/list`. @default the tool's `annotations` */
  annotations: custom<ToolHints>({ aliases: ["hints"] }),
  /** Tags that the server's tag filter matches. */
  tags: texts({ default: [] }),
  /** Scopes that are required to list and call the tools. */
  scopes: texts({ default: [], aliases: ["requiredScopes"] }),
});

/** Options for `toMcpTool`. */
export interface ToMcpOptions extends OptionsOf<typeof MCP_TOOL_OPTIONS> {}

/**
 * Converts an agent tool, or all tools in a registry, to a tool source for a server's `.tools()` method. The tools of a
 * registry can look each other up with `getToolFromName`.
 *
 * @example defineServer({ name: "search", version: "1.0.0" }).tools(toMcpTool(webSearch))
 * @example defineServer({ name: "agent", version: "1.0.0" }).tools(toMcpTool(agent.tools))
 */
export function toMcpTool(
  source: ToolDefinition | { getAll(): readonly ToolDefinition[] },
  options: ToMcpOptions = {},
): ToolSource {
  const settings = parseOptions(MCP_TOOL_OPTIONS, options);
  return {
    toolDrafts() {
      const all = "getAll" in source ? source.getAll() : [source];
      const tools = new Map(all.map((tool) => [tool.name, tool]));
      return Array.from(tools.values(), (tool) => draftTool(tool, settings, (name) => tools.get(name)));
    },
  };
}

function draftTool(
  tool: ToolDefinition,
  options: ParsedOptions<typeof MCP_TOOL_OPTIONS>,
  findTool: FindTool,
): ToolDraft {
  const { name } = tool;
  const { annotations = tool.annotations, tags, scopes } = options;
  return {
    name,
    compile(settings) {
      return createToolEntry(settings, {
        definition: {
          name,
          description: describeTool(tool),
          inputSchema: toInputSchema(tool),
          ...(annotations === undefined ? {} : { annotations }),
        },
        check(args: JsonObject) {
          try {
            return { value: parseToolParams(tool, args) };
          } catch (error) {
            if (error instanceof ValidationError) throw new ArgumentsError(error.message, error.message);
            throw error;
          }
        },
        handler: (checked, call) => runTool(tool, checked, { call, findTool }),
        validationErrors: settings.validationErrors ?? "result",
        tags,
        scopes,
        deadlineMs: settings.deadlineMs,
      });
    },
  };
}

/** Returns the tool's own JSON Schema, or one that is derived from its parameter list. */
function toInputSchema({ name, params, inputSchema }: ToolDefinition): JsonObject {
  if (inputSchema !== undefined) return inputSchema;
  return compileSchema(toValuesSchema(params), { label: `Tool "${name}" input`, side: "input" }).jsonSchema;
}

/**
 * Joins the description and `whenToUse`. The examples are omitted: they are in XML, which MCP clients do
 * not use.
 */
export function describeTool({ description, whenToUse }: ToolDefinition): string {
  return `${description}\n\nWhen to use: ${whenToUse}`;
}
