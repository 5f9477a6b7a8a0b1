/**
 * @fileoverview Runs grouped tools without a server: the tools that clients see, with the functions that run them.
 * @module tenon/grouped/calls/callable-tools
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
import { createScopedViews } from "../../core/snapshot/scoped-views.js";
import { defineFlatTool } from "./definitions.js";
import { describeUnknownTool } from "./hints.js";
import { type BuiltTool, mayUse, restrictTool, scopesOfAny } from "./restrictions.js";
import { createRouteRunner, findRoute, type Routed, validateFor } from "./routes.js";

/** Tool definition and the function that runs it. Invalid arguments and failures become error results. */
export interface CallableTool<Context> {
  readonly definition: McpToolDefinition;
  /** Runs the tool. Never rejects. If `call` has an authenticated caller, its scopes are checked. */
  execute(ctx: Context, args: unknown, call?: Call): Promise<ToolResult>;
  /**
   * Returns the tool with the actions that a caller with these scopes may use, or `undefined` if there are none. Absent
   * if no action requires scopes.
   */
  readonly select?: (scopes: readonly string[]) => CallableTool<Context> | undefined;
}

/** Creates one callable tool that routes to all actions. */
export function toWholeTool<Context>(built: BuiltTool<Context>): CallableTool<Context> {
  const { plan } = built;
  const create = ({ definition, routes }: BuiltTool<Context>) =>
    createCallable(plan.name, definition, (args) => findRoute(routes, plan.discriminator, args));
  const whole = create(built);
  const scopes = scopesOfAny(plan.actions);
  if (scopes.length === 0) return whole;
  const views = createScopedViews<CallableTool<Context> | undefined>({
    scopes,
    everything: whole,
    build(held) {
      const part = restrictTool(built, held);
      return part && create(part);
    },
  });
  return restrict(whole, (held) => views({ scopes: held }));
}

/** Creates one callable tool, or one per action if `expose` is `flat`. */
export function toCallableTools<Context>(
  built: BuiltTool<Context>,
  expose: Exposition,
): readonly CallableTool<Context>[] {
  if (expose === "grouped") return [toWholeTool(built)];
  const { plan, routes } = built;
  return Array.from(routes.values(), (route) => {
    const { action } = route;
    const definition = defineFlatTool(plan, action);
    const tool = createCallable(plan.name, definition, (args) => validateFor(route, args));
    if (scopesOfAny([action]).length === 0) return tool;
    return restrict(tool, (scopes) => (mayUse(action, { scopes }) ? tool : undefined));
  });
}

/** Adds a tool's scopes. A call with an authenticated caller reaches only the actions that the caller may use. */
function restrict<Context>(
  tool: CallableTool<Context>,
  select: (scopes: readonly string[]) => CallableTool<Context> | undefined,
): CallableTool<Context> {
  const { definition } = tool;
  return {
    definition,
    select,
    async execute(ctx, args, call) {
      const shown = call?.auth === undefined ? tool : select(call.auth.scopes);
      return shown === undefined
        ? errorResult(describeUnknownTool(definition.name, []))
        : shown.execute(ctx, args, call);
    },
  };
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
