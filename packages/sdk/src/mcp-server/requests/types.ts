/**
 * @fileoverview The types that a server written for the official SDK knows: schemas, callbacks, and what they are given.
 * @module app/mcp-server/types
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

/** A schema of Zod 4. */
export type AnySchema = z.core.$ZodType;

/** What a schema, or a shape, gives. */
export type Parsed<Given> = Given extends AnySchema
  ? z.output<Given>
  : Given extends Shape
    ? z.output<z.ZodObject<Given>>
    : never;

/** Who is calling, as the official transports tell it. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt?: number;
  readonly resource?: URL;
  readonly extra?: Record<string, unknown>;
}

/** A message that needs no answer. */
export interface OutgoingNotification {
  readonly method: string;
  readonly params?: object | undefined;
}

/** A message that needs an answer. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Whatever turns an answer into a value, or throws: a schema of any version of Zod will do. */
export interface AnswerSchema<Answer> {
  parse(answer: unknown): Answer;
}

/** Settings of one request to the client. */
export interface AskOptions {
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest wait in milliseconds.
   * @default none
   */
  readonly timeout?: number | undefined;
}

/** What a callback gets besides its arguments. */
export interface McpExtra {
  /** Aborts when the client cancels or is gone. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly sessionId?: string;
  readonly authInfo?: AuthInfo;
  readonly _meta?: { [key: string]: unknown; progressToken?: RequestId };
  /** The request that carried this call, on HTTP. */
  readonly requestInfo?: { headers: Record<string, string | string[] | undefined>; url?: URL };
  /** Tells the client something that belongs to this call. */
  sendNotification(notification: OutgoingNotification): Promise<void>;
  /** Asks the client something that belongs to this call. */
  sendRequest<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options?: AskOptions,
  ): Promise<Answer>;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

/** What a tool's callback returns. */
export interface CallToolResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

type Later<Value> = Value | Promise<Value>;

/** Runs a tool: with its arguments where it has an input schema. */
export type ToolCallback<Input extends undefined | Shape | AnySchema = undefined> = Input extends
  AnySchema | Shape
  ? (args: Parsed<Input>, extra: McpExtra) => Later<CallToolResult>
  : (extra: McpExtra) => Later<CallToolResult>;

/** Runs a prompt: with its arguments where it has any. */
export type PromptCallback<Args extends undefined | Shape = undefined> = Args extends Shape
  ? (args: Parsed<Args>, extra: McpExtra) => Later<PromptResult>
  : (extra: McpExtra) => Later<PromptResult>;

/** Reads a resource. */
export type ReadResourceCallback = (uri: URL, extra: McpExtra) => Later<ReadResult>;

/** Values of a template's variables, as they stand in the URI. */
export type Variables = Record<string, string | string[]>;

/** Reads one of a family of resources. */
export type ReadResourceTemplateCallback = (
  uri: URL,
  variables: Variables,
  extra: McpExtra,
) => Later<ReadResult>;

/** A resource in a list. */
export type ListedResource = McpResourceDefinition;

/** Lists the resources of a family. */
export type ListResourcesCallback = (
  extra: McpExtra,
) => Later<{ readonly resources: readonly ListedResource[] }>;

/** Suggests values of one variable of a template. */
export type CompleteResourceTemplateCallback = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => Later<string[]>;

/** What clients are told of a resource besides its name and address. */
export interface ResourceMetadata {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

/** What clients are told of a tool. */
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

/** A callback of any kind, as it is kept. */
export type Callback = (...given: never[]) => unknown;
