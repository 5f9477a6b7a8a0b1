/**
 * @fileoverview Limits that protect a client from its server, and the memory that all clients of a process share.
 * @module tenon/client/limits
 */
import { defineOptions, type ParsedOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import { ConnectionError } from "./errors.js";

/** Limits for one server. A request that exceeds one fails with a `ConnectionError` that names it. */
export const CLIENT_LIMITS = /* @__PURE__ */ defineOptions("limits", {
  /**
   * Maximum size of one message in bytes, after decompression.
   * @default 16777216
   */
  maxMessageBytes: integer({ default: 16 * 1024 * 1024 }),
  /**
   * Maximum memory of one list in bytes, over all its pages. Short values count more than their text.
   * @default 33554432
   */
  maxListBytes: integer({ default: 32 * 1024 * 1024 }),
  /**
   * Maximum size of the notifications that the client keeps, in bytes. The oldest ones are dropped. 0 keeps none.
   * @default 4194304
   */
  maxNotificationBytes: integer({ min: 0, default: 4 * 1024 * 1024 }),
  /**
   * Maximum number of the server's requests that handlers answer at the same time. Further ones get an error. While as
   * many answers are being sent, nothing is read from the server.
   * @default 32
   */
  maxAnswers: integer({ default: 32 }),
  /**
   * Maximum memory in bytes of everything that is in progress on this connection: messages that are being received,
   * lists that are being read, and requests that are being answered.
   * @default 67108864
   */
  maxConnectionBytes: integer({ default: 64 * 1024 * 1024 }),
  /**
   * As `maxConnectionBytes`, for all clients of this process together. Above it, the connection that holds most loses
   * what it is receiving. Requests that are being answered can use half of it.
   * @default 134217728
   */
  maxTotalBytes: integer({ default: 128 * 1024 * 1024 }),
  /**
   * Maximum time for one call or one list in milliseconds, however much progress the server reports. It includes all
   * rounds of the call, its task, and the time that the handlers take to answer the server's requests. A longer
   * `timeoutMs` replaces it. It does not limit the handle that `startTask` returns.
   * @default 3600000
   */
  maxTotalMs: integer({ default: 3_600_000 }),
});

/** Limits for one server. */
export type ClientLimits = ParsedOptions<typeof CLIENT_LIMITS>;

/** Limits for a server in the same process, which is trusted. */
export const NO_LIMITS: ClientLimits = {
  maxMessageBytes: Infinity,
  maxListBytes: Infinity,
  maxNotificationBytes: Infinity,
  maxAnswers: Infinity,
  maxConnectionBytes: Infinity,
  maxTotalBytes: Infinity,
  maxTotalMs: Infinity,
};

/**
 * Bytes in progress in all clients of this process, and the connections that hold some. They run in the same heap, so
 * they share its limit. `pinned` bytes cannot be freed.
 */
const total = { bytes: 0, pinned: 0, holders: new Set<ConnectionMemory>() };

/** Function that frees the memory of a piece of work, which fails for this reason. */
export type Drop = (reason: ConnectionError) => void;

/** Memory for work in progress on one connection. */
export class ConnectionMemory {
  readonly #limits: Pick<ClientLimits, "maxConnectionBytes" | "maxTotalBytes">;
  /** Open shares that can be dropped. */
  readonly #drops = new Map<MemoryShare, Drop>();
  #bytes = 0;
  /** Bytes in shares that can be dropped. */
  #loose = 0;

  constructor(limits: Pick<ClientLimits, "maxConnectionBytes" | "maxTotalBytes">) {
    this.#limits = limits;
  }

  /**
   * Opens a share for one piece of work. The caller must close it.
   *
   * @param drop called if the process needs the memory for other connections. Without it, the share is kept.
   */
  open(drop?: Drop): MemoryShare {
    let own = 0;
    const change = (bytes: number) => {
      const more = bytes - own;
      own = bytes;
      this.#bytes += more;
      total.bytes += more;
      if (drop === undefined) total.pinned += more;
      else this.#loose += more;
      if (this.#bytes > 0) total.holders.add(this);
      else total.holders.delete(this);
    };
    const share: MemoryShare = {
      resize: (bytes) => {
        if (bytes > own) this.#makeRoom(bytes - own, drop !== undefined);
        change(bytes);
      },
      close: () => {
        this.#drops.delete(share);
        change(0);
      },
    };
    if (drop !== undefined) this.#drops.set(share, drop);
    return share;
  }

  #makeRoom(more: number, isLoose: boolean): void {
    const { maxConnectionBytes, maxTotalBytes } = this.#limits;
    if (this.#bytes + more > maxConnectionBytes)
      throw limitError(
        "The server sends too much at the same time",
        "maxConnectionBytes",
        maxConnectionBytes,
      );
    // Otherwise, requests that wait for an answer could keep all other connections from receiving anything.
    if (!isLoose && total.pinned + more > maxTotalBytes / 2) throw tooMuch(maxTotalBytes);
    while (total.bytes + more > maxTotalBytes) {
      const largest = this.#findLarger(more);
      if (largest === undefined) throw tooMuch(maxTotalBytes);
      largest.#dropAll();
    }
  }

  /** Finds the connection that holds most, if it holds more than this one. Those with a higher limit are not dropped. */
  #findLarger(more: number): ConnectionMemory | undefined {
    let largest: ConnectionMemory | undefined;
    let bytes = this.#loose + more;
    for (const one of total.holders) {
      if (one === this || one.#loose <= bytes || total.bytes + more <= one.#limits.maxTotalBytes) continue;
      largest = one;
      bytes = one.#loose;
    }
    return largest;
  }

  #dropAll(): void {
    const reason = tooMuch(this.#limits.maxTotalBytes);
    for (const [share, drop] of this.#drops) {
      share.close();
      drop(reason);
    }
  }
}

/** Memory of one piece of work. */
export interface MemoryShare {
  /** Sets the size in bytes. @throws {ConnectionError} if there is not enough room */
  resize(bytes: number): void;
  /** Gives the memory back. */
  close(): void;
}

function tooMuch(maxTotalBytes: number): ConnectionError {
  return limitError("All servers together send too much at the same time", "maxTotalBytes", maxTotalBytes);
}

/** Creates the error for a limit that a server has exceeded. */
export function limitError(problem: string, name: keyof ClientLimits, limit: number): ConnectionError {
  const unit = name.endsWith("Bytes") ? " bytes" : "";
  return new ConnectionError(
    `${problem} (limit: ${limit}${unit}). The option \`limits.${name}\` raises the limit.`,
    "protocol",
  );
}

/** Creates the error for a request or a list that took longer than `limits.maxTotalMs`. */
export function ranTooLong(method: string, maxMs: number): ConnectionError {
  return new ConnectionError(
    `The server did not complete ${method} within ${maxMs / 1_000} s. The option \`limits.maxTotalMs\` raises the limit.`,
    "timeout",
  );
}
