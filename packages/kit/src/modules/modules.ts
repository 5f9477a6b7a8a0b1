/**
 * @fileoverview Modules: tools, resources, and prompts as plain objects that do not depend on a server. Tests can call
 * their handlers directly.
 * @module kit/modules/modules
 */
import type { PromptReturn } from "tenon";
import type { ResourceReturn, TemplateVariables } from "tenon";
import type { TaskMode, ToolTaskOptions, ToolReturn } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ContentBlock, Icon, RequestId, ToolHints, ToolResult } from "tenon/protocol";
import type { InputOf, OutputOf, StandardSchema } from "tenon";
import type { StructuredResult } from "../output/responses.js";

/** Default type for the context that an application passes to its handlers. */
export type ToolContext = object;

/** Request data for handlers. It is the same on Tenon and official SDK servers. */
export interface ModuleExtra {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** The request's `_meta`. Empty if the client did not send any. */
  readonly _meta: JsonObject;
  /** JSON-RPC request ID. */
  readonly requestId?: RequestId | undefined;
  /** Session ID. Set only on official SDK servers with sessions. */
  readonly sessionId?: string | undefined;
  /** Authenticated caller. Absent if the server does not use authorization. */
  readonly authInfo?: { readonly clientId: string; readonly scopes: readonly string[] } | undefined;
  /** Sends a progress notification. Does nothing if the client did not request progress. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Server-specific object: Tenon's `Call`, or the official SDK's callback argument. */
  readonly raw: unknown;
}

interface ModuleBase {
  /** Unique name within its kind. */
  readonly name: string;
  /** Display name for people. */
  readonly title?: string;
  readonly _meta?: JsonObject;
  readonly icons?: readonly Icon[];
  /**
   * Scopes that a caller must have. Other callers do not see the module in lists and cannot use it. Scopes are checked
   * only if the transport authenticates callers. Official SDK servers cannot check them, and reject such modules.
   */
  readonly scopes?: readonly string[];
}

/** Return value of a tool handler: the output, or a full tool result. */
export type ToolModuleReturn<Out> =
  | Out
  | StructuredResult<Out>
  | {
      readonly content: readonly ContentBlock[];
      readonly structuredContent: Out;
      readonly _meta?: JsonObject;
    }
  | (ToolResult & { readonly isError: true });

/** Handles calls to a tool. Arguments are validated before the handler runs. */
export type ToolModuleHandler<In = unknown, Out = unknown, Ctx = ToolContext> = (
  args: In,
  extra: ModuleExtra,
  context: Ctx,
) => MaybePromise<ToolModuleReturn<Out>>;

/** Output schema from any Standard Schema library. */
export type OutputSchemaLike<Out = unknown> = StandardSchema<Out, unknown>;

/** Tool as a plain object, with its schemas and handler. */
export interface ToolModule<In = unknown, Out = unknown, Ctx = ToolContext> extends ModuleBase {
  /** Tells the model what the tool does, when to use it, and what it requires. */
  readonly description: string;
  /** Validates the arguments. */
  readonly inputSchema: StandardSchema<unknown, In>;
  /**
   * Validates the output. A result that does not match is an error. `defineToolModule` also checks the handler against
   * the schema's type.
   */
  readonly outputSchema?: OutputSchemaLike;
  /** Hints for clients, such as `readOnlyHint`. */
  readonly annotations?: ToolHints;
  /**
   * Runs the tool as a task for clients that support the Tasks extension. Add `tasks()` from `tenon/tasks` to the
   * server. Has no effect on official SDK servers, which run the tool in its request, with `required` too.
   */
  readonly task?: TaskMode | ModuleTaskOptions;
  // Declared as a method, so that tools with different argument types fit in one array.
  handler(this: void, args: In, extra: ModuleExtra, context: Ctx): MaybePromise<ToolModuleReturn<Out>>;
}

/** Options for a tool module that runs as a task. */
export type ModuleTaskOptions = Omit<ToolTaskOptions, "prepare">;

/** URI that the client reads, with its template variables. */
export interface ResourceTarget<Variables = unknown> {
  readonly uri: string;
  readonly variables: Variables;
}

