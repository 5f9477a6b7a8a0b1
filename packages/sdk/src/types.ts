/**
 * @fileoverview Counterparts of the official SDK's types: schemas, callbacks, and their arguments.
 * @module sdk/types
 */
import type { TaskMode, ToolTaskOptions } from "tenon";
import type {
  Icon,
  JsonObject,
  McpResourceDefinition,
  PromptResult,
  ReadResult,
  RequestId,
  ToolHints,
  ToolResult,
} from "tenon/protocol";
import type * as z3 from "zod/v3";
import type * as z4 from "zod/v4/core";
import type { RequestTaskStore } from "./server/task-types.js";

/** A schema from Zod 3 or Zod 4. */
export type AnySchema = z3.ZodTypeAny | z4.$ZodType;

/** Raw shape: schemas by field name, as shorthand for an object schema. */
export type Shape = Readonly<Record<string, AnySchema>>;

/** Type that a schema accepts. */
export type InputOf<Schema> = Schema extends z4.$ZodType
  ? z4.input<Schema>
  : Schema extends z3.ZodTypeAny
    ? z3.input<Schema>
    : never;

/** Type that a schema or raw shape returns. */
export type Parsed<Given> = Given extends z4.$ZodType
  ? z4.output<Given>
  : Given extends z3.ZodTypeAny
    ? z3.output<Given>
    : Given extends z4.$ZodShape
      ? z4.output<z4.$ZodObject<Given, z4.$strip>>
      : Given extends z3.ZodRawShape
        ? z3.output<z3.ZodObject<Given>>
        : never;

/** The caller's authorization, in the form that official SDK transports use. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt?: number;
  readonly resource?: URL;
  readonly extra?: Record<string, unknown>;
}

/** Request to the client. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Notification to the client. */
export type OutgoingNotification = OutgoingRequest;

/** Parses a response, or throws if it is invalid. A schema from any Zod version fits. */
export interface AnswerSchema<Answer> {
  parse(answer: unknown): Answer;
}

/** Progress of a request, as the client reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options for requests to the client. */
export interface AskOptions {
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout in milliseconds.
   * @default 60000
   */
  readonly timeout?: number | undefined;
  /**
   * If true, progress restarts the timeout.
   * @default false
   */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  /** Maximum time in milliseconds, even with progress. Checked when progress arrives. */
  readonly maxTotalTimeout?: number | undefined;
  /** Called when the client reports the request's progress. */
  readonly onprogress?: ((progress: Progress) => void) | undefined;
  /** Requests that the client run the request as a task. The response is then the created task. */
  readonly task?:
    { readonly ttl?: number | null | undefined; readonly pollInterval?: number | undefined } | undefined;
  /** Queues the request for a task of the client. The client receives it when it requests the task's result. */
  readonly relatedTask?: { readonly taskId: string } | undefined;
}

/** Options for notifications to the client. */
export interface NotifyOptions {
  /** ID of the request that the notification is about. Only version 2 uses it. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Queues the notification for a task of the client. */
  readonly relatedTask?: { readonly taskId: string } | undefined;
}

/** Request for user input: a form, or a URL to open. */
export interface ElicitParams {
  readonly mode?: "form" | "url";
  readonly message: string;
  readonly requestedSchema?: JsonObject;
  readonly url?: string;
  readonly elicitationId?: string;
}

/** The user's answer. `content` is set only for an accepted form. */
export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

/**
 * Last argument of every callback: data about the request, and functions that send messages to the client. A type
 * alias, because callbacks may declare the argument as `Record<string, unknown>`, and interfaces do not fit that type.
 */
export type McpExtra = {
  /** Aborts when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly sessionId?: string;
  readonly authInfo?: AuthInfo;
  readonly _meta?: { [key: string]: unknown; progressToken?: RequestId };
  /** Headers and URL of the HTTP request. Missing on other transports. */
  readonly requestInfo?: { headers: Record<string, string | string[] | undefined>; url?: URL };
  /** Sends a notification related to this request. */
  sendNotification(notification: OutgoingNotification): Promise<void>;
  /** Sends the client a request related to this one. Rejects with the client's error or the schema's error. */
  sendRequest<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options?: AskOptions,
  ): Promise<Answer>;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
  /** ID of the task that the request belongs to. */
  readonly taskId?: string;
  /** Tasks of the client's session. Missing if the server does not have a task store. */
  readonly taskStore?: RequestTaskStore;
  /** Lifetime that the client requests for its task, in milliseconds. */
  readonly taskRequestedTtl?: number;
};

