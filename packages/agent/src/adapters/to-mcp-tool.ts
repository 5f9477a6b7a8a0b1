/**
 * @fileoverview Tools of an agent on a server of MCP: the same entries as any other tool.
 * @module agent/adapters/to-mcp-tool
 */
import { ArgumentsError, createToolEntry, type ToolDraft } from "tenon/host";
import { type ToolSource } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import type { ToolHints } from "tenon/protocol";
import { compileSchema } from "tenon/host";
import type { ToolDefinition } from "../tools/define-tool.js";
import { toolParamsError } from "../shared/errors.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { type FindTool, runTool } from "./run-tool.js";

/** How a tool is shown. */
export interface ToMcpOptions {
  /** Hints on what it does. */
  readonly annotations?: ToolHints;
  readonly tags?: readonly string[];
  /** What a principal must hold to see and call it. */
  readonly scopes?: readonly string[];
}

/**
 * A tool of an agent, for `.tools()` of a server.
 *
 * @example defineServer({ name: "search", version: "1.0.0" }).tools(toMcpTool(webSearch))
 */
export function toMcpTool(tool: ToolDefinition, options: ToMcpOptions = {}): ToolSource {
  return { toolDrafts: () => [draftTool(tool, options, (name) => (name === tool.name ? tool : undefined))] };
}

/**
 * All tools of a registry, for `.tools()` of a server. They find each other by name.
 *
 * @example defineServer({ name: "agent", version: "1.0.0" }).tools(toMcpTools(agent.tools))
 */
export function toMcpTools(
  registry: { getAll(): readonly ToolDefinition[] },
  options: ToMcpOptions = {},
): ToolSource {
  return {
    toolDrafts() {
      const tools = new Map(registry.getAll().map((tool) => [tool.name, tool]));
      return Array.from(tools.values(), (tool) => draftTool(tool, options, (name) => tools.get(name)));
    },
  };
}

function draftTool(tool: ToolDefinition, options: ToMcpOptions, findTool: FindTool): ToolDraft {
  const { name, params } = tool;
  const { annotations, tags = [], scopes = [] } = options;
  return {
    name,
    compile(settings) {
      const schema = toParamsSchema(params);
      const { jsonSchema } = compileSchema(schema, { label: `Tool "${name}" input`, side: "input" });
      return createToolEntry(settings, {
        definition: {
          name,
          description: describeTool(tool),
          inputSchema: jsonSchema,
          ...(annotations === undefined ? {} : { annotations }),
        },
        check(args: JsonObject) {
          const { success, data, error } = schema.safeParse(args);
          if (success) return { value: data };
          const { message } = toolParamsError(name, error.issues);
          throw new ArgumentsError(message, message);
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

/** What it does, and when that is wanted. Examples are left out: they are XML, which such a client does not write. */
export function describeTool({ description, whenToUse }: ToolDefinition): string {
  return `${description}\n\nWhen to use: ${whenToUse}`;
}
