/**
 * @fileoverview Response body stream that sends data at its reader's pace.
 * @module tenon/transport/fetch/web-body
 */
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { Holder, MemoryBudget } from "../http/limits/memory-budget.js";
import type { StreamedBody } from "../http/sse-writer.js";
import { toPieces } from "../to-pieces.js";

/** Maximum number of bytes per chunk. Each chunk that the reader takes counts as progress. */
const SLICE_BYTES = 65_536;

/** Number of queued bytes at which writers are asked to wait. */
const HIGH_WATER_MARK = 16_384;

/** Chunk of a text. */
interface Piece {
  readonly bytes: Uint8Array;
  /** True for the last piece of its text. */
  readonly isLast: boolean;
}

/** Response body that waits for its reader, subject to the endpoint's write timeout and memory budget. */
export class WebBody implements Holder, StreamedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly waitsForClient = true;
  readonly #budget: MemoryBudget;
  readonly #gone: AbortController;
  readonly #queue: Piece[] = [];
  readonly #onClose: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queuedBytes = 0;
  /** True while the reader waits for data. */
  #isWanted = false;
  #isEnding = false;
  #isOpen = true;
  /** True if the reader has taken only a part of a text. */
  #isPartial = false;
  /** Resolves when the reader has caught up or disconnected. */
  #drained: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  /**
   * @param gone aborts when the client disconnects; this class aborts it if the client stops reading
   * @param isBridged true if a bridge from Node reads the stream
   */
  constructor(gone: AbortController, budget: MemoryBudget, isBridged: boolean) {
    this.#gone = gone;
    this.#budget = budget;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#handOut(),
        cancel: () => this.#leave(),
      },
      // Chunks are enqueued only on demand, so every enqueued chunk counts as progress.
      { highWaterMark: 0 },
    );
    // As with `fetch` itself, aborting the request errors the stream. A bridge would print that error.
    const onGone = () => (isBridged ? this.#finish() : this.#fail(gone.signal.reason));
    if (gone.signal.aborted) onGone();
    else gone.signal.addEventListener("abort", onGone);
  }

  get heldBytes(): number {
    return this.#queuedBytes;
  }

  /** Disconnects a client that stopped reading. */
  drop(): void {
    this.#fail(new Error("The client stopped reading the response."));
    this.#leave();
  }

  /** Sends text. If the reader is behind, returns a promise that resolves when the reader has caught up. */
  write(text: string): Promise<void> | undefined {
    if (!this.#isOpen || this.#isEnding) return undefined;
    const bytes = encodeUtf8(text);
    const pieces = toPieces(bytes, SLICE_BYTES);
    for (const [index, piece] of pieces.entries())
      this.#queue.push({ bytes: piece, isLast: index === pieces.length - 1 });
    this.#queuedBytes += bytes.length;
    if (this.#isWanted) this.#handOut();
    this.#budget.update(this, false);
    if (this.#queuedBytes < HIGH_WATER_MARK) return undefined;
    return (this.#drained ??= new Promise((resolve) => {
      this.#onDrained = () => {
        this.#drained = undefined;
        this.#onDrained = undefined;
        resolve();
      };
    }));
  }

  /** Ends the body after all written text. */
  end(): void {
    this.#isEnding = true;
    if (this.#queuedBytes === 0) this.#finish();
  }

  cut(last: string): void {
    if (!this.#isOpen) return;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#onDrained?.();
    if (!this.#isPartial && last !== "") void this.write(last);
    this.end();
  }

  /** Runs a task when the body is complete or the client has disconnected. */
  onClose(task: () => void): void {
    if (this.#isOpen) this.#onClose.push(task);
    else task();
  }

  #handOut(): void {
    const piece = this.#queue.shift();
    this.#isWanted = piece === undefined;
    if (piece === undefined) return;
    this.#isPartial = !piece.isLast;
    this.#queuedBytes -= piece.bytes.length;
    this.#controller?.enqueue(piece.bytes);
    this.#budget.update(this, true);
    if (this.#queuedBytes < HIGH_WATER_MARK) this.#onDrained?.();
    if (this.#queuedBytes === 0 && this.#isEnding) this.#finish();
  }

  #finish(): void {
    if (!this.#isOpen) return;
    this.#controller?.close();
    this.#close();
  }

  #fail(reason: unknown): void {
    if (this.#isOpen) this.#controller?.error(reason);
    this.#close();
  }

  #leave(): void {
    this.#close();
    this.#gone.abort(new Error("The client disconnected."));
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#budget.remove(this);
    this.#onDrained?.();
    for (const task of this.#onClose.splice(0)) task();
  }
}
