/**
 * @fileoverview From an action as it is written to the form that a builder keeps.
 * @module grouped/internal-action
 */
import { toToolResult } from "../../core/definitions/tool-result.js";
import type { Call } from "../../core/call/call.js";
import type { JsonObject } from "@tenon/internal/json";
import { andThen } from "@tenon/internal/maybe-promise";
import { McpError, type ToolResult } from "../../protocol/index.js";
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionConfig, ActionMiddleware, InternalAction } from "./action.js";

/** The group and middleware that an action is registered under. */
export interface ActionPlace<Context> {
  readonly groupName?: string;
  readonly groupDescription?: string | undefined;
  readonly middleware: readonly ActionMiddleware<Context>[];
}

/** Makes the internal form of an action. @throws for a name or handler that cannot be used */
export function toInternalAction<Context, Own extends StandardSchema | undefined, Common>(
  config: ActionConfig<Context, Own, Common>,
  place: ActionPlace<Context>,
): InternalAction<Context> {
  const { name, description, schema, destructive, idempotent, readOnly, handler } = config;
  const { groupName, groupDescription } = place;
  assertName("Action", name);
  if (typeof handler !== "function") throw new Error(`Action "${name}" needs a handler.`);
  const own = config.middleware ?? [];
  assertMiddleware(own);
  // The schemas that `ActionArgs` comes from have accepted the arguments.
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

/** Converts the value of a handler to a result. */
function toActionResult(value: unknown): ToolResult {
  if (value instanceof McpError) throw value;
  return toToolResult(value);
}

/** Asserts that all layers are functions. @throws Error where one is not */
export function assertMiddleware(layers: readonly unknown[]): void {
  if (layers.some((layer) => typeof layer !== "function")) throw new Error("Middleware must be a function.");
}

/** Asserts that the name of an action or group can be part of a key. @throws Error where it cannot */
export function assertName(noun: "Action" | "Group", name: string): void {
  if (typeof name !== "string" || name === "") throw new Error(`${noun} needs a name.`);
  if (name.length > 64) throw new Error(`${noun} name "${name.slice(0, 32)}…" has more than 64 characters.`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new Error(`${noun} name ${JSON.stringify(name)} has a control character.`);
  }
  if (!name.includes(".")) return;
  const reason = " The framework uses dots internally for group.action compound keys.";
  throw new Error(`${noun} name "${name}" must not contain dots.${noun === "Action" ? reason : ""}`);
}
