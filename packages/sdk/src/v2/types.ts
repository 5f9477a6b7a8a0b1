/**
 * @fileoverview Counterparts of the types of the official SDK, version 2. They are used if that package is not
 * installed.
 * @module sdk/v2/types
 */
import type { StandardSchema as StandardSchemaWithJSON } from "tenon";
import type {
  JsonObject,
  LogLevel,
  McpResourceDefinition,
  PromptResult,
  ReadResult,
  RequestId,
  SamplingRequest,
  SamplingResult,
} from "tenon/protocol";
import type * as z4 from "zod/v4/core";
import type * as prompts from "../server/registrations/prompts.js";
import type * as tools from "../server/registrations/tools.js";
import type {
  AskOptions,
  AuthInfo,
  CacheHint,
  ElicitParams,
  ElicitResult,
  OutgoingNotification,
  OutgoingRequest,
  ResourceMetadata,
  ScopeChallenge,
  ScopeChallengeHandler,
  Variables,
} from "../types.js";
import type * as v1 from "../types.js";

export type {
  AskOptions,
  AuthInfo,
  CacheHint,
  ElicitParams,
  ElicitResult,
  OutgoingNotification,
  OutgoingRequest,
  ResourceMetadata,
  SamplingResult,
  ScopeChallenge,
  ScopeChallengeHandler,
  StandardSchemaWithJSON,
  Variables,
};

/** A Standard Schema: validates values, from any library that implements the interface. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": Omit<StandardSchemaWithJSON<Input, Output>["~standard"], "jsonSchema">;
}

/** Validation result of a Standard Schema. */
export type Checked<Output> = Awaited<ReturnType<StandardSchema<unknown, Output>["~standard"]["validate"]>>;

/** Type that a Standard Schema returns. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Raw shape: Zod 4 schemas by field name, as shorthand for `z.object`. */
export type ZodRawShape = Readonly<Record<string, z4.$ZodType>>;

/** Type that a schema or raw shape returns. */
export type Parsed<Given> = Given extends StandardSchema
  ? OutputOf<Given>
  : Given extends z4.$ZodShape
    ? z4.output<z4.$ZodObject<Given, z4.$strip>>
    : never;

/** An `elicitation/create`, `sampling/createMessage`, or `roots/list` request inside an input-required result. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object;
}

/** Result that asks the client for input. The client repeats its request with the responses. */
export interface InputRequiredResult {
  readonly resultType: "input_required";
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  readonly requestState?: string;
  readonly _meta?: JsonObject;
  readonly [key: string]: unknown;
}

/** Last argument of every callback: the request, and functions that send messages to its client. */
export interface ServerContext {
  readonly sessionId?: string | undefined;
  readonly mcpReq: {
    readonly id: RequestId;
    readonly method: string;
    /** Metadata of the request, without the envelope. */
    readonly _meta?: { readonly [key: string]: unknown; readonly progressToken?: RequestId } | undefined;
    /** Protocol version, client information, and capabilities of a stateless request. */
    readonly envelope?: { readonly [key: string]: unknown } | undefined;
    /** Responses to the requests for input of the previous round, by key. */
    readonly inputResponses?: { readonly [key: string]: unknown } | undefined;
    /** Keys of responses that were not objects in the form of a response. */
    readonly droppedInputResponseKeys?: readonly string[] | undefined;
    /** Returns the state of the previous round: the value of `requestState.verify`, or else the client's text. */
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller states the type, as in the official SDK
    requestState<T = unknown>(): T | undefined;
    /** Aborts when the client cancels the request or disconnects. */
    readonly signal: AbortSignal;
    /** Sends the client a request related to this one. Not available in the stateless revision. */
    send(request: OutgoingRequest, options?: AskOptions): Promise<unknown>;
    send<Schema extends StandardSchema>(
      request: OutgoingRequest,
      resultSchema: Schema,
      options?: AskOptions,
    ): Promise<OutputOf<Schema>>;
    /** Sends a notification related to this request. */
    notify(notification: OutgoingNotification): Promise<void>;
    /** Sends a log message. Does nothing unless the server declares `logging`. */
    log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
    /** Asks the user for input. Not available in the stateless revision; return `inputRequired` instead. */
    elicitInput(params: ElicitParams, options?: AskOptions): Promise<ElicitResult>;
    /** Requests a completion from the client's model. Not available in the stateless revision. */
    requestSampling(params: SamplingRequest, options?: AskOptions): Promise<SamplingResult>;
  };
  readonly http?:
    | {
        readonly authInfo?: AuthInfo | undefined;
        readonly req?: globalThis.Request | undefined;
        readonly closeSSE?: (() => void) | undefined;
        readonly closeStandaloneSSE?: (() => void) | undefined;
      }
    | undefined;
}

