/**
 * @fileoverview Converts an agent tool to a grouped tool action.
 * @module agent/adapters/to-action
 */
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { flag } from "@tenon/internal/options/option-rows";
import type { ActionConfig } from "tenon/grouped";
import type { ToolDefinition } from "../tools/define-tool.js";
import { parseToolParams, toValuesSchema } from "../tools/tool-schema.js";
import { runTool } from "./run-tool.js";
import { describeTool } from "./to-mcp-tool.js";

const ACTION_OPTIONS = /* @__PURE__ */ defineOptions("toAction", {
  /** True if the action can destroy data. */
  destructive: flag({ aliases: ["destructiveHint"] }),
  /** True if repeating the action has no further effect. */
  idempotent: flag({ aliases: ["idempotentHint"] }),
  /** True if the action changes nothing. */
  readOnly: flag({ aliases: ["readOnlyHint"] }),
});

/** Behavior hints for the action. By default, those in the tool's `annotations`. */
export interface ToActionOptions extends OptionsOf<typeof ACTION_OPTIONS> {}

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
  assertOptions(ACTION_OPTIONS, options);
  const findTool = (name: string) => (name === tool.name ? tool : undefined);
  const { paramsSchema, annotations: { readOnlyHint, destructiveHint, idempotentHint } = {} } = tool;
  // A schema other than Zod's is described by the parameter list, and checked when the action runs.
  const isZod = paramsSchema instanceof z.ZodObject;
  return {
    ...pickOptions(ACTION_OPTIONS, {
      readOnly: readOnlyHint,
      destructive: destructiveHint,
      idempotent: idempotentHint,
      ...options,
    }),
    name: tool.name,
    description: describeTool(tool),
    // The builder drops or rejects unknown fields itself.
    schema: isZod ? paramsSchema : toValuesSchema(tool.params).strip(),
    handler: (_context, args, call) => runTool(tool, isZod ? args : checkOwn(tool, args), { call, findTool }),
  };
}

/** Checks an action's own parameters with the tool's JSON Schema. The arguments also contain the common fields. */
function checkOwn(tool: ToolDefinition, args: JsonObject): unknown {
  if (tool.inputSchema === undefined) return args;
  const names = tool.params.map(({ name }) => name).filter((name) => args[name] !== undefined);
  return parseToolParams(tool, Object.fromEntries(names.map((name) => [name, args[name]])));
}
