/**
 * @fileoverview Writes an event stream to any response body.
 * @module tenon/transport/http/sse-writer
 */
import type { SseSink } from "./http-context.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE } from "./sse.js";

/** Response body that queues data until its client reads it. */
export interface StreamedBody {
  /** Number of bytes waiting for the client. */
  readonly heldBytes: number;
  /** Sends text. If the client is behind, returns a promise that resolves when the client has caught up. */
  write(text: string): Promise<void> | undefined;
  /** Ends the body after all written text. */
  end(): void;
  /** Ends the body now. Text that the client has not taken is dropped, and `last` is sent if that is possible. */
  cut(last: string): void;
  /** Disconnects the client. */
  drop(): void;
  /** Runs a task when the body is complete or the client has disconnected. */
  onClose(task: () => void): void;
}

/** Writes server-sent events to a response body. */
export class SseWriter implements SseSink {
  readonly #body: StreamedBody;
  readonly #maxQueueBytes: number;
  /** Events that are sent in one piece. */
  #batch: string | undefined;

  /** @param maxQueueBytes maximum number of bytes that may wait for this stream's client */
  constructor(body: StreamedBody, maxQueueBytes: number) {
    this.#body = body;
    this.#maxQueueBytes = maxQueueBytes;
  }

  write(data: string, id?: string): Promise<void> | undefined {
    return this.#write(formatEvent(data, id));
  }

  together(task: () => void): void {
    this.#batch = "";
    task();
    const text = this.#batch;
    this.#batch = undefined;
    if (text !== "") void this.#write(text);
  }

  prime(id: string, retryMs: number): void {
    void this.#write(formatPriming(id, retryMs));
  }

  announce(event: string, data: string): void {
    void this.#write(formatAnnouncement(event, data));
  }

  keepAlive(): void {
    void this.#write(KEEP_ALIVE);
  }

  onClose(task: () => void): void {
    this.#body.onClose(task);
  }

  end(): void {
    this.#body.end();
  }

  cut(data?: string): void {
    this.#body.cut(data === undefined ? "" : formatEvent(data));
  }

  /**
   * Disconnects a client that is not reading, so that queued events cannot fill memory. A single large event does not
   * count: only bytes queued before it show that the client is not reading.
   */
  #write(text: string): Promise<void> | undefined {
    if (this.#batch !== undefined) {
      this.#batch += text;
      return undefined;
    }
    if (this.#body.heldBytes > this.#maxQueueBytes) {
      this.#body.drop();
      return undefined;
    }
    return this.#body.write(text);
  }
}
