/**
 * @fileoverview Converts grouped tool actions to agent tools.
 * @module agent/adapters/from-grouped
 */
import type { Exposition } from "tenon";
import type { CallableTool } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { type AgentToolOptions, toAgentTool } from "./agent-tool.js";

/** Options for `fromGrouped`. */
export interface FromGroupedOptions<Context> extends AgentToolOptions {
  /** Application context, passed to every call. */
  readonly context: Context;
  /**
   * Exposes each action as a separate tool (`"flat"`) or all actions as one tool (`"grouped"`).
   * @default "flat"
   */
  readonly expose?: Exposition;
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
  const { context, expose = "flat" } = options;
  return builder
    .getCallableTools(expose)
    .map((tool) => toAgentTool(tool.definition, (args) => tool.execute(context, args), options));
}
