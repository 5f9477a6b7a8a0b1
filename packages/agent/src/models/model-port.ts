/**
 * @fileoverview Interface between the agent and a language model: the conversation that the model receives, and
 * the response that it streams.
 * @module agent/models/model-port
 */
import type { JsonObject } from "@tenon/internal/json";

/** Tool call in the provider's native format. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as the model wrote them. Usually JSON, but possibly malformed. */
  readonly arguments: string;
}

/** Part of a message for models that accept images and files. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      /** Media type, such as `image/png`. */
      readonly mediaType: string;
      /** Content as base64. */
      readonly data: string;
      /** File name. */
      readonly name?: string | undefined;
    };

/** Message in the conversation that the model receives. */
export type ModelMessage =
  | { readonly role: "system"; readonly content: string }
  | {
      readonly role: "user";
      /** Text of the message, for models that accept only text. */
      readonly content: string;
      /** Images and files. If the list contains text parts, it is the whole message. Otherwise, it follows `content`. */
      readonly parts?: readonly ContentPart[] | undefined;
    }
  | {
      readonly role: "assistant";
      /** Text that the model wrote, including XML calls. */
      readonly content: string;
      /** Native calls that the model made. */
      readonly calls?: readonly NativeCall[] | undefined;
      /** Data from the `finish` piece of this response. The model gets it back unchanged. */
      readonly metadata?: JsonObject | undefined;
    }
  | {
      readonly role: "tool";
      readonly toolName: string;
      /** Text of the tool's result. */
      readonly content: string;
      /** ID of the native call that produced this result. */
      readonly callId?: string | undefined;
      /** Images and files of the result. Same rules as for user messages. */
      readonly parts?: readonly ContentPart[] | undefined;
    };

/** Tool description for models with native tool calls. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema for the parameters, as the tool's author wrote it. */
  readonly parameters: JsonObject;
}

/** Input for a model. The first message is the system prompt. */
export interface ModelConversation {
  readonly taskId: string;
  readonly messages: readonly ModelMessage[];
  /** Tools for native calls. Empty for XML calls, because the system prompt describes the tools. */
  readonly tools: readonly ModelTool[];
  /** JSON Schema for the response. If it is set, the response must be JSON that matches it. */
  readonly responseSchema?: JsonObject | undefined;
}

/** Number of tokens that a response used. Counts that the provider does not report are missing. */
export interface ModelUsage {
  /** Tokens of the conversation, including cached ones. */
  readonly inputTokens?: number | undefined;
  /** Tokens of the response, including reasoning. */
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** Returns a token count, or `undefined` for other values. */
export function toCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Reason for the end of a response. `length` means that a token limit cut the response off. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

/** End of a response. */
export interface ModelFinish {
  readonly reason: FinishReason;
  readonly usage?: ModelUsage | undefined;
  /**
   * Data that the provider wants back with the results of the response's calls, such as signatures of reasoning. It is
   * JSON, and is stored with the response.
   */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Piece of a streamed response: text, reasoning (`think`), part of a native call, a file as base64, or the end of the
 * response. A `finish` piece is optional and comes last.
 */
export type ModelPiece =
  | string
  | { readonly think: string }
  | { readonly call: { readonly index: number } & Partial<NativeCall> }
  | { readonly file: { readonly mediaType: string; readonly data: string } }
  | { readonly finish: ModelFinish };

/**
 * Language model that streams its response in pieces. Parts of the same native call share an `index`, and their
 * `arguments` are concatenated.
 *
 * @example const echo: ModelPort = async function* ({ messages }) { yield `${messages.length} messages`; };
 */
export interface ModelPort {
  (conversation: ModelConversation, signal: AbortSignal): AsyncIterable<ModelPiece>;
  /**
   * Format of tool calls: XML tags in the text, or the provider's native calls.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
  /** Number of tokens that a conversation and its response may have. */
  readonly contextWindow?: number | undefined;
  /** Name of the model, for telemetry. */
  readonly modelName?: string | undefined;
  /** Provider of the model, for telemetry, as in the OpenTelemetry conventions: `openai`, `anthropic`, … */
  readonly provider?: string | undefined;
}

/**
 * Type of a model failure: the conversation is too long, there are too many requests or the quota is exhausted, the
 * credentials are rejected, a content policy blocks the request, or the server cannot be reached or fails.
 */
export type ModelErrorKind = "context-length" | "rate-limit" | "authentication" | "refused" | "unavailable";

/** Options for `ModelError`. */
export interface ModelErrorOptions extends ErrorOptions {
  /** True if a retry may succeed. @default false */
  readonly isTransient?: boolean | undefined;
  /** Type of the failure, if it is known. */
  readonly kind?: ModelErrorKind | undefined;
}

/** Model failure whose message is shown to users. Other errors' details appear only in the log. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True if a retry may succeed. @default false */
  readonly isTransient: boolean;
  /** Type of the failure, if it is known. */
  readonly kind: ModelErrorKind | undefined;

  constructor(message: string, options: ModelErrorOptions = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
    this.kind = options.kind;
  }
}
