/**
 * @fileoverview Request of a client that has no response yet. A normal request is handled by one generation, and a
 * `subscriptions/listen` request by each generation in turn.
 * @module cli/dev/proxy/open-call
 */
import type { Exchange, McpResponse } from "tenon";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Generation } from "../generation/generation.js";
import type { ClientRequest, RequestHeaders, ServerCall, ServerReply } from "../messages/messages.js";
import { type ClientConnection, factsOf } from "./client-connection.js";
import type { CallObserver } from "./call-recorder.js";
import { toResponse } from "./replies.js";

/** Parts of a call. */
export interface CallParts {
  /** Sequence number. */
  readonly number: number;
  readonly message: ClientRequest;
  readonly headers: RequestHeaders;
  readonly exchange: Exchange;
  /** Connection that outlives the call, if there is one. */
  readonly client: ClientConnection | undefined;
  /** Records the call. */
  readonly observer?: CallObserver | undefined;
  /** Called when the client cancels the call by disconnecting. */
  readonly onGone: (call: OpenCall) => void;
  /** Called with the reply, before the client gets it. */
  readonly onSettled: (call: OpenCall, reply: ServerReply) => void;
}

/** Call in flight. */
export class OpenCall {
  readonly message: ClientRequest;
  readonly exchange: Exchange;
  readonly client: ClientConnection | undefined;
  readonly observer: CallObserver | undefined;
  /** Resolves with the response. Never rejects. */
  readonly response: Promise<McpResponse>;
  /** Generations that handle the call, by the ID that they know it by. */
  readonly legs = new Map<number, Generation>();
  /** Sequence number. */
  readonly number: number;
  /** Time at which the call has arrived, in milliseconds since 1970. */
  readonly since = Date.now();
  /** Time at which the call was passed to a generation, in milliseconds since 1970. */
  passedAt: number | undefined;
  /** True once a `subscriptions/listen` request has been acknowledged. */
  isAcknowledged = false;
  readonly #parts: CallParts;
  readonly #length: number | undefined;
  #resolve: (response: McpResponse) => void = () => undefined;
  #stopWatching: (() => void) | undefined;
  #isOpen = true;

  constructor(parts: CallParts) {
    const { message, exchange, client, observer, onGone } = parts;
    this.#parts = parts;
    this.number = parts.number;
    this.message = message;
    this.exchange = exchange;
    this.client = client;
    this.observer = observer;
    // Over stdio, the exchange belongs to the connection, and the next message changes its length.
    this.#length = exchange.messageLength;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    exchange.connection.begin(message.id, () => onGone(this));
    this.#stopWatching = watchClient(exchange, () => onGone(this));
  }

  /** False once the call has its response. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True for a stream of change notifications, which ends with the client and not with a generation. */
  get isStream(): boolean {
    return this.message.method === LISTEN;
  }

  /** Notifications that a stream's client wants. */
  get filter(): JsonObject {
    const { notifications } = this.message.params ?? {};
    return isJsonObject(notifications) ? notifications : {};
  }

  /** Returns the call for a server process. */
  toServerCall(id: number): ServerCall {
    const { exchange, message, client } = this;
    return {
      id,
      connection: client?.id ?? factsOf(exchange.connection),
      message,
      headers: this.#parts.headers,
      length: this.#length,
      asks: client !== undefined && exchange.request !== undefined,
    };
  }

  /** Ends the call with a reply. Later replies have no effect. */
  settle(reply: ServerReply): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stopWatching?.();
    const { connection } = this.exchange;
    connection.end(this.message.id);
    if (this.client !== undefined && reply.negotiated !== undefined)
      Object.assign(connection, reply.negotiated);
    this.observer?.onEnd(reply);
    this.#parts.onSettled(this, reply);
    this.#resolve(toResponse(reply, this.message.id, connection));
  }
}

const LISTEN = "subscriptions/listen";

/** Calls `task` when the client disconnects, if that ends its call. Returns a function that stops this. */
function watchClient(exchange: Exchange, task: () => void): (() => void) | undefined {
  if (exchange.onGone !== undefined) return exchange.onGone(task);
  const { signal } = exchange;
  if (signal === undefined) return undefined;
  signal.addEventListener("abort", task, { once: true });
  return () => signal.removeEventListener("abort", task);
}
