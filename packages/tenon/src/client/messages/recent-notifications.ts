/**
 * @fileoverview The most recent notifications of a server, up to a number and a size.
 * @module tenon/client/messages/recent-notifications
 */
import { memoryOf } from "@tenon/internal/json-memory";
import type { JsonRpcNotification } from "../../protocol/index.js";

/** Maximum number of stored notifications. */
const MAX_NOTIFICATIONS = 1_000;

/** Stores notifications, and drops the oldest ones. */
export class RecentNotifications {
  readonly #maxBytes: number;
  readonly #list: JsonRpcNotification[] = [];
  /** Sizes of the stored notifications, in the same order. */
  readonly #sizes: number[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Stored notifications, oldest first. The array changes. */
  get list(): readonly JsonRpcNotification[] {
    return this.#list;
  }

  /** Stores a notification, unless it is larger than all stored ones together may be. */
  add(notification: JsonRpcNotification): void {
    const size = this.#maxBytes === Infinity ? 0 : memoryOf(notification);
    if (size > this.#maxBytes) return;
    this.#list.push(notification);
    this.#sizes.push(size);
    this.#bytes += size;
    while (this.#list.length > MAX_NOTIFICATIONS || this.#bytes > this.#maxBytes) {
      this.#list.shift();
      this.#bytes -= this.#sizes.shift() ?? 0;
    }
  }
}
