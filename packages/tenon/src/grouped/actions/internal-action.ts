/**
 * @fileoverview Validates an action's configuration and converts it to the form that the builder stores.
 * @module tenon/grouped/actions/internal-action
 */
import { toResult } from "../../core/definitions/results/stream-result.js";
import type { Call } from "../../core/call/call.js";
import { assertMiddleware } from "../../core/definitions/definition-checks.js";
import { type TaskMode, toToolTask } from "../../core/definitions/tool-task.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { parseOptions } from "@tenon/internal/options/define-options";
import { kindOf } from "@tenon/internal/kind-of";
import { McpError, type ToolResult } from "../../protocol/index.js";
import type { StandardSchema } from "../../schema/schema.js";
import {
  ACTION_OPTIONS,
  type ActionConfig,
  type ActionMiddleware,
  type ActionTask,
  type InternalAction,
} from "./action.js";

/** Group that an action belongs to, if any, and the middleware that the action inherits. */
export interface ActionPlace<Context> {
  readonly groupName?: string;
  readonly groupDescription?: string | undefined;
  readonly middleware: readonly ActionMiddleware<Context>[];
  /** Scopes of the group. */
  readonly scopes?: readonly string[];
}

/** Converts an action to its stored form. @throws if the name, the handler, or the middleware is invalid */
export function toInternalAction<Context, Own extends StandardSchema | undefined, Common>(
  config: ActionConfig<Context, Own, Common>,
  place: ActionPlace<Context>,
): InternalAction<Context> {
  if (!isJsonObject(config)) throw new Error(`.action() requires an options object; got ${kindOf(config)}.`);
  const { name, description, schema, task, handler } = config;
  const { groupName, groupDescription } = place;
  assertName("Action", name);
  const key = groupName === undefined ? name : `${groupName}.${name}`;
  const { destructive, idempotent, readOnly } = parseOptions(ACTION_OPTIONS, config, `Action "${key}"`);
  const own = config.middleware ?? [];
  assertMiddleware(`Action "${name}"`, own);
  const scopes = joinScopes(place.scopes, config.scopes);
  // Safe: the schemas accepted the arguments before this call, so the arguments match `ActionArgs`.
  const plainHandler = handler as (ctx: Context, args: JsonObject, call?: Call) => unknown;
  return Object.freeze<InternalAction<Context>>({
    key,
    actionName: name,
    groupName,
    groupDescription,
    description,
    schema,
    destructive,
    idempotent,
    readOnly,
    middleware: Object.freeze([...place.middleware, ...own]),
    handler: (ctx, args, call) =>
      andThen(plainHandler(ctx, args, call), (value) => toActionResult(value, call, name)),
    plainHandler,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(task === undefined ? {} : { task: toActionTask(key, task) }),
  });
}

/** Joins the scopes of a tool, a group, or an action. The result is frozen and does not contain duplicates. */
export function joinScopes(
  outer: readonly string[] | undefined,
  inner: readonly string[] | undefined,
): readonly string[] {
  return Object.freeze([...new Set([...(outer ?? []), ...(inner ?? [])])]);
}

function toActionTask<Context>(key: string, option: unknown): ActionTask<Context> | undefined {
  // Safe: `toToolTask` checks every member. `prepare` is called with the arguments of `ActionTask`.
  const task = toToolTask(`Action "${key}"`, option as TaskMode | undefined);
  return task as ActionTask<Context> | undefined;
}

/** Converts a handler's return value to a tool result. A returned `McpError` is thrown. */
function toActionResult(value: unknown, call: Call | undefined, name: string): MaybePromise<ToolResult> {
  if (value instanceof McpError) throw value;
  return toResult(value, call, `Action "${name}"`);
}

/** Asserts that an action or group name can be part of a key. @throws Error if it cannot */
export function assertName(noun: "Action" | "Group", name: string): void {
  if (typeof name !== "string" || name === "")
    throw new Error(`${noun} name must be a non-empty string; got ${kindOf(name)}.`);
  if (name.length > 64) {
    const start = name.slice(0, 32);
    throw new Error(`${noun} name "${start}…" must be 1 to 64 characters long; got ${name.length}.`);
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new Error(`${noun} name ${JSON.stringify(name)} must not contain control characters.`);
  }
  if (!name.includes(".")) return;
  const reason = " The framework uses dots internally for group.action compound keys.";
  throw new Error(`${noun} name "${name}" must not contain dots.${noun === "Action" ? reason : ""}`);
}
