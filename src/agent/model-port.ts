/**
 * @fileoverview The port behind which a language model stands.
 * @module agent/model-port
 */

/** One turn of a conversation, as a model reads it. */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** Aborts when the user interrupts, or the server stops. */
  readonly signal: AbortSignal;
}

/** A language model. Tool calls stand in its text, as XML. */
export interface ModelPort {
  /** Gives the answer piece by piece. */
  stream(request: ModelRequest): AsyncIterable<string>;
}
