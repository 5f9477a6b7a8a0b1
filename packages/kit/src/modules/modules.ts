/**
 * @fileoverview Modules: a tool, resource or prompt as one plain object that knows no server. Its handler is a function
 * like any other, so that a test calls it directly.
 * @module kit/modules
 */
import type { PromptReturn } from "tenon";
import type { ResourceReturn, TemplateVariables } from "tenon";
import type { ToolReturn } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ContentBlock, Icon, RequestId, ToolHints, ToolResult } from "tenon/protocol";
import type { InputOf, OutputOf, StandardSchema } from "tenon";
import type { StructuredResult } from "../output/responses.js";

/** Context that an application passes to its handlers, if nothing more is known of it. */
export type ToolContext = object;

/** Facts about a request that every server knows. */
export interface ModuleExtra {
  /** Aborts when the client cancels or is gone. */
  readonly signal: AbortSignal;
  /** The request's `_meta`. */
  readonly _meta: JsonObject;
  readonly requestId?: RequestId | undefined;
  readonly sessionId?: string | undefined;
  /** Who is calling, where the server has authorization. */
  readonly authInfo?: { readonly clientId: string; readonly scopes: readonly string[] } | undefined;
  /** Tells how far the work is; silent where the client did not ask. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** The server's own object for the request: `Call` of Tenon, or what the official SDK hands to its callbacks. */
  readonly raw: unknown;
}

interface ModuleBase {
  readonly name: string;
  readonly title?: string;
  readonly _meta?: JsonObject;
  readonly icons?: readonly Icon[];
}

/** Return value of a tool's handler: its output, or a full result with it. */
export type ToolModuleReturn<Out> =
  | Out
  | StructuredResult<Out>
  | {
      readonly content: readonly ContentBlock[];
      readonly structuredContent: Out;
      readonly _meta?: JsonObject;
    }
  | (ToolResult & { readonly isError: true });

/** The work of a tool. */
export type ToolModuleHandler<In = unknown, Out = unknown, Ctx = ToolContext> = (
  args: In,
  extra: ModuleExtra,
  context: Ctx,
) => MaybePromise<ToolModuleReturn<Out>>;

/** A schema of a result. */
export type OutputSchemaLike<Out = unknown> = StandardSchema<Out, unknown>;

/** A tool: its name, what it takes and gives, and its work. */
export interface ToolModule<In = unknown, Out = unknown, Ctx = ToolContext> extends ModuleBase {
  /** For the model: what it does, when to use it, what it needs. */
  readonly description: string;
  readonly inputSchema: StandardSchema<unknown, In>;
  readonly outputSchema?: OutputSchemaLike<Out>;
  readonly annotations?: ToolHints;
  // A method, so that tools of different arguments make one list.
  handler(this: void, args: In, extra: ModuleExtra, context: Ctx): MaybePromise<ToolModuleReturn<Out>>;
}

/** Address that is read, and the variables that a template found in it. */
export interface ResourceTarget<Variables = unknown> {
  readonly uri: string;
  readonly variables: Variables;
}

/** A resource by its `uri`, or a family of them by its `uriTemplate`: one of the two. */
export interface ResourceModule<Variables = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  readonly uri?: string;
  /** RFC 6570, such as `weather://{city}/today`. */
  readonly uriTemplate?: string;
  readonly mimeType?: string;
  handler(
    this: void,
    target: ResourceTarget<Variables>,
    extra: ModuleExtra,
    context: Ctx,
  ): MaybePromise<ResourceReturn>;
}

/** A prompt: what it takes, and the messages it makes of that. */
export interface PromptModule<Args = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  /** An object schema of text fields; nothing where absent. */
  readonly argsSchema?: StandardSchema<unknown, Args>;
  handler(this: void, args: Args, extra: ModuleExtra, context: Ctx): MaybePromise<PromptReturn>;
}

/** The context that suits every module of a list. */
export type ContextOf<Module> = (
  Module extends { handler(first: never, extra: never, context: infer Ctx): unknown }
    ? (context: Ctx) => void
    : never
) extends (context: infer All) => void
  ? All
  : never;

/**
 * A tool as a module. Arguments and result are typed by its schemas.
 *
 * @example
 * const echo = defineToolModule({
 *   name: "echo",
 *   description: "Says it again",
 *   inputSchema: z.object({ text: z.string() }),
 *   handler: ({ text }) => text,
 * });
 */
export function defineToolModule<
  In extends StandardSchema,
  Out extends StandardSchema | undefined = undefined,
  Ctx = ToolContext,
>(module: ToolModuleSpec<In, Out, Ctx>): ToolModule<OutputOf<In>, ToolOutput<Out>, Ctx> {
  // The parts that are typed by the schemas, as the values that those schemas let through.
  return module as ToolModule<OutputOf<In>, ToolOutput<Out>, Ctx>;
}

/** Output of a tool: the input of its output schema, or a value that becomes content by itself. */
export type ToolOutput<Out> = Out extends StandardSchema ? InputOf<Out> : ToolReturn<undefined>;

/** A tool as it is written. */
export type ToolModuleSpec<In extends StandardSchema, Out extends StandardSchema | undefined, Ctx> = Omit<
  ToolModule,
  "inputSchema" | "outputSchema" | "handler"
> & {
  readonly inputSchema: In;
  readonly outputSchema?: Out;
  // The context is read from the handler; arguments and result come from the schemas alone, which keeps literals.
  readonly handler: ((args: never, extra: never, context: Ctx) => unknown) &
    NoInfer<
      (
        args: OutputOf<In>,
        extra: ModuleExtra,
        context: Ctx,
      ) => MaybePromise<ToolModuleReturn<ToolOutput<Out>>>
    >;
};

/** A resource, or a family of them, as a module. The variables are typed by the template. */
export function defineResourceModule<const Template extends string = "", Ctx = ToolContext>(
  module: Omit<ResourceModule<TemplateVariables<Template>, Ctx>, "uriTemplate"> & {
    readonly uriTemplate?: Template;
  },
): ResourceModule<TemplateVariables<Template>, Ctx> {
  return module;
}

/** A prompt as a module. The arguments are typed by its schema. */
export function definePromptModule<Args extends StandardSchema | undefined = undefined, Ctx = ToolContext>(
  module: Omit<PromptModule, "argsSchema" | "handler"> & {
    readonly argsSchema?: Args;
    readonly handler: (
      args: NoInfer<PromptModuleArgs<Args>>,
      extra: ModuleExtra,
      context: Ctx,
    ) => MaybePromise<PromptReturn>;
  },
): PromptModule<PromptModuleArgs<Args>, Ctx> {
  // As above: what the schema lets through is what the handler takes.
  return module as PromptModule<PromptModuleArgs<Args>, Ctx>;
}

/** Arguments of a prompt's handler. */
export type PromptModuleArgs<Args> = Args extends StandardSchema ? OutputOf<Args> : Record<string, never>;

/**
 * Creates the second argument of a handler, for a test that calls it directly.
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
