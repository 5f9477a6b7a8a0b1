/**
 * @fileoverview Encrypted events of one shared session. All of its streams share one log, so the store bounds the events
 * of a session as a whole.
 * @module tenon/session/shared/session-log
 */
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import type { RequestId } from "../../protocol/index.js";
import { toChangesName, toRecordMessage } from "./change-log.js";
import type { ClusterNode } from "./cluster-node.js";

/** Entry in a session's log. */
export interface LogEntry {
  /** ID of the stream that the entry belongs to. It has this name in all formats. */
  readonly stream: string;
  /** Event for the client. */
  readonly data?: string;
  /** Scopes that a client needs to receive the event. */
  readonly scopes?: readonly string[];
  /** Requests that the stream will reply to. Only in the first entry of a stream. */
  readonly requests?: readonly RequestId[];
  /** True in the last entry of a stream. */
  readonly isLast?: true;
}

/** Entry and its ID. */
export interface NumberedEntry extends LogEntry {
  readonly id: string;
  /** True if only a newer version can read the rest of the entry. A client gets it from another node. */
  readonly isNewer?: true;
}

/** Events of one session, on all nodes. */
export class SessionLog {
  readonly #node: ClusterNode;
  readonly #key: string;
  readonly #name: string;

  /** @param key key of the session in the store */
  constructor(node: ClusterNode, key: string) {
    this.#node = node;
    this.#key = key;
    this.#name = `session/${key}`;
  }

  /** Appends an entry. Has no effect if the log contains an entry with this ID, so it can be repeated. */
  async append(id: string, entry: LogEntry): Promise<void> {
    const { sealer, store } = this.#node;
    const sealed = await sealer.seal(toRecordText("event of a session", entry), this.#placeOf(id));
    await this.#node.retry(() => store.events.append(this.#name, sealed, { id }));
  }

  /** Tells the nodes that follow this session to read the log. */
  async wake(): Promise<void> {
    await this.#node.retry(() => this.#node.store.bus.publish(this.#name, ""));
  }

  /** Calls `listener` when the log may have new entries, and with `RECORD_CHANGED` when the record may have changed. */
  watch(listener: (text: string) => void): Promise<() => Promise<void>> {
    const onGap = () => {
      listener(RECORD_CHANGED);
      listener("");
    };
    return this.#node.store.bus.subscribe(this.#name, listener, { onGap });
  }

  /**
   * Tells the nodes that follow this session that its record has changed. The message on the channel of the server's
   * changes arrives before the changes that follow. On other channels, a cluster may deliver messages in another order.
   */
  async announceRecord(): Promise<void> {
    const { bus } = this.#node.store;
    await Promise.all([
      bus.publish(toChangesName(this.#node), toRecordMessage(this.#node, this.#key)),
      // Nodes with an earlier version follow only this channel.
      bus.publish(this.#name, RECORD_CHANGED),
    ]);
  }

  /** Returns the entries after an ID, or all of them. Returns `undefined` if the ID is unknown. */
  async read(after?: string): Promise<readonly NumberedEntry[] | undefined> {
    const found = await this.#node.store.events.read(this.#name, after);
    if (!found.ok) return undefined;
    const entries = await Promise.all(found.events.map(({ id, event }) => this.#parse(id, event)));
    return entries.filter((entry) => entry !== undefined);
  }

  /** Deletes the log. */
  async delete(): Promise<void> {
    await this.#node.store.events.delete(this.#name);
  }

  async #parse(id: string, event: string): Promise<NumberedEntry | undefined> {
    const text = await this.#node.sealer.open(event, this.#placeOf(id));
    const found = checkRecord("event of a session", text);
    if (found.kind === "read") return { ...(found.record as unknown as LogEntry), id }; // Safe: a node encrypted it
    if (found.kind === "newer") {
      this.#node.reportNewer(found.problem);
      return { id, stream: String(found.record["stream"]), isNewer: true };
    }
    this.#node.reportProblem(
      new Error("An event of a session in the store cannot be decrypted. It was skipped."),
    );
    return undefined;
  }

  #placeOf(id: string): string {
    return `${this.#name}/${id}`;
  }
}

/** Message on a session's channel if its record has changed. */
export const RECORD_CHANGED = "record";
