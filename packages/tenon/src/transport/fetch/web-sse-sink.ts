/**
 * @fileoverview An event stream to one client, as the body of a `Response`.
 * @module transport/fetch/web-sse-sink
 */
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE } from "../http/sse.js";
import type { SseSink } from "../http/http-context.js";
import type { WebBody } from "./web-body.js";

/** Writes events to a body. */
export class WebSseSink implements SseSink {
  readonly #body: WebBody;
  readonly #maxQueueBytes: number;

  /** @param maxQueueBytes most bytes that may wait for the client of this stream */
  constructor(body: WebBody, maxQueueBytes: number) {
    this.#body = body;
    this.#maxQueueBytes = maxQueueBytes;
  }

  write(data: string, id?: string): Promise<void> | undefined {
    return this.#write(formatEvent(data, id));
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

  /**
   * Disconnects a client that does not read, so that what waits for it cannot fill memory. A single large event does not
   * count: only what was sent before it shows that the client does not read.
   */
  #write(text: string): Promise<void> | undefined {
    if (this.#body.heldBytes > this.#maxQueueBytes) {
      this.#body.drop();
      return undefined;
    }
    return this.#body.write(text);
  }
}
