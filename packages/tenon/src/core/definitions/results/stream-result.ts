/**
 * @fileoverview Collects a handler's async iterable into one tool result. Each chunk is also sent as a progress
 * notification to clients that requested progress.
 * @module tenon/core/definitions/results/stream-result
 */
import { kindOf } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ContentBlock, ToolResult } from "../../../protocol/index.js";
import type { Call } from "../../call/call.js";
import { OutputError } from "../tool-errors.js";
import { isContentBlock, toDirectResult, toJsonResult } from "./tool-result.js";

/**
 * Converts a return value for a tool without an output schema. An async iterable is collected. Other values are
 * converted as in `toToolResult`.
 *
 * @param label start of error messages, such as `Tool "forecast"`
 * @throws {OutputError} if the value cannot be sent
 */
export function toResult(value: unknown, call: Call | undefined, label: string): MaybePromise<ToolResult> {
  const direct = toDirectResult(value);
  if (direct !== undefined) return direct;
  return isStream(value) ? collectStream(value, call, label) : toJsonResult(value, label);
}

/** Narrows a value to an async iterable, such as the value of an async generator function. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function"
  );
}

/**
 * Reads a stream of text and content blocks to its end. Consecutive text is joined into one block. If the call is
 * cancelled or times out, the iterator's `return` method is called.
 *
 * @throws {OutputError} if a chunk is not text or a content block, or if the stream exceeds its limits
 */
async function collectStream(
  stream: AsyncIterable<unknown>,
  call: Call | undefined,
  label: string,
): Promise<ToolResult> {
  const iterator = stream[Symbol.asyncIterator]();
  const collected = new Collected(label);
  const signal = call?.signal;
  let isOpen = true;
  const end = () => {
    if (isOpen) void endQuietly(iterator);
    isOpen = false;
  };
  signal?.addEventListener("abort", end);
  try {
    signal?.throwIfAborted();
    for (let step = await iterator.next(); ; step = await iterator.next()) {
      signal?.throwIfAborted();
      if (step.done === true) isOpen = false;
      if (step.done !== true || step.value !== undefined) {
        await call?.progress(collected.count + 1, undefined, collected.add(step.value));
        signal?.throwIfAborted();
      }
      if (step.done === true) return { content: collected.finish() };
    }
  } finally {
    end();
    signal?.removeEventListener("abort", end);
  }
}

/** Maximum number of characters in all chunks of a stream. */
const MAX_CHARACTERS = 16 * 1_048_576;

/** Maximum number of chunks in a stream. */
const MAX_PIECES = 100_000;

/** Chunks received from a stream so far. */
class Collected {
  readonly #label: string;
  readonly #blocks: ContentBlock[] = [];
  #text: string[] = [];
  #length = 0;
  count = 0;

  constructor(label: string) {
    this.#label = label;
  }

  /** Adds a chunk. Returns its text, if any, for the progress notification. */
  add(piece: unknown): string | undefined {
    const isText = typeof piece === "string";
    if (!isText && !isContentBlock(piece)) {
      throw new OutputError(
        `${this.#label}: the handler's async iterable yielded ${kindOf(piece)}. Yield text or content blocks.`,
      );
    }
    this.#length += isText ? piece.length : lengthOf(piece);
    if (++this.count > MAX_PIECES || this.#length > MAX_CHARACTERS) {
      throw new OutputError(
        `${this.#label}: the handler's async iterable is too long (limit: ${MAX_PIECES} chunks or ` +
          `${MAX_CHARACTERS} characters). Return less data, or link to it with \`resourceLink\`.`,
      );
    }
    if (isText) {
      this.#text.push(piece);
      return piece;
    }
    this.#closeText();
    this.#blocks.push(piece);
    return piece.type === "text" ? piece.text : undefined;
  }

  /** Returns all content blocks. */
  finish(): readonly ContentBlock[] {
    this.#closeText();
    return this.#blocks;
  }

  #closeText(): void {
    if (this.#text.length === 0) return;
    this.#blocks.push({ type: "text", text: this.#text.join("") });
    this.#text = [];
  }
}

function lengthOf(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
    case "audio":
      return block.data.length;
    case "resource":
      return "text" in block.resource ? block.resource.text.length : block.resource.blob.length;
    case "resource_link":
      return block.uri.length;
  }
}

/** Asks an iterator to clean up. The call's outcome is already known, so errors are ignored. */
async function endQuietly(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // Ignore the error: the stream was abandoned.
  }
}
