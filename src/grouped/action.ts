/**
 * @fileoverview One operation of a grouped tool, as the builder keeps it and the strategies read it.
 * @module grouped/action
 */
import type { JsonObject } from "../internal/json.js";
import type { MaybePromise } from "../internal/maybe-promise.js";
import type { ToolResult } from "../protocol/index.js";
import type { StandardSchema } from "../schema/schema.js";

/** What is declared of an action, without its code: all that schemas and descriptions are made from. */
export interface ActionFacts {
  /** `create`, or `users.create` in a group; unique in its tool. */
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string | undefined;
  readonly description?: string | undefined;
  readonly schema?: StandardSchema | undefined;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
}

/** The code of an action, called with validated arguments. */
export type ActionHandler<Context = unknown> = (ctx: Context, args: JsonObject) => MaybePromise<ToolResult>;

/** A layer around an action: it may look, refuse, or hand on with `next()`; a lost `return next()` does not compile. */
export type ActionMiddleware<Context = unknown> = (
  ctx: Context,
  args: JsonObject,
  next: () => MaybePromise<ToolResult>,
) => MaybePromise<ToolResult>;

/** A registered action. */
export interface InternalAction<Context = unknown> extends ActionFacts {
  readonly handler: ActionHandler<Context>;
  /** That of its group, then its own; the first is outermost. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}
