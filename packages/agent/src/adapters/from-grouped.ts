/**
 * @fileoverview The actions of grouped tools as tools of an agent.
 * @module agent/adapters/from-grouped
 */
import type { Exposition } from "tenon";
import type { CallableTool } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { type AgentToolOptions, toAgentTool } from "./agent-tool.js";

/** How actions become tools. */
export interface FromGroupedOptions<Context> extends AgentToolOptions {
  /** The application's value for every call. */
  readonly context: Context;
  /**
   * Every action as a tool of its own, or all as one.
   * @default "flat"
   */
  readonly expose?: Exposition;
}

/**
 * What a grouped builder has, as tools of an agent. Builds it.
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
