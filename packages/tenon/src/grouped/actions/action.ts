/**
 * @fileoverview Types of an action: its configuration, its internal form, and the facts that strategies read.
 * @module grouped/action
 */
import type { Call } from "../../core/call/call.js";
import type { PlainReturn } from "../../core/definitions/tool.js";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ToolResult } from "../../protocol/index.js";
import type { OutputOf, StandardSchema } from "../../schema/schema.js";

/** Configuration of an action. */
export interface ActionConfig<Context, Own extends StandardSchema | undefined, Common> {
  /** Name, unique in its builder or group. It must not contain dots. */
  readonly name: string;
  /** Purpose of the action, for the model. */
  readonly description?: string;
  /** Schema of the fields besides the common ones. */
  readonly schema?: Own;
  /** True if the action may delete or overwrite data. @default false */
  readonly destructive?: boolean;
  /** True if repeating a call has no further effect. @default false */
  readonly idempotent?: boolean;
  /** True if the action does not change anything. @default false */
  readonly readOnly?: boolean;
  /** Middleware around this action only, inside the middleware of its group. */
  readonly middleware?: readonly ActionMiddleware<Context>[];
  /**
   * Implementation. It gets the application's context, the validated arguments and, on a Tenon server, the call:
   * progress, cancellation and questions to the user. `call` has the server's own context, which differs from `ctx` if
   * the registry was attached with a `contextFactory`.
   */
  readonly handler: NoInfer<
    (ctx: Context, args: ActionArgs<Own, Common>, call?: Call) => MaybePromise<ToolResult | PlainReturn>
  >;
}

/** Arguments of a handler: the fields of its action and the common fields. */
export type ActionArgs<Own, Common> = (Own extends StandardSchema ? OutputOf<Own> : Record<never, never>) &
  Common;

/** Declaration of an action without its code. Schemas and descriptions are generated from it. */
export interface ActionFacts {
  /** Key, unique in its tool: `create`, or `users.create` in a group. */
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string | undefined;
  readonly groupDescription?: string | undefined;
  readonly description?: string | undefined;
  readonly schema?: StandardSchema | undefined;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
}

/** Handler of an action, called with validated arguments. */
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

/** A registered action. */
export interface InternalAction<Context = unknown> extends ActionFacts {
  readonly handler: ActionHandler<Context>;
  /** The handler as configured. It may return any value that converts to a result. */
  readonly plainHandler?: ((ctx: Context, args: JsonObject, call?: Call) => unknown) | undefined;
  /** Middleware of the group, then of the action. The first is outermost. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}

/** Metadata of an action, as a builder reports it. */
export interface ActionMetadata {
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string;
  readonly description?: string;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
  /** Fields that every call must have, including common fields. */
  readonly requiredFields: readonly string[];
  /** True if the action or its group has middleware. */
  readonly hasMiddleware: boolean;
}
