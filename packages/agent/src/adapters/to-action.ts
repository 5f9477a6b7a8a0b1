/**
 * @fileoverview Converts an agent tool to an action of a grouped tool.
 * @module agent/adapters/to-action
 */
import type { z } from "zod";
import type { ActionConfig } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { runTool } from "./run-tool.js";
import { describeTool } from "./to-mcp-tool.js";

/** Behavior hints of the action, which an agent tool does not declare. */
export type ToActionOptions = Pick<
  ActionConfig<unknown, undefined, unknown>,
  "destructive" | "idempotent" | "readOnly"
>;

/**
 * Converts an agent tool to an action for `.action()` of a grouped builder. The builder's rules apply to its
 * parameters.
 *
 * @example createTool("web").action(toAction(search, { readOnly: true })).action(toAction(download))
 */
export function toAction(
  tool: ToolDefinition,
  options: ToActionOptions = {},
): ActionConfig<unknown, z.ZodObject, unknown> {
  const findTool = (name: string) => (name === tool.name ? tool : undefined);
  return {
    ...options,
    name: tool.name,
    description: describeTool(tool),
    // The builder decides if unknown fields are dropped or rejected.
    schema: toParamsSchema(tool.params).strip(),
    handler: (_context, args, call) => runTool(tool, args, { call, findTool }),
  };
}
