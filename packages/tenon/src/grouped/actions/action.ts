/**
 * @fileoverview One operation of a grouped tool: as a developer writes it, as the builder keeps it, and as the
 * strategies read it.
 * @module grouped/action
 */
import type { Call } from "../../core/call/call.js";
import type { PlainReturn } from "../../core/definitions/tool.js";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ToolResult } from "../../protocol/index.js";
import type { OutputOf, StandardSchema } from "../../schema/schema.js";

/** An operation, as a developer writes it. */
export interface ActionConfig<Context, Own extends StandardSchema | undefined, Common> {
  /** Unique in its builder or group; without dots. */
  readonly name: string;
  /** For the model: what it does. */
  readonly description?: string;
  /** What it takes besides the common fields. */
  readonly schema?: Own;
  /** It may destroy something. @default false */
  readonly destructive?: boolean;
  /** The same call again changes nothing more. @default false */
  readonly idempotent?: boolean;
  /** It changes nothing. @default false */
  readonly readOnly?: boolean;
  /** Layers around this action alone, inside those of its group. */
  readonly middleware?: readonly ActionMiddleware<Context>[];
  /**
   * The code. It gets the application's context, the validated arguments, and, where a server of Tenon runs it, the
   * call: progress, cancellation, questions to the user. The context of the call is the server's own, which `ctx` is
   * not where a registry was attached with a `contextFactory`.
   */
  readonly handler: NoInfer<
    (ctx: Context, args: ActionArgs<Own, Common>, call?: Call) => MaybePromise<ToolResult | PlainReturn>
  >;
}

/** What a handler gets: the fields of its action and the common ones. */
export type ActionArgs<Own, Common> = (Own extends StandardSchema ? OutputOf<Own> : Record<never, never>) &
  Common;

/** What is declared of an action, without its code: all that schemas and descriptions are made from. */
export interface ActionFacts {
  /** `create`, or `users.create` in a group; unique in its tool. */
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

/** The code of an action, called with validated arguments. */
export type ActionHandler<Context = unknown> = (
  ctx: Context,
  args: JsonObject,
  call?: Call,
) => MaybePromise<ToolResult>;

/**
 * A layer around an action: it may look, refuse, or hand on with `next()`; a lost `return next()` does not compile.
 * It sees which action is meant in the discriminator's field, which the handler does not.
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
  /** The handler as it was written, which may give any value that becomes a result. */
  readonly plainHandler?: ((ctx: Context, args: JsonObject, call?: Call) => unknown) | undefined;
  /** That of its group, then its own; the first is outermost. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}

/** What the introspection of a builder tells of an action. */
export interface ActionMetadata {
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string;
  readonly description?: string;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
  /** What every call must carry, the common fields included. */
  readonly requiredFields: readonly string[];
  /** Whether its group, or the action itself, has middleware. */
  readonly hasMiddleware: boolean;
}
