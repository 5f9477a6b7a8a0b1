/**
 * @fileoverview State of one client connection: its era and revision, calls in flight, subscriptions, and requests that
 * wait for the client's answer.
 * @module core/connection
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type ClientCapabilities,
  type Era,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type LogLevel,
  McpError,
  PROTOCOL_VERSION,
  type RequestId,
  type Revision,
} from "../../protocol/index.js";
import type { Caller, ClientRequest } from "./caller.js";

/** Limits and properties of a connection. */
export interface ConnectionOptions {
  /**
   * True if the server can send messages at any time. A stateless endpoint cannot, and declares that in `initialize`.
   * @default true
   */
  readonly pushes?: boolean;
  /** Era, if the transport knows it from the start. */
  readonly era?: Era;
  /** Revision, if the transport knows it from the start. */
  readonly revision?: Revision;
  /**
   * Maximum number of calls in flight. Stops a client from piling up work.
   * @default 10000
   */
  readonly maxCalls?: number;
  /**
   * Maximum number of subscribed resources. Stops a client from filling memory. Their URIs may have 128 characters on
   * average.
   * @default 1000
   */
  readonly maxSubscriptions?: number;
  /**
   * Maximum number of requests that wait for the client's answer.
   * @default 1000
   */
  readonly maxQuestions?: number;
}

/** Request to the client: the message to send and the promise of its answer. */
export interface Question {
  readonly message: JsonRpcRequest;
  readonly answer: Promise<unknown>;
}

/** Maximum average length of subscribed URIs in characters. */
const MEAN_URI_LENGTH = 128;

const CLOSED = "The connection was closed.";

const NO_CAPABILITIES: ClientCapabilities = /* @__PURE__ */ Object.freeze({});

/** Connection of one client. */
export class Connection implements Caller {
  /** True if the server can send messages at any time. */
  readonly pushes: boolean;
  /** Undefined until the first request sets it. */
  era: Era | undefined;
  revision: Revision;
  capabilities: ClientCapabilities = NO_CAPABILITIES;
  clientInfo: JsonObject | undefined = undefined;
  logLevel: LogLevel | undefined = undefined;

  readonly #bounds: ConnectionOptions;
  // Created on first use: the connection of a single stateless request needs none of them.
  #calls: Map<RequestId, (reason: unknown) => void> | undefined;
  /** Scopes of the subscriber by URI. Undefined without authorization. */
  #subscriptions: Map<string, readonly string[] | undefined> | undefined;
  #subscribedLength = 0;
  #questions: Map<RequestId, Pending> | undefined;
  #lastQuestion = 0;

  constructor(options: ConnectionOptions = {}) {
    this.pushes = options.pushes ?? true;
    this.era = options.era;
    this.revision = options.revision ?? PROTOCOL_VERSION;
    this.#bounds = options;
  }

  /** Number of calls in flight. */
  get callsInFlight(): number {
    return this.#calls?.size ?? 0;
  }

  /** Returns true if a call with this id is in flight. */
  isInFlight(id: RequestId): boolean {
    return this.#calls !== undefined && this.#calls.has(id);
  }

  /** Returns true if the limit of calls in flight is reached. */
  isFull(): boolean {
    return this.#calls !== undefined && this.#calls.size >= (this.#bounds.maxCalls ?? 10_000);
  }

  /** Registers a call in flight and the function that cancels it. */
  begin(id: RequestId, cancel: (reason: unknown) => void): void {
    this.#calls ??= new Map();
    this.#calls.set(id, cancel);
  }

  /** Removes a finished call. */
  end(id: RequestId): void {
    this.#calls?.delete(id);
  }

  /** Cancels a call. Unknown and finished calls are ignored. */
  cancel(id: RequestId, reason: unknown): void {
    this.#calls?.get(id)?.(reason);
  }

  /** Cancels all calls and rejects all pending requests. Transports call it when the connection closes. */
  close(): void {
    for (const cancel of this.#calls?.values() ?? []) cancel(new Error(CLOSED));
    for (const pending of this.#questions?.values() ?? []) pending.reject(new Error(CLOSED));
    this.#questions?.clear();
    this.#subscriptions?.clear();
    this.#subscribedLength = 0;
  }

  /** Subscribes to a resource. Returns false if the limit is reached. */
  subscribe(uri: string, scopes?: readonly string[]): boolean {
    this.#subscriptions ??= new Map();
    if (!this.#subscriptions.has(uri)) {
      const { maxSubscriptions = 1_000 } = this.#bounds;
      const length = this.#subscribedLength + uri.length;
      if (this.#subscriptions.size >= maxSubscriptions || length > maxSubscriptions * MEAN_URI_LENGTH)
        return false;
      this.#subscribedLength = length;
    }
    this.#subscriptions.set(uri, scopes);
    return true;
  }

  /** Ends a subscription. */
  unsubscribe(uri: string): void {
    if (this.#subscriptions?.delete(uri) === true) this.#subscribedLength -= uri.length;
  }

  /** Returns true if the client is subscribed to the resource and has the needed scopes. */
  isSubscribed(uri: string, needed: readonly string[] = []): boolean {
    if (this.#subscriptions?.has(uri) !== true) return false;
    const held = this.#subscriptions.get(uri);
    return held === undefined || needed.every((scope) => held.includes(scope));
  }

  /** Creates a request with an id. The transport sends the message; `settle` resolves the answer. */
  ask(request: ClientRequest, signal?: AbortSignal): Question {
    this.#questions ??= new Map();
    const questions = this.#questions;
    if (questions.size >= (this.#bounds.maxQuestions ?? 1_000)) {
      throw new McpError("RATE_LIMITED", "Too many requests are waiting for the client's answer.");
    }
    const id = `tenon-${++this.#lastQuestion}`;
    const answer = new Promise<unknown>((resolve, reject) => {
      const onAbort = () => forget(reject, signal?.reason);
      const forget = <T>(settle: (value: T) => void, value: T) => {
        questions.delete(id);
        signal?.removeEventListener("abort", onAbort);
        settle(value);
      };
      questions.set(id, {
        resolve: (value) => forget(resolve, value),
        reject: (error) => forget(reject, error),
      });
      signal?.addEventListener("abort", onAbort);
      if (signal?.aborted === true) onAbort();
    });
    // If the transport fails to send the request, the answer is never awaited.
    answer.catch(() => undefined);
    return { message: { jsonrpc: "2.0", id, method: request.method, params: request.params }, answer };
  }

  /** Resolves the request that a response belongs to. Returns false if there is none. */
  settle(response: JsonRpcResponse): boolean {
    const pending = response.id === null ? undefined : this.#questions?.get(response.id);
    if (pending === undefined) return false;
    if (isJsonObject(response.error)) {
      // The client's error text is untrusted, so it is only kept as the cause.
      const cause = response.error;
      pending.reject(
        new McpError("SERVICE_UNAVAILABLE", "The client rejected the request.", undefined, { cause }),
      );
    } else {
      pending.resolve(response.result);
    }
    return true;
  }
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
