/**
 * @fileoverview An event stream to one client of `node:http`.
 * @module transport/node/node-sse-sink
 */
import type { ServerResponse } from "node:http";
import type { MemoryBudget } from "../http/limits/memory-budget.js";
import { formatAnnouncement, formatEvent, formatPriming, KEEP_ALIVE } from "../http/sse.js";
import type { SseSink } from "../http/http-context.js";
import { ResponseWriter } from "./response-writer.js";

/** Writes events to a response of `node:http`. */
export class NodeSseSink implements SseSink {
  readonly #response: ServerResponse;
  readonly #writer: ResponseWriter;
  readonly #maxQueueBytes: number;

  /** @param maxQueueBytes most bytes that may wait for the client of this stream */
  constructor(response: ServerResponse, responses: MemoryBudget, maxQueueBytes: number) {
    this.#response = response;
    this.#writer = new ResponseWriter(response, responses);
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
    if (this.#response.closed) task();
    else this.#response.once("close", task);
  }

  end(): void {
    this.#writer.end();
  }

  /**
   * Disconnects a client that does not read, so that what waits for it cannot fill memory. A single large event does not
   * count: only what was sent before it shows that the client does not read.
   */
  #write(text: string): Promise<void> | undefined {
    if (this.#writer.heldBytes > this.#maxQueueBytes) {
      this.#response.destroy();
      return undefined;
    }
    return this.#writer.write(text);
  }
}
