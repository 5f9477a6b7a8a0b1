/**
 * @fileoverview The port for language models: the conversation that they are given, and the pieces of their answer.
 * @module agent/model-port
 */
import type { JsonObject } from "@tenon/internal/json";

/** A function call in the provider's native format. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as the model wrote them. They should be JSON, but may be malformed. */
  readonly arguments: string;
}

/** One message of a conversation, as the model sees it. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      /** Text that the model wrote, including calls in XML. */
      readonly content: string;
      readonly calls?: readonly NativeCall[] | undefined;
    }
  | {
      readonly role: "tool";
      readonly toolName: string;
      /** Result text of the tool. */
      readonly content: string;
      /** Id of the native call that this is the result of. */
      readonly callId?: string | undefined;
    };

/** A tool description for providers with native calls. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
}

/** Input of a model: the system prompt first, then every message so far. */
export interface ModelConversation {
  readonly taskId: string;
  readonly messages: readonly ModelMessage[];
  /** Tools for native calls. For calls in XML, the system prompt describes the tools. */
  readonly tools: readonly ModelTool[];
}

/** Piece of an answer: text, reasoning, or part of a native call. */
export type ModelPiece =
  string | { readonly think: string } | { readonly call: { readonly index: number } & Partial<NativeCall> };

/**
 * A language model. It yields its answer in pieces. Parts of one native call have the same index, and their
 * `arguments` are concatenated.
 *
 * @example const echo: ModelPort = async function* ({ messages }) { yield `${messages.length} messages`; };
 */
export interface ModelPort {
  (conversation: ModelConversation, signal: AbortSignal): AsyncIterable<ModelPiece>;
  /**
   * Format of tool calls: tags in the text, or native calls of the provider.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
}

/** A model failure whose message can be shown to users. Messages of other errors are only logged. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True if a retry may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}
