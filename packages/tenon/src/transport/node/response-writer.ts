/**
 * @fileoverview Writes a `node:http` response in chunks at its client's pace, so that progress can be measured.
 * @module tenon/transport/node/response-writer
 */
import type { ServerResponse } from "node:http";
import type { Holder, MemoryBudget } from "../http/limits/memory-budget.js";
import { onSocketClose } from "../http/limits/socket-close.js";
import type { StreamedBody } from "../http/sse-writer.js";
import { byteFunctions } from "../node-buffer.js";
import { toPieces } from "../to-pieces.js";

/**
 * Maximum number of bytes per socket write. Node reports a write only after it is complete, so a client must read this
 * much within the write timeout.
 */
export const SLICE_BYTES = 262_144;

/** Response with content that its client has not read yet. */
export class ResponseWriter implements Holder, StreamedBody {
  readonly #response: ServerResponse;
  readonly #budget: MemoryBudget;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #hasWritten = false;
  #isEnding = false;
  #isWatched = false;
  /** Sends the status and the headers. Set while the response waits for its turn. */
  #sendHead: (() => void) | undefined;
  /** Resolves when the client has read the queued content or disconnected. */
  #drained: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  constructor(response: ServerResponse, budget: MemoryBudget) {
    this.#response = response;
    this.#budget = budget;
  }

  get heldBytes(): number {
    return this.#queuedBytes + this.#response.writableLength;
  }

  /** False for a pipelined response: it gets its socket after earlier responses are complete. */
  get waitsForClient(): boolean {
    return this.#response.socket !== null;
  }

  /** Disconnects the client. While the response waits for its turn, rejects only its own request. */
  drop(): void {
    const response = this.#response;
    if (this.#sendHead === undefined) {
      response.req.socket.destroy();
      return;
    }
    this.#sendHead = () => response.writeHead(503, DROPPED_HEADERS);
    this.#isEnding = true;
    this.#onClose();
  }

  /**
   * Keeps a pipelined response here until the earlier responses on its connection are complete. Node would keep it too,
   * but would stop reading from the connection, and then could not detect that the client has disconnected.
   */
  waitForTurn(sendHead: () => void): void {
    this.#sendHead = sendHead;
    // Node is not ready for writes during the event.
    this.#response.once("socket", () => queueMicrotask(this.#onTurn));
  }

  readonly #onTurn = (): void => {
    const response = this.#response;
    try {
      this.#sendHead?.();
    } catch {
      response.req.socket.destroy();
      return;
    }
    this.#sendHead = undefined;
    if (this.#queuedBytes > 0) this.#writeSlice();
    else if (this.#isEnding) response.end();
  };

  /** Sends content. If the client is behind, returns a promise that resolves when the client has caught up. */
  write(content: string | Uint8Array): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed || this.#isEnding) return undefined;
    this.#hasWritten = true;
    const isWaiting = this.#sendHead !== undefined;
    if (this.#queuedBytes === 0 && content.length <= SLICE_BYTES && !isWaiting) {
      if (response.write(content)) return undefined;
    } else {
      const isFirst = this.#queuedBytes === 0 && !isWaiting;
      // Bytes that responses share are not copied.
      const encoded = typeof content === "string" ? byteFunctions().encode(content) : content;
      if (encoded === content) this.#queue.push(encoded);
      else for (const piece of toPieces(encoded, SLICE_BYTES)) this.#queue.push(piece);
      this.#queuedBytes += encoded.length;
      if (isFirst) this.#writeSlice();
    }
    this.watch();
    // The other responses may depend on this one, so its handler must not wait for them without need.
    if (isWaiting && this.#queuedBytes <= response.writableHighWaterMark) return undefined;
    return (this.#drained ??= this.#waitForDrain());
  }

  /** Sends the status and the headers, unless they were sent with the first content. */
  flushHead(): void {
    if (!this.#hasWritten && !this.#isEnding && !this.#response.destroyed) this.#response.flushHeaders();
  }

  onClose(task: () => void): void {
    const response = this.#response;
    const { socket } = response.req;
    if (response.closed || socket.destroyed) {
      task();
    } else if (response.socket !== null) {
      response.once("close", task);
    } else {
      const run = () => {
        forget();
        response.off("close", run);
        task();
      };
      const forget = onSocketClose(socket, run);
      response.once("close", run);
    }
  }

  /** Ends the response after all written content. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#queuedBytes === 0 && this.#sendHead === undefined) this.#response.end();
    if (this.heldBytes > 0) this.watch();
  }

  /** Ends the response now. A client that is behind is disconnected, because Node.js cannot drop written content. */
  cut(last: string): void {
    const response = this.#response;
    if (this.#sendHead !== undefined) {
      this.#onClose();
    } else if (this.#queuedBytes > 0 || response.writableNeedDrain) {
      response.destroy();
      return;
    }
    if (last !== "") void this.write(last);
    this.end();
  }

  /** Applies the endpoint's write timeout and memory budget to the response until it is complete. */
  watch(): void {
    const response = this.#response;
    if (!this.#isWatched) {
      this.#isWatched = true;
      const forget = response.socket === null ? onSocketClose(response.req.socket, this.#onClose) : undefined;
      response.once("close", () => {
        forget?.();
        this.#onClose();
      });
    }
    this.#budget.update(this, false);
  }

  readonly #onClose = (): void => {
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#budget.remove(this);
    this.#onDrained?.();
  };

  #writeSlice(): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    const slice = first.subarray(0, SLICE_BYTES);
    if (slice.length === first.length) this.#queue.shift();
    else this.#queue[0] = first.subarray(SLICE_BYTES);
    this.#queuedBytes -= slice.length;
    this.#response.write(slice, this.#onWritten);
  }

  readonly #onWritten = (error?: Error | null): void => {
    if (error || this.#response.destroyed) return;
    if (this.#queuedBytes > 0) this.#writeSlice();
    else if (this.#isEnding) this.#response.end();
    this.#budget.update(this, true);
    this.#settle();
  };

  #waitForDrain(): Promise<void> {
    this.#response.on("drain", this.#settle);
    return new Promise((resolve) => {
      this.#onDrained = () => {
        this.#response.off("drain", this.#settle);
        this.#drained = undefined;
        this.#onDrained = undefined;
        resolve();
      };
    });
  }

  readonly #settle = (): void => {
    if (this.#queuedBytes === 0 && !this.#response.writableNeedDrain) this.#onDrained?.();
  };
}

const DROPPED_HEADERS = { "content-length": 0, "retry-after": "1" };
