/**
 * @fileoverview Types of the official SDK: schemas, callbacks and their arguments.
 * @module sdk/mcp-server/requests/types
 */
import type { z } from "zod";
import type {
  Annotations,
  ContentBlock,
  Icon,
  JsonObject,
  PromptResult,
  ReadResult,
  RequestId,
  McpResourceDefinition,
  ToolHints,
} from "tenon/protocol";

/** Fields by name, as shorthand for an object schema. */
export type Shape = z.ZodRawShape;

/** A Zod 4 schema. */
export type AnySchema = z.core.$ZodType;

/** Output type of a schema or shape. */
export type Parsed<Given> = Given extends AnySchema
  ? z.output<Given>
  : Given extends Shape
    ? z.output<z.ZodObject<Given>>
    : never;

/** Authorization of the caller, as the official transports pass it. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt?: number;
  readonly resource?: URL;
  readonly extra?: Record<string, unknown>;
}

/** A message without a response. */
export interface OutgoingNotification {
  readonly method: string;
  readonly params?: object | undefined;
}

/** A message with a response. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Parses a response, or throws, such as a schema of any Zod version. */
export interface AnswerSchema<Answer> {
  parse(answer: unknown): Answer;
}

/** Options of a request to the client. */
export interface AskOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout in milliseconds.
   * @default none
   */
  readonly timeout?: number | undefined;
}

/** Last argument of a callback: facts about the request, and functions that send to the client. */
export interface McpExtra {
  /** Aborts when the client cancels or disconnects. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly sessionId?: string;
  readonly authInfo?: AuthInfo;
  readonly _meta?: { [key: string]: unknown; progressToken?: RequestId };
  /** The HTTP request of this call. */
  readonly requestInfo?: { headers: Record<string, string | string[] | undefined>; url?: URL };
  /** Sends a notification that belongs to this call. */
  sendNotification(notification: OutgoingNotification): Promise<void>;
  /** Sends a request that belongs to this call. */
  sendRequest<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options?: AskOptions,
  ): Promise<Answer>;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

/** Result of a tool's callback. */
export interface CallToolResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

type Later<Value> = Value | Promise<Value>;

/** Runs a tool. It gets arguments if the tool has an input schema. */
export type ToolCallback<Input extends undefined | Shape | AnySchema = undefined> = Input extends
  AnySchema | Shape
  ? (args: Parsed<Input>, extra: McpExtra) => Later<CallToolResult>
  : (extra: McpExtra) => Later<CallToolResult>;

/** Runs a prompt. It gets arguments if the prompt has a schema for them. */
export type PromptCallback<Args extends undefined | Shape = undefined> = Args extends Shape
  ? (args: Parsed<Args>, extra: McpExtra) => Later<PromptResult>
  : (extra: McpExtra) => Later<PromptResult>;

/** Reads a resource. */
export type ReadResourceCallback = (uri: URL, extra: McpExtra) => Later<ReadResult>;

/** Values of a template's variables, as written in the URI. */
export type Variables = Record<string, string | string[]>;

/** Reads a resource of a template. */
export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  extra: McpExtra,
) => Later<ReadResult>;

/** A resource in a list. */
export type ListedResource = McpResourceDefinition;

/** Lists the resources of a template. */
export type ListResourcesCallback = (
  extra: McpExtra,
) => Later<{ readonly resources: readonly ListedResource[] }>;

/** Suggests values for a variable of a template. */
export type CompleteResourceTemplateCallback = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => Later<string[]>;

/** Facts of a resource, except its name and URI. */
export interface ResourceMetadata {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

/** Facts and schemas of a tool. */
export interface ToolConfig<
  Input extends undefined | Shape | AnySchema,
  Output extends undefined | Shape | AnySchema,
> {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolHints;
  readonly _meta?: Record<string, unknown>;
}

/** A callback of any kind. */
export type Callback = (...given: never[]) => unknown;