/** Resource with a fixed `uri`, or a group of resources with a `uriTemplate`. Set exactly one of the two. */
export interface ResourceModule<Variables = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  /** URI of a single resource. */
  readonly uri?: string;
  /** RFC 6570 template, such as `weather://{city}/today`. */
  readonly uriTemplate?: string;
  /** Media type of the content. */
  readonly mimeType?: string;
  handler(
    this: void,
    target: ResourceTarget<Variables>,
    extra: ModuleExtra,
    context: Ctx,
  ): MaybePromise<ResourceReturn>;
}

/** Prompt as a plain object, with its arguments and handler. */
export interface PromptModule<Args = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  /** Object schema with string fields. @default no arguments */
  readonly argsSchema?: StandardSchema<unknown, Args>;
  handler(this: void, args: Args, extra: ModuleExtra, context: Ctx): MaybePromise<PromptReturn>;
}

/** Context type that satisfies all of the given modules. */
export type ContextOf<Module> = (
  Module extends { handler(first: never, extra: never, context: infer Ctx): unknown }
    ? (context: Ctx) => void
    : never
) extends (context: infer All) => void
  ? All
  : never;

/**
 * Defines a tool module. Its schemas determine the types of the arguments and the result.
 *
 * @example
 * const echo = defineToolModule({
 *   name: "echo",
 *   description: "Echoes the text",
 *   inputSchema: z.object({ text: z.string() }),
 *   handler: ({ text }) => text,
 * });
 */
export function defineToolModule<
  In extends StandardSchema,
  Out extends StandardSchema | undefined = undefined,
  Ctx = ToolContext,
>(module: ToolModuleSpec<In, Out, Ctx>): ToolModule<OutputOf<In>, ToolOutput<Out>, NoInfer<Ctx>> {
  // Safe: the schemas guarantee the handler's types. `NoInfer` keeps the context type from being inferred from the
  // array that contains the module.
  return module as ToolModule<OutputOf<In>, ToolOutput<Out>, Ctx>;
}

/** Output type of a tool: the output schema's input type, or any value that can be converted to content. */
export type ToolOutput<Out> = Out extends StandardSchema ? InputOf<Out> : ToolReturn<undefined>;

/** Argument for `defineToolModule`. */
export type ToolModuleSpec<In extends StandardSchema, Out extends StandardSchema | undefined, Ctx> = Omit<
  ToolModule,
  "inputSchema" | "outputSchema" | "handler"
> & {
  readonly inputSchema: In;
  readonly outputSchema?: Out;
  // The context type is inferred from the handler. Argument and result types come from the schemas, which preserves
  // literal types.
  readonly handler: ((args: never, extra: never, context: Ctx) => unknown) &
    NoInfer<
      (
        args: OutputOf<In>,
        extra: ModuleExtra,
        context: Ctx,
      ) => MaybePromise<ToolModuleReturn<ToolOutput<Out>>>
    >;
};

/** Defines a module for a resource or a group of resources. The template determines the variables' types. */
export function defineResourceModule<const Template extends string = "", Ctx = ToolContext>(
  module: Omit<ResourceModule<TemplateVariables<Template>, Ctx>, "uriTemplate"> & {
    readonly uriTemplate?: Template;
  },
): ResourceModule<TemplateVariables<Template>, NoInfer<Ctx>> {
  return module;
}

/** Defines a prompt module. Its schema determines the arguments' types. */
export function definePromptModule<Args extends StandardSchema | undefined = undefined, Ctx = ToolContext>(
  module: Omit<PromptModule, "argsSchema" | "handler"> & {
    readonly argsSchema?: Args;
    readonly handler: (
      args: NoInfer<PromptModuleArgs<Args>>,
      extra: ModuleExtra,
      context: Ctx,
    ) => MaybePromise<PromptReturn>;
  },
): PromptModule<PromptModuleArgs<Args>, NoInfer<Ctx>> {
  // Safe: the schema guarantees the handler's types.
  return module as PromptModule<PromptModuleArgs<Args>, Ctx>;
}

/** Argument type of a prompt handler. */
export type PromptModuleArgs<Args> = Args extends StandardSchema ? OutputOf<Args> : Record<string, never>;

/**
 * Creates a `ModuleExtra` for tests that call a handler directly. Its signal never aborts, and progress is discarded.
 *
 * @example await echo.handler({ text: "hi" }, createExtra(), {});
 */
export function createExtra(known: Partial<ModuleExtra> = {}): ModuleExtra {
  return {
    signal: new AbortController().signal,
    _meta: {},
    progress: async () => {},
    raw: undefined,
    ...known,
  };
}
