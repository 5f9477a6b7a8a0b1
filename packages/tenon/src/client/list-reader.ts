/**
 * @fileoverview Collects the pages of a list, within limits on pages, items, memory, and time.
 * @module tenon/client/list-reader
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { memoryOf } from "@tenon/internal/json-memory";
import { systemPorts } from "@tenon/internal/ports";
import { ConnectionError } from "./errors.js";
import { type ClientLimits, limitError, ranTooLong } from "./limits.js";

const MAX_PAGES = 1_000;
const MAX_ITEMS = 100_000;

/** Pages of one list. */
export class ListReader {
  readonly items: JsonObject[] = [];
  readonly #method: string;
  readonly #key: string;
  readonly #limits: Pick<ClientLimits, "maxListBytes" | "maxTotalMs">;
  readonly #startedAt = systemPorts.now();
  readonly #cursors = new Set<unknown>();
  #bytes = 0;

  constructor(method: string, key: string, limits: Pick<ClientLimits, "maxListBytes" | "maxTotalMs">) {
    this.#method = method;
    this.#key = key;
    this.#limits = limits;
  }

  /** Memory of the pages so far, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a page. Returns the cursor of the next one. @throws {ConnectionError} if the list exceeds a limit */
  add(page: JsonObject): unknown {
    const list = page[this.#key];
    if (!Array.isArray(list))
      throw this.#error(
        `The server's response to ${this.#method} does not contain the array \`${this.#key}\`.`,
      );
    const { maxListBytes, maxTotalMs } = this.#limits;
    if (maxListBytes !== Infinity) this.#bytes += memoryOf(page);
    if (this.#bytes > maxListBytes)
      throw limitError(`The server's ${this.#method} result is too large`, "maxListBytes", maxListBytes);
    for (const item of list as unknown[]) if (isJsonObject(item)) this.items.push(item);
    const { nextCursor } = page;
    if (nextCursor === undefined || nextCursor === null) return undefined;
    // A server that returns the same cursor again would be asked forever.
    if (this.#cursors.has(nextCursor))
      throw this.#error(`The server's ${this.#method} result never ends, because it repeats a cursor.`);
    this.#cursors.add(nextCursor);
    if (this.#cursors.size >= MAX_PAGES || this.items.length >= MAX_ITEMS)
      throw this.#error(
        `The server's ${this.#method} result is too long (limit: ${MAX_PAGES} pages, ${MAX_ITEMS} items).`,
      );
    if (systemPorts.now() - this.#startedAt > maxTotalMs) throw ranTooLong(this.#method, maxTotalMs);
    return nextCursor;
  }

  #error(message: string): ConnectionError {
    return new ConnectionError(message, "protocol");
  }
}
