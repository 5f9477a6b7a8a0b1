/**
 * @fileoverview Encrypted events of one shared session. All of its streams share one log, so the store bounds the events
 * of a session as a whole.
 * @module session/shared/session-log
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { RequestId } from "../../protocol/index.js";
import type { ClusterNode } from "./cluster-node.js";

/** Entry in a session's log. */
export interface LogEntry {
  /** ID of the stream that the entry belongs to. */
  readonly stream: string;
  /** Event for the client. */
  readonly data?: string;
  /** Requests that the stream will reply to. Only in the first entry of a stream. */
  readonly requests?: readonly RequestId[];
  /** True in the last entry of a stream. */
  readonly isLast?: true;
}

/** Entry and its ID. */
export interface NumberedEntry extends LogEntry {
  readonly id: string;
}

/** Events of one session, on all nodes. */
export class SessionLog {
  readonly #node: ClusterNode;
  readonly #name: string;

  /** @param key key of the session in the store */
  constructor(node: ClusterNode, key: string) {
    this.#node = node;
    this.#name = `session/${key}`;
  }

  /** Appends an entry. Has no effect if the log contains an entry with this ID, so it can be repeated. */
  async append(id: string, entry: LogEntry): Promise<void> {
    const { sealer, store } = this.#node;
    const sealed = await sealer.seal(JSON.stringify(entry), this.#placeOf(id));
    await this.#node.retry(() => store.events.append(this.#name, sealed, { id }));
  }

  /** Tells the nodes that follow this session to read the log. */
  async wake(): Promise<void> {
    await this.#node.retry(() => this.#node.store.bus.publish(this.#name, ""));
  }

  /** Calls `listener` when the log may have new entries. */
  watch(listener: (text: string) => void): Promise<() => Promise<void>> {
    return this.#node.store.bus.subscribe(this.#name, listener, { onGap: () => listener("") });
  }

  /** Tells the nodes that follow this session that its record has changed. */
  async announceRecord(): Promise<void> {
    await this.#node.store.bus.publish(this.#name, RECORD_CHANGED);
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
    const value = text === undefined ? undefined : readJson(text);
    if (isJsonObject(value)) return { ...(value as unknown as LogEntry), id }; // Safe: a node encrypted it
    this.#node.report(new Error("An event of a session in the store cannot be decrypted. It was skipped."));
    return undefined;
  }

  #placeOf(id: string): string {
    return `${this.#name}/${id}`;
  }
}

/** Message on a session's channel if its record has changed. */
export const RECORD_CHANGED = "record";
