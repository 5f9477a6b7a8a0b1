/**
 * @fileoverview A grouped tool without a server: the tools that clients see, and the functions that run them.
 * @module grouped/callable-tools
 */
import type { Call } from "../../core/call/call.js";
import { errorResult, toToolResult } from "../../core/definitions/tool-result.js";
import { type Exposition, readArguments } from "../../core/definitions/tool.js";
import { ArgumentsError } from "../../core/definitions/tool-errors.js";
import { isInstance } from "@tenon/internal/thrown";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import { defineFlatTool } from "./definitions.js";
import { createRouteRunner, findRoute, type Routed, type Routes, validateFor } from "./routes.js";
import type { ToolPlan } from "./tool-plan.js";

/** A tool with its code. Invalid arguments and failures are results; it never throws. */
export interface CallableTool<Context> {
  readonly definition: McpToolDefinition;
  execute(ctx: Context, args: unknown, call?: Call): Promise<ToolResult>;
}

/** The output of a builder. */
export interface BuiltTool<Context> {
  readonly plan: ToolPlan<Context>;
  readonly definition: McpToolDefinition;
  readonly routes: Routes<Context>;
}

/** Creates the tool that contains all actions. */
export function toWholeTool<Context>({
  plan,
  definition,
  routes,
}: BuiltTool<Context>): CallableTool<Context> {
  return createCallable(plan.name, definition, (args) => findRoute(routes, plan.discriminator, args));
}

/** Creates the whole tool, or one tool for each action. */
export function toCallableTools<Context>(
  built: BuiltTool<Context>,
  expose: Exposition,
): readonly CallableTool<Context>[] {
  if (expose === "grouped") return [toWholeTool(built)];
  const { plan, routes } = built;
  return Array.from(routes.values(), (route) =>
    createCallable(plan.name, defineFlatTool(plan, route.action), (args) => validateFor(route, args)),
  );
}

function createCallable<Context>(
  name: string,
  definition: McpToolDefinition,
  find: (args: JsonObject) => MaybePromise<Routed<Context>>,
): CallableTool<Context> {
  return {
    definition,
    async execute(ctx, args, call) {
      const given = readArguments(args);
      if (given === undefined) return errorResult("Validation failed: arguments must be an object");
      let label = `[${name}]`;
      try {
        const found = await find(given);
        ({ label } = found.route);
        return toToolResult(await runRoute(found, ctx, call));
      } catch (error) {
        return isInstance(error, ArgumentsError) ? errorResult(error.text) : describeFailure(label, error);
      }
    },
  };
}

const runRoute = /* @__PURE__ */ createRouteRunner(describeFailure);

/** Creates the result of a failed action: bounded text without a stack. */
export function describeFailure(label: string, error: unknown): ToolResult {
  const message = messageOf(error);
  return errorResult(`${label} ${message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message}`);
}

/** Returns the text of any thrown value, including values without one. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "failed";
  }
}
