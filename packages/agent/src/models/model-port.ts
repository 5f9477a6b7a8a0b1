/**
 * @fileoverview Interface between the agent and a language model: the conversation that the model receives, and
 * the response that it streams.
 * @module agent/model-port
 */
import type { JsonObject } from "@tenon/internal/json";

/** Tool call in the provider's native format. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as the model wrote them. Usually JSON, but possibly malformed. */
  readonly arguments: string;
}

/** Message in the conversation that the model receives. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      /** Text that the model wrote, including XML calls. */
      readonly content: string;
      /** Native calls that the model made. */
      readonly calls?: readonly NativeCall[] | undefined;
    }
  | {
      readonly role: "tool";
      readonly toolName: string;
      /** Text of the tool's result. */
      readonly content: string;
      /** ID of the native call that produced this result. */
      readonly callId?: string | undefined;
    };

/** Tool description for models with native tool calls. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema for the parameters. */
  readonly parameters: JsonObject;
}

/** Input for a model. The first message is the system prompt. */
export interface ModelConversation {
  readonly taskId: string;
  readonly messages: readonly ModelMessage[];
  /** Tools for native calls. Empty for XML calls, because the system prompt describes the tools. */
  readonly tools: readonly ModelTool[];
}

/** Piece of a streamed response: text, reasoning (`think`), or part of a native call. */
export type ModelPiece =
  string | { readonly think: string } | { readonly call: { readonly index: number } & Partial<NativeCall> };

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
}

/** Model failure whose message is shown to users. Other errors' details appear only in the log. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True if a retry may succeed. @default false */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}
