/**
 * @fileoverview Notices of lists that differ between nodes. During a rolling deploy, a client may have got its lists from a
 * node with another version of the server.
 * @module tenon/session/shared/list-notices
 */
import { describeChange } from "../../core/methods/subscriptions.js";
import type { Change } from "../../core/wire/changes.js";
import type { Connection } from "../../core/wire/connection.js";
import type { ClusterNode } from "./cluster-node.js";
import { nodeOf } from "./followers.js";
import type { SharedRecord } from "./shared-record.js";

/** Parts of the notices for one session. */
export interface ListNoticesParts {
  readonly node: ClusterNode;
  /** Has the lists that the client knows. */
  readonly connection: Connection;
  readonly record: SharedRecord;
  /** Returns true if this node has a client on the session's main stream. */
  readonly isListening: () => boolean;
  /** Sends a message on the main stream. */
  readonly push: (data: string) => Promise<void>;
}

/** Notifies the client of a session of lists that it does not know yet. */
export class ListNotices {
  readonly #parts: ListNoticesParts;
  #notBefore = -Infinity;
  #delay = MIN_DELAY_MS;

  constructor(parts: ListNoticesParts) {
    this.#parts = parts;
  }

  /**
   * Notifies the client if its lists differ from those of this node, and no other node has newer ones. If that happens
   * again and again, as with nodes that stay different, the notices become rarer.
   */
  check(): void {
    const { node, connection, isListening } = this.#parts;
    const now = node.ports.now();
    if (now < this.#notBefore || !isListening()) return;
    // A client whose lists are unknown, because an earlier version stored its record, is notified of those with items.
    const changed = Object.entries(node.lists.digests).filter(
      ([method, digest]) => (connection.lists[method] ?? "") !== digest && !node.lists.isAnnounced(method),
    );
    if (changed.length === 0 || node.lists.isOutdated) return;
    this.#notBefore = now + this.#delay;
    this.#delay = Math.min(2 * this.#delay, MAX_DELAY_MS);
    this.#announce(changed).catch((error: unknown) => node.report(error));
  }

  /** Notes that the client is notified of a change from the log, so that a change of this node is not announced twice. */
  noteChange(id: string, { kind }: Change): void {
    const { node, connection } = this.#parts;
    if (nodeOf(id) !== node.id) return;
    for (const [method, digest] of Object.entries(node.lists.digests))
      if (method.startsWith(kind)) connection.noteList(method, digest);
  }

  async #announce(changed: readonly (readonly [method: string, digest: string])[]): Promise<void> {
    const { connection, record, push } = this.#parts;
    for (const kind of ["tools", "resources", "prompts"] as const)
      if (changed.some(([method]) => method.startsWith(kind)))
        await push(JSON.stringify({ jsonrpc: "2.0", ...describeChange({ kind }) }));
    for (const [method, digest] of changed) connection.noteList(method, digest);
    await record.save();
  }
}

/** Delays in milliseconds between two notices. */
const MIN_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;
