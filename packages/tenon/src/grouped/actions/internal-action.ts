/**
 * @fileoverview Converts an action from its configuration to the form that the builder keeps.
 * @module grouped/internal-action
 */
import { toToolResult } from "../../core/definitions/tool-result.js";
import type { Call } from "../../core/call/call.js";
import type { JsonObject } from "@tenon/internal/json";
import { andThen } from "@tenon/internal/maybe-promise";
import { McpError, type ToolResult } from "../../protocol/index.js";
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionConfig, ActionMiddleware, InternalAction } from "./action.js";

/** The group and middleware of an action. */
export interface ActionPlace<Context> {
  readonly groupName?: string;
  readonly groupDescription?: string | undefined;
  readonly middleware: readonly ActionMiddleware<Context>[];
}

/** Converts an action to its internal form. @throws if the name or the handler is invalid */
export function toInternalAction<Context, Own extends StandardSchema | undefined, Common>(
  config: ActionConfig<Context, Own, Common>,
  place: ActionPlace<Context>,
): InternalAction<Context> {
  const { name, description, schema, destructive, idempotent, readOnly, handler } = config;
  const { groupName, groupDescription } = place;
  assertName("Action", name);
  if (typeof handler !== "function")
    throw new Error(`Action "${name}": \`handler\` must be a function; got ${typeof handler}.`);
  const own = config.middleware ?? [];
  assertMiddleware(own);
  // The schemas behind `ActionArgs` have accepted the arguments.
  const plainHandler = handler as (ctx: Context, args: JsonObject, call?: Call) => unknown;
  return Object.freeze<InternalAction<Context>>({
    key: groupName === undefined ? name : `${groupName}.${name}`,
    actionName: name,
    groupName,
    groupDescription,
    description,
    schema,
    destructive: destructive ?? false,
    idempotent: idempotent ?? false,
    readOnly: readOnly ?? false,
    middleware: Object.freeze([...place.middleware, ...own]),
    handler: (ctx, args, call) => andThen(plainHandler(ctx, args, call), toActionResult),
    plainHandler,
  });
}

/** Converts the return value of a handler to a result. */
function toActionResult(value: unknown): ToolResult {
  if (value instanceof McpError) throw value;
  return toToolResult(value);
}

/** Asserts that every middleware is a function. @throws Error if one is not */
export function assertMiddleware(layers: readonly unknown[]): void {
  if (layers.some((layer) => typeof layer !== "function")) throw new Error("Middleware must be a function.");
}

/** Asserts that the name of an action or group can be part of a key. @throws Error if it cannot */
export function assertName(noun: "Action" | "Group", name: string): void {
  if (typeof name !== "string" || name === "") throw new Error(`${noun} name must be a non-empty string.`);
  if (name.length > 64)
    throw new Error(`${noun} name "${name.slice(0, 32)}…" must not be longer than 64 characters.`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new Error(`${noun} name ${JSON.stringify(name)} must not contain control characters.`);
  }
  if (!name.includes(".")) return;
  const reason = " The framework uses dots internally for group.action compound keys.";
  throw new Error(`${noun} name "${name}" must not contain dots.${noun === "Action" ? reason : ""}`);
}
