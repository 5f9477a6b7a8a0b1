/**
 * @fileoverview Runs grouped tools without a server: the tools that clients see, with the functions that run them.
 * @module grouped/callable-tools
 */
import type { Call } from "../../core/call/call.js";
import { toResult } from "../../core/definitions/results/stream-result.js";
import { errorResult } from "../../core/definitions/results/tool-result.js";
import { type Exposition, readArguments } from "../../core/definitions/tool.js";
import { ArgumentsError } from "../../core/definitions/tool-errors.js";
import { isInstance } from "@tenon/internal/thrown";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import { defineFlatTool } from "./definitions.js";
import { createRouteRunner, findRoute, type Routed, type Routes, validateFor } from "./routes.js";
import type { ToolPlan } from "./tool-plan.js";

/** Tool definition and the function that runs it. Invalid arguments and failures become error results. */
export interface CallableTool<Context> {
  readonly definition: McpToolDefinition;
  /** Runs the tool. Never rejects. */
  execute(ctx: Context, args: unknown, call?: Call): Promise<ToolResult>;
}

/** Compiled tool, as the builder caches it. */
export interface BuiltTool<Context> {
  readonly plan: ToolPlan<Context>;
  readonly definition: McpToolDefinition;
  readonly routes: Routes<Context>;
}

/** Creates one callable tool that routes to all actions. */
export function toWholeTool<Context>({
  plan,
  definition,
  routes,
}: BuiltTool<Context>): CallableTool<Context> {
  return createCallable(plan.name, definition, (args) => findRoute(routes, plan.discriminator, args));
}

/** Creates one callable tool, or one per action if `expose` is `flat`. */
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
        return await toResult(await runRoute(found, ctx, call), call, `Tool "${name}"`);
      } catch (error) {
        return isInstance(error, ArgumentsError) ? errorResult(error.text) : describeFailure(label, error);
      }
    },
  };
}

const runRoute = /* @__PURE__ */ createRouteRunner(describeFailure);

/** Creates the error result for a failed action: at most 1,000 characters of the message, without a stack. */
export function describeFailure(label: string, error: unknown): ToolResult {
  const message = messageOf(error);
  return errorResult(`${label} ${message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message}`);
}

/** Returns a thrown value's message, or `failed` if the value cannot be converted to text. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "failed";
  }
}
