/**
 * @fileoverview The port behind which a language model stands: what it is asked, and the pieces of its answer.
 * @module agent/model-port
 */
import type { JsonObject } from "@tenon/internal/json";

/** A function call that a provider has a form of its own for. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON, if it did well. */
  readonly arguments: string;
}

/** One message of a conversation, as a model reads it. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      /** All that the model wrote; calls that it wrote in XML are in it. */
      readonly content: string;
      readonly calls?: readonly NativeCall[] | undefined;
    }
  | {
      readonly role: "tool";
      readonly toolName: string;
      /** What the tool said. */
      readonly content: string;
      /** Of the native call that this is the result of. */
      readonly callId?: string | undefined;
    };

/** A tool as providers with function calls want to know it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: JsonObject;
}

/** Input of a model: the system prompt first, then every message so far. */
export interface ModelConversation {
  readonly taskId: string;
  readonly messages: readonly ModelMessage[];
  /** For native calls; in XML they stand in the system prompt. */
  readonly tools: readonly ModelTool[];
}

/** A piece of an answer: text, what the model thinks aloud, or a part of a native call. */
export type ModelPiece =
  string | { readonly think: string } | { readonly call: { readonly index: number } & Partial<NativeCall> };

/**
 * A language model: it gives the answer piece by piece. Parts of one native call have the same index, and their
 * `arguments` are put together.
 *
 * @example const echo: ModelPort = async function* ({ messages }) { yield `${messages.length} messages`; };
 */
export interface ModelPort {
  (conversation: ModelConversation, signal: AbortSignal): AsyncIterable<ModelPiece>;
  /**
   * How it calls tools: by tags in its text, or by function calls of the provider's own form.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
}

/** A failure of a model whose message may be told to users. Anything else that a model throws stays with the operator. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** Whether the same question may well be answered next time. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}