/** Tool callback result. Missing `content` is sent as an empty array. */
export interface CallToolResult extends Partial<Omit<ToolResult, "structuredContent">> {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

type Later<Value> = Value | Promise<Value>;

/** Runs a tool. Receives arguments only if the tool has an input schema. */
export type ToolCallback<Input extends undefined | Shape | AnySchema = undefined> = Input extends
  AnySchema | Shape
  ? (args: Parsed<Input>, extra: McpExtra) => Later<CallToolResult>
  : (extra: McpExtra) => Later<CallToolResult>;

/** Runs a prompt. Receives arguments only if the prompt has an arguments schema. */
export type PromptCallback<Args extends undefined | Shape = undefined> = Args extends Shape
  ? (args: Parsed<Args>, extra: McpExtra) => Later<PromptResult>
  : (extra: McpExtra) => Later<PromptResult>;

/** Reads the resource with a URI. */
export type ReadResourceCallback = (uri: URL, extra: McpExtra) => Later<ReadResult>;

/** Values of a URI template's variables, still percent-encoded. */
export type Variables = Record<string, string | string[]>;

/** Reads a resource whose URI matches a template. */
export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  extra: McpExtra,
) => Later<ReadResult>;

/** Lists a template's resources. */
export type ListResourcesCallback = (
  extra: McpExtra,
) => Later<{ readonly resources: readonly McpResourceDefinition[] }>;

/** Suggests values for a template variable, given the text typed so far. */
export type CompleteResourceTemplateCallback = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => Later<string[]>;

/** Resource definition, except for its name and URI. */
export interface ResourceMetadata extends Omit<McpResourceDefinition, "name" | "uri"> {}

/** Resource definition, except for its name and URI, and the scopes that it requires. */
export interface ResourceConfig extends ResourceMetadata, ScopesOption {}

/** Option that Tenon adds to registrations. It is not part of the official SDK. */
export interface ScopesOption {
  /**
   * Scopes that a caller must have. Other callers do not see the registration in lists and cannot use it. Scopes are
   * checked only if the transport authenticates callers. Not part of the official SDK.
   */
  readonly scopes?: readonly string[];
}

/** Options of tools and prompts. */
interface DefinitionOptions extends ScopesOption {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** Tool definition, except for its name and callback. */
export interface ToolConfig<Input, Output> extends DefinitionOptions {
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolHints;
  /**
   * Runs the tool as a task for clients that support the Tasks extension. Call `server.extension(tasks())` first. Not
   * part of the official SDK.
   */
  readonly task?: ToolTaskOption;
}

/** The `task` option of a tool. Questions to the client belong in the callback, so `prepare` is not available. */
export type ToolTaskOption = TaskMode | Omit<ToolTaskOptions, "prepare">;

/** Prompt definition, except for its name and callback. */
export interface PromptConfig<Args> extends DefinitionOptions {
  readonly argsSchema?: Args;
}

/** Excludes schemas, which are not a configuration. */
export interface NotASchema {
  readonly "~standard"?: never;
}

/** Callback with any parameters. */
export type Callback = (...given: never[]) => unknown;

/** Cache hint for clients in the stateless revision. */
export interface CacheHint {
  /** Lifetime in milliseconds. */
  readonly ttlMs?: number;
  /** Caches that may store the result: shared ones too, or only the client's own. */
  readonly cacheScope?: "public" | "private";
}

/** Scopes that the caller must request before its request is handled. */
export interface ScopeChallenge {
  readonly scopes: readonly [string, ...string[]];
  readonly errorDescription?: string;
}

/** Decides whether a request needs more OAuth scopes. Returns `undefined` to handle the request. */
export type ScopeChallengeHandler = (context: {
  request: { jsonrpc: "2.0"; id: RequestId; method: string; params?: JsonObject };
  authInfo?: AuthInfo;
}) => Later<ScopeChallenge | undefined>;