type Later<Value> = Value | Promise<Value>;

/** Tool callback result. Missing `content` is sent as an empty array. */
export interface CallToolResult extends Omit<v1.CallToolResult, "structuredContent"> {
  readonly structuredContent?: unknown;
}

/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Input extends undefined | ZodRawShape | StandardSchema = undefined> = Input extends
  ZodRawShape | StandardSchema
  ? (args: Parsed<Input>, ctx: ServerContext) => Later<CallToolResult | InputRequiredResult>
  : (ctx: ServerContext) => Later<CallToolResult | InputRequiredResult>;

/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends undefined | ZodRawShape | StandardSchema = undefined> = Args extends
  ZodRawShape | StandardSchema
  ? (args: Parsed<Args>, ctx: ServerContext) => Later<PromptResult | InputRequiredResult>
  : (ctx: ServerContext) => Later<PromptResult | InputRequiredResult>;

/** Reads the resource with a URI. */
export type ReadResourceCallback = (uri: URL, ctx: ServerContext) => Later<ReadResult | InputRequiredResult>;

/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  ctx: ServerContext,
) => Later<ReadResult | InputRequiredResult>;

/** Lists a template's resources. */
export type ListResourcesCallback = (
  ctx: ServerContext,
) => Later<{ readonly resources: readonly McpResourceDefinition[] }>;

/** Resource definition and options that are not listed. */
export interface ResourceConfig extends v1.ResourceConfig {
  /** Cache hint for the resource's content. */
  readonly cacheHint?: CacheHint;
  readonly scopeChallenge?: ScopeChallengeHandler;
}

/** Tool definition, except for its name and callback. */
export interface ToolConfig<Input, Output> extends v1.ToolConfig<Input, Output> {
  readonly scopeChallenge?: ScopeChallengeHandler;
}

/** Prompt definition, except for its name and callback. */
export interface PromptConfig<Args> extends v1.PromptConfig<Args> {
  readonly scopeChallenge?: ScopeChallengeHandler;
}

/** Capabilities that a server declares. */
export interface ServerCapabilities {
  readonly experimental?: object;
  readonly logging?: object;
  readonly completions?: object;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  readonly extensions?: object;
  readonly [name: string]: unknown;
}

/** Methods whose results clients may cache in the stateless revision. */
export type CacheableMethod =
  | "tools/list"
  | "prompts/list"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "server/discover";

/** A registered tool. Every change notifies clients. */
export interface RegisteredTool extends Omit<tools.RegisteredTool, "update"> {
  /** Updates the tool. @throws if the name is already in use or a schema is not supported */
  update(
    updates: Omit<tools.ToolUpdates<v1.Shape, v1.Shape>, "callback" | "outputSchema" | "paramsSchema"> & {
      readonly paramsSchema?: unknown;
      readonly outputSchema?: unknown;
      readonly callback?: v1.Callback;
    },
  ): void;
}

/** A registered prompt. Every change notifies clients. */
export interface RegisteredPrompt extends Omit<prompts.RegisteredPrompt, "update"> {
  /** Updates the prompt. @throws if the name is already in use or the schema is not supported */
  update(
    updates: Omit<prompts.PromptUpdates<v1.Shape>, "argsSchema" | "callback"> & {
      readonly argsSchema?: unknown;
      readonly callback?: v1.Callback;
    },
  ): void;
}
