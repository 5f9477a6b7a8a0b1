/**
 * @fileoverview Converts an agent tool to a grouped tool action.
 * @module agent/adapters/to-action
 */
import type { z } from "zod";
import type { ActionConfig } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { runTool } from "./run-tool.js";
import { describeTool } from "./to-mcp-tool.js";

/** Behavior hints for the action. Agent tools do not declare them. */
export type ToActionOptions = Pick<
  ActionConfig<unknown, undefined, unknown>,
  "destructive" | "idempotent" | "readOnly"
>;

/**
 * Converts an agent tool to an action for a grouped builder's `.action()` method. The builder decides how unknown
 * parameters are handled.
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
    // The builder drops or rejects unknown fields itself.
    schema: toParamsSchema(tool.params).strip(),
    handler: (_context, args, call) => runTool(tool, args, { call, findTool }),
  };
}
