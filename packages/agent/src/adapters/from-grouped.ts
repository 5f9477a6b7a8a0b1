/**
 * @fileoverview Converts grouped tool actions to agent tools.
 * @module agent/adapters/from-grouped
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, oneOf } from "@tenon/internal/options/option-rows";
import type { Exposition } from "tenon";
import type { CallableTool } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { AGENT_TOOL_ROWS, toAgentTool } from "./agent-tool.js";

const GROUPED_OPTIONS = /* @__PURE__ */ defineOptions("fromGrouped", {
  ...AGENT_TOOL_ROWS,
  /** Application context for every call. */
  context: custom<unknown>(),
  /**
   * Exposes each action as a separate tool (`"flat"`) or all actions as one tool (`"grouped"`).
   * @default "flat"
   */
  expose: oneOf(["flat", "grouped"], { default: "flat", aliases: ["exposition"] }),
});

/** Options for `fromGrouped`. */
export interface FromGroupedOptions<Context> extends OptionsOf<typeof GROUPED_OPTIONS> {
  /** Application context, passed to every call. */
  readonly context: Context;
}

/**
 * Builds a grouped tool and returns its actions as agent tools.
 *
 * @example for (const tool of fromGrouped(users, { context: app })) builder.registerTool(tool);
 */
export function fromGrouped<Context>(
  builder: { getCallableTools(expose?: Exposition): readonly CallableTool<Context>[] },
  options: FromGroupedOptions<Context>,
): readonly ToolDefinition[] {
  const { expose } = parseOptions(GROUPED_OPTIONS, options);
  return builder
    .getCallableTools(expose)
    .map((tool) => toAgentTool(tool.definition, (args) => tool.execute(options.context, args), options));
}
