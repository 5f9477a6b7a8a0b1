/**
 * @fileoverview A tool of an agent as an action of a grouped tool.
 * @module agent/adapters/to-action
 */
import type { z } from "zod";
import type { ActionConfig } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { runTool } from "./run-tool.js";
import { describeTool } from "./to-mcp-tool.js";

/** What the builder should know of the action, and the agent cannot. */
export type ToActionOptions = Pick<
  ActionConfig<unknown, undefined, unknown>,
  "destructive" | "idempotent" | "readOnly"
>;

/**
 * A tool of an agent, for `.action()` of a grouped builder. Its parameters are checked by the rules of that builder.
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
    // Whether stray fields are dropped or refused is the builder's to say.
    schema: toParamsSchema(tool.params).strip(),
    handler: (_context, args, call) => runTool(tool, args, { call, findTool }),
  };
}
