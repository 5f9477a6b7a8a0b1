/**
 * @fileoverview Action types: the configuration, the stored form, and the declaration that strategies read.
 * @module tenon/grouped/actions/action
 */
import type { Call } from "../../core/call/call.js";
import { HANDLER_ALIASES, SCOPES } from "../../core/definitions/definition-checks.js";
import type { PlainReturn } from "../../core/definitions/tool.js";
import type { TaskMode, ToolTaskOptions, ToolTask } from "../../core/definitions/tool-task.js";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, flag, text } from "@tenon/internal/options/option-rows";
import type { ToolResult } from "../../protocol/index.js";
import type { OutputOf, StandardSchema } from "../../schema/schema.js";

/** Options for `.action()`. */
export const ACTION_OPTIONS = /* @__PURE__ */ defineOptions("action", {
  /** Unique name within the builder or group: 1 to 64 characters, without dots or control characters. */
  name: text({ required: true }),
  /** Purpose of the action, shown to the model. */
  description: text({ allowEmpty: true }),
  /** Schema of the arguments. */
  schema: custom<unknown>({ aliases: ["input", "inputSchema", "parameters", "params", "args"] }),
  /** True if the action may delete or overwrite data. @default false */
  destructive: flag({ default: false, aliases: ["destructiveHint"] }),
  /** True if repeating a call has no further effect. @default false */
  idempotent: flag({ default: false, aliases: ["idempotentHint"] }),
  /** True if the action changes nothing. @default false */
  readOnly: flag({ default: false, aliases: ["readOnlyHint"] }),
  /**
   * Scopes that a caller must have to use the action, in addition to those of the group and the tool. Callers that lack
   * one of them see neither the action nor its fields, and their calls are rejected. Scopes are checked only if the
   * transport authenticates callers.
   */
  scopes: SCOPES.rows.scopes,
  /** Functions that run around the handler. */
  middleware: custom<unknown>({ aliases: ["use"] }),
  /** Runs the action as a task for clients that support tasks. */
  task: custom<unknown>({ aliases: ["tasks", "taskSupport", "execution"] }),
  /** Function that runs the action. */
  handler: callback<unknown>({ required: true, aliases: HANDLER_ALIASES }),
});

/** Action configuration, as passed to `.action()`. */
export interface ActionConfig<Context, Own extends StandardSchema | undefined, Common> extends OptionsOf<
  typeof ACTION_OPTIONS
> {
  /** Schema for the action's own fields, in addition to the common fields. */
  readonly schema?: Own;
  /** Middleware for this action only. It runs inside the group's middleware. */
  readonly middleware?: readonly ActionMiddleware<Context>[] | undefined;
  /**
   * Runs the action as a task for clients that support the Tasks extension. The tool's other actions are not affected.
   * Add `tasks()` from `tenon/tasks` to the server. Has no effect on official SDK servers, which run the action in its
   * request, with `required` too.
   */
  readonly task?: TaskMode | NoInfer<ActionTaskOptions<Context, ActionArgs<Own, Common>>> | undefined;
  /**
   * Runs the action with the application's context and the validated arguments. On a Tenon server, `call` provides
   * progress, cancellation, and requests for user input. `call.context` is the server's own context. It differs from
   * `ctx` if the registry was attached with a `contextFactory`.
   */
  readonly handler: NoInfer<
    (ctx: Context, args: ActionArgs<Own, Common>, call?: Call) => MaybePromise<ToolResult | PlainReturn>
  >;
}

/** Options for an action that runs as a task. `prepare` gets the same arguments as the handler. */
export interface ActionTaskOptions<Context, Args> extends Omit<ToolTaskOptions, "prepare"> {
  /**
   * Runs in the request, before the task is created. Input that it asks for is requested in the ordinary way, and the
   * handler finds the answers under the same keys. An error that it throws rejects the call.
   */
  readonly prepare?: ((ctx: Context, args: Args, call: Call) => MaybePromise<void>) | undefined;
}

/** Handler arguments: the action's own fields and the common fields. */
export type ActionArgs<Own, Common> = (Own extends StandardSchema ? OutputOf<Own> : Record<never, never>) &
  Common;

/** Action declaration without its handler. Strategies generate schemas and descriptions from it. */
export interface ActionFacts {
  /** Unique key within the tool: `create`, or `users.create` for an action in a group. */
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string | undefined;
  readonly groupDescription?: string | undefined;
  readonly description?: string | undefined;
  readonly schema?: StandardSchema | undefined;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
  /** Scopes that a caller must have: the action's own, the group's, and the tool's. Absent if there are none. */
  readonly scopes?: readonly string[] | undefined;
}

/** Compiled action handler. It receives validated arguments and returns a tool result. */
export type ActionHandler<Context = unknown> = (
  ctx: Context,
  args: JsonObject,
  call?: Call,
) => MaybePromise<ToolResult>;

/**
 * Middleware around an action. It can inspect the call, reject it, or continue with `next()`. A missing `return next()`
 * does not compile. Unlike the handler, middleware sees the discriminator field, which names the action.
 */
// oxlint-disable-next-line max-params -- the design of grouped tools fixes the signature
export type ActionMiddleware<Context = unknown> = (
  ctx: Context,
  args: JsonObject,
  next: () => MaybePromise<ToolResult>,
  call?: Call,
) => MaybePromise<ToolResult>;

/** Action as the builder stores it: the declaration, the handler, and the middleware. */
export interface InternalAction<Context = unknown> extends ActionFacts {
  readonly handler: ActionHandler<Context>;
  /** Handler as configured. It may return any value that can be converted to a tool result. */
  readonly plainHandler?: ((ctx: Context, args: JsonObject, call?: Call) => unknown) | undefined;
  /** Group middleware, then action middleware. The first entry is outermost. */
  readonly middleware: readonly ActionMiddleware<Context>[];
  /** Compiled `task` option. */
  readonly task?: ActionTask<Context> | undefined;
}

/** The compiled `task` option of an action. */
export interface ActionTask<Context> extends Omit<ToolTask, "prepare"> {
  readonly prepare: ((ctx: Context, args: JsonObject, call: Call) => MaybePromise<void>) | undefined;
}

/** Action metadata, as returned by `getActionMetadata()`. */
export interface ActionMetadata extends Omit<ActionFacts, "groupDescription" | "schema"> {
  /** Names of the fields that every call must include, both common and own. */
  readonly requiredFields: readonly string[];
  /** True if the action or its group has middleware. */
  readonly hasMiddleware: boolean;
  /** Use of tasks, if the action has a `task` option. */
  readonly task?: TaskMode;
}
