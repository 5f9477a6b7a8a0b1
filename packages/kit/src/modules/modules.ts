/**
 * @fileoverview Modules: a tool, resource or prompt as a plain object, independent of any server. A test can call its
 * handler directly.
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

/** Default type of the context that an application passes to its handlers. */
export type ToolContext = object;

/** Request data that every server provides. */
export interface ModuleExtra {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** The request's `_meta`. */
  readonly _meta: JsonObject;
  readonly requestId?: RequestId | undefined;
  readonly sessionId?: string | undefined;
  /** Authenticated caller, if the server has authorization. */
  readonly authInfo?: { readonly clientId: string; readonly scopes: readonly string[] } | undefined;
  /** Reports progress. Does nothing if the client did not request it. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Server-specific object: Tenon's `Call`, or the callback argument of the official SDK. */
  readonly raw: unknown;
}

interface ModuleBase {
  readonly name: string;
  readonly title?: string;
  readonly _meta?: JsonObject;
  readonly icons?: readonly Icon[];
}

/** Return value of a tool's handler: its output, or a full result. */
export type ToolModuleReturn<Out> =
  | Out
  | StructuredResult<Out>
  | {
      readonly content: readonly ContentBlock[];
      readonly structuredContent: Out;
      readonly _meta?: JsonObject;
    }
  | (ToolResult & { readonly isError: true });

/** Handler of a tool. */
export type ToolModuleHandler<In = unknown, Out = unknown, Ctx = ToolContext> = (
  args: In,
  extra: ModuleExtra,
  context: Ctx,
) => MaybePromise<ToolModuleReturn<Out>>;

/** Schema of a result. */
export type OutputSchemaLike<Out = unknown> = StandardSchema<Out, unknown>;

/** Tool definition: name, schemas and handler. */
export interface ToolModule<In = unknown, Out = unknown, Ctx = ToolContext> extends ModuleBase {
  /** Description for the model: what the tool does, when to use it and what it needs. */
  readonly description: string;
  readonly inputSchema: StandardSchema<unknown, In>;
  readonly outputSchema?: OutputSchemaLike<Out>;
  readonly annotations?: ToolHints;
  // A method, so that tools with different arguments fit in one list.
  handler(this: void, args: In, extra: ModuleExtra, context: Ctx): MaybePromise<ToolModuleReturn<Out>>;
}

/** URI being read, and the variables of its template. */
export interface ResourceTarget<Variables = unknown> {
  readonly uri: string;
  readonly variables: Variables;
}

/** Resource with a `uri`, or a group of resources with a `uriTemplate`. Exactly one of the two is set. */
export interface ResourceModule<Variables = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  readonly uri?: string;
  /** RFC 6570 template, such as `weather://{city}/today`. */
  readonly uriTemplate?: string;
  readonly mimeType?: string;
  handler(
    this: void,
    target: ResourceTarget<Variables>,
    extra: ModuleExtra,
    context: Ctx,
  ): MaybePromise<ResourceReturn>;
}

/** Prompt definition: arguments and messages. */
export interface PromptModule<Args = unknown, Ctx = ToolContext> extends ModuleBase {
  readonly description?: string;
  /** Object schema with string fields. @default no arguments */
  readonly argsSchema?: StandardSchema<unknown, Args>;
  handler(this: void, args: Args, extra: ModuleExtra, context: Ctx): MaybePromise<PromptReturn>;
}

/** Context type that satisfies every module of a list. */
export type ContextOf<Module> = (
  Module extends { handler(first: never, extra: never, context: infer Ctx): unknown }
    ? (context: Ctx) => void
    : never
) extends (context: infer All) => void
  ? All
  : never;

/**
 * Defines a tool module. Arguments and result are typed by its schemas.
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
>(module: ToolModuleSpec<In, Out, Ctx>): ToolModule<OutputOf<In>, ToolOutput<Out>, Ctx> {
  // The schemas type these parts as the values that they accept.
  return module as ToolModule<OutputOf<In>, ToolOutput<Out>, Ctx>;
}

/** Output of a tool: the input of its output schema, or a value that is converted to content. */
export type ToolOutput<Out> = Out extends StandardSchema ? InputOf<Out> : ToolReturn<undefined>;

/** Tool definition as written by the application. */
export type ToolModuleSpec<In extends StandardSchema, Out extends StandardSchema | undefined, Ctx> = Omit<
  ToolModule,
  "inputSchema" | "outputSchema" | "handler"
> & {
  readonly inputSchema: In;
  readonly outputSchema?: Out;
  // The context type is inferred from the handler. Arguments and result come from the schemas, which preserves
  // literals.
  readonly handler: ((args: never, extra: never, context: Ctx) => unknown) &
    NoInfer<
      (
        args: OutputOf<In>,
        extra: ModuleExtra,
        context: Ctx,
      ) => MaybePromise<ToolModuleReturn<ToolOutput<Out>>>
    >;
};

/** Defines a resource module, or a group of resources. The variables are typed by the template. */
export function defineResourceModule<const Template extends string = "", Ctx = ToolContext>(
  module: Omit<ResourceModule<TemplateVariables<Template>, Ctx>, "uriTemplate"> & {
    readonly uriTemplate?: Template;
  },
): ResourceModule<TemplateVariables<Template>, Ctx> {
  return module;
}

/** Defines a prompt module. The arguments are typed by its schema. */
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
  // As above: the handler takes the values that the schema accepts.
  return module as PromptModule<PromptModuleArgs<Args>, Ctx>;
}

/** Arguments of a prompt's handler. */
export type PromptModuleArgs<Args> = Args extends StandardSchema ? OutputOf<Args> : Record<string, never>;

/**
 * Creates the second argument of a handler, for tests that call it directly.
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
