/**
 * @fileoverview Assigns the messages of the page's clients to calls. A message belongs to the call whose work sends or
 * reads it, or to the call that has sent the request with its ID.
 * @module cli/page/workbench/connections/call-context
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { TracedMessage } from "tenon/client";
import { preciseNow } from "../../../clock.js";
import type { CallRecord } from "../../record/call-record.js";

/** Work of the page's calls. */
export class CallContext {
  readonly #storage = new AsyncLocalStorage<CallRecord | undefined>();

  /** Runs work as part of a call. */
  run<T>(record: CallRecord, work: () => T): T {
    return this.#storage.run(record, work);
  }

  /** Runs work that belongs to no call, such as connecting. */
  outside<T>(work: () => T): T {
    return this.#storage.run(undefined, work);
  }

  /** Call whose work is running now. */
  get current(): CallRecord | undefined {
    const record = this.#storage.getStore();
    return record?.isRunning === true ? record : undefined;
  }
}

/** Called with each result of a request that belongs to a call. */
export type ResultListener = (record: CallRecord, method: string, result: JsonObject) => void;

interface SentRequest {
  readonly record: CallRecord;
  readonly method: string;
}

/** Messages of one client. */
export class ClientTrack {
  readonly #context: CallContext;
  readonly #onResult: ResultListener;
  /** Requests without a response, by ID. */
  readonly #sent = new Map<unknown, SentRequest>();
  /** Calls that requests of the server belong to, by ID. */
  readonly #asked = new Map<unknown, CallRecord>();
  #lastRequestId: unknown;

  constructor(context: CallContext, onResult: ResultListener) {
    this.#context = context;
    this.#onResult = onResult;
  }

  /** ID of the last request from the server. A client answers a request in the same turn in which it arrives. */
  get lastRequestId(): unknown {
    return this.#lastRequestId;
  }

  /** Returns the call that has sent a request which has no response yet. */
  findSent(id: unknown): CallRecord | undefined {
    return this.#sent.get(id)?.record;
  }

  /** Returns the call that work of this client belongs to: the current one, or the only one in flight. */
  findCurrent(): CallRecord | undefined {
    const { current } = this.#context;
    if (current !== undefined) return current;
    const running = new Set([...this.#sent.values()].map(({ record }) => record));
    const [only] = running;
    return running.size === 1 ? only : undefined;
  }

  /** Records a message. */
  take({ direction, text, http }: TracedMessage): void {
    const at = preciseNow();
    const parsed = text === "" ? {} : readJson(text);
    const message = isJsonObject(parsed) ? parsed : {};
    const record = direction === "sent" ? this.#takeSent(message) : this.#takeReceived(message);
    if (record?.isRunning === true) record.addMessage({ direction, at, text, ...(http && { http }) });
    if (direction === "received") this.#takeResult(message);
  }

  /** Forgets the requests of a call that has ended. */
  forget(ended: CallRecord): void {
    for (const [id, { record }] of this.#sent) if (record === ended) this.#sent.delete(id);
    for (const [id, record] of this.#asked) if (record === ended) this.#asked.delete(id);
  }

  #takeSent({ id, method, params }: JsonObject): CallRecord | undefined {
    const { current } = this.#context;
    if (typeof method !== "string") return id === undefined ? current : this.#takeAsked(id);
    if (id === undefined) {
      const cancelled = isJsonObject(params) ? params["requestId"] : undefined;
      return current ?? this.findSent(cancelled);
    }
    if (current !== undefined) this.#sent.set(id, { record: current, method });
    return current;
  }

  /** Returns the call that a request of the server belongs to, and forgets the request, because it is answered. */
  #takeAsked(id: unknown): CallRecord | undefined {
    const record = this.#asked.get(id);
    this.#asked.delete(id);
    return record;
  }

  #takeReceived({ id, method, params }: JsonObject): CallRecord | undefined {
    const { current } = this.#context;
    if (typeof method !== "string") return (id === undefined ? undefined : this.findSent(id)) ?? current;
    if (id !== undefined) {
      const record = this.findCurrent();
      this.#lastRequestId = id;
      if (record !== undefined) this.#asked.set(id, record);
      return record;
    }
    const token = isJsonObject(params) ? params["progressToken"] : undefined;
    return (token === undefined ? undefined : this.findSent(token)) ?? current;
  }

  /** Reports the result of a request, and forgets the request. */
  #takeResult({ id, method, result }: JsonObject): void {
    const sent = typeof method === "string" || id === undefined ? undefined : this.#sent.get(id);
    if (sent === undefined) return;
    this.#sent.delete(id);
    if (isJsonObject(result)) this.#onResult(sent.record, sent.method, result);
  }
}
