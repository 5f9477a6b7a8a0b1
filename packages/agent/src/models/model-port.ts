/**
 * @fileoverview Interface between the agent and a language model: the conversation that the model receives, and
 * the answer that it streams.
 * @module agent/model-port
 */
import type { JsonObject } from "@tenon/internal/json";

/** A tool call in the provider's native format. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as the model wrote them. Usually JSON, but possibly malformed. */
  readonly arguments: string;
}

/** A message in the conversation that the model receives. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      /** Text that the model wrote, including calls in XML. */
      readonly content: string;
      /** Native calls that the model made. */
      readonly calls?: readonly NativeCall[] | undefined;
    }
  | {
      readonly role: "tool";
      readonly toolName: string;
      /** Text of the tool's result. */
      readonly content: string;
      /** Id of the native call that produced this result. */
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
  /** Tools for native calls. Empty for calls in XML, because the system prompt describes the tools. */
  readonly tools: readonly ModelTool[];
}

/** Piece of a streamed answer: text, reasoning (`think`), or part of a native call. */
export type ModelPiece =
  string | { readonly think: string } | { readonly call: { readonly index: number } & Partial<NativeCall> };

/**
 * A language model that streams its answer in pieces. Parts of the same native call share an `index`, and their
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

/** A model failure whose message is shown to users. The details of other errors appear only in the log. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True if a retry may succeed. @default false */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}
