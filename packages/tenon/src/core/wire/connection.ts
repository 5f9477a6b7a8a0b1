/**
 * @fileoverview State of one client connection: its era and revision, its calls in flight, its subscriptions, and the
 * requests that wait for the client's response.
 * @module tenon/core/wire/connection
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { flag, number, oneOf } from "@tenon/internal/options/option-rows";
import {
  type ClientCapabilities,
  type Era,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type LogLevel,
  McpError,
  type RequestId,
  type Revision,
  REVISIONS,
} from "../../protocol/index.js";
import { PROTOCOL_VERSION } from "../../protocol/revisions/revision.js";
import type { Caller, ClientRequest } from "./caller.js";

/** Options for `Connection`. */
export const CONNECTION_OPTIONS = /* @__PURE__ */ defineOptions("connection", {
  /**
   * True if the server can send messages at any time. A stateless endpoint cannot, so it does not declare the
   * capabilities that depend on it.
   * @default true
   */
  pushes: flag({ default: true }),
  /** Era, if the transport knows it before the first request. */
  era: oneOf(["legacy", "modern"]),
  /** Protocol revision, if the transport knows it before the first request. */
  revision: oneOf(REVISIONS),
  /**
   * Maximum number of calls in flight. Prevents a client from queueing unlimited work.
   * @default 10000
   */
  maxCalls: number({ default: 10_000 }),
  /**
   * Maximum number of subscribed resources. Prevents a client from exhausting memory. The URIs may be 128 characters
   * long on average.
   * @default 1000
   */
  maxSubscriptions: number({ default: 1_000 }),
  /**
   * Maximum number of requests that wait for the client's response.
   * @default 1000
   */
  maxQuestions: number({ default: 1_000 }),
});

/** Options for `Connection`. */
export type ConnectionOptions = OptionsOf<typeof CONNECTION_OPTIONS>;

const DEFAULTS = /* @__PURE__ */ parseOptions(CONNECTION_OPTIONS, {});

/** Nodes that serve the same client. They get the messages that belong to their calls. */
export interface ConnectionPeers {
  /** Creates the ID of a request to the client, unique among all nodes. */
  nextQuestionId(): string;
  /** Cancels a call that this node does not run. */
  cancel(id: RequestId): void;
  /** Stores the changes of the connection. Rejects if the store fails. */
  save(): Promise<void>;
  /** Delivers a response to a request that this node did not send. Returns false if no node can have sent it. */
  settle(response: JsonRpcResponse): boolean;
}

/** Fingerprints of lists, by the method that returns the list. */
export type ListDigests = Readonly<Record<string, string>>;

/** Request to the client: the message to send, and a promise for the client's response. */
export interface Question {
  readonly message: JsonRpcRequest;
  readonly answer: Promise<unknown>;
}

/** Maximum average length of subscribed URIs, in characters. */
const MEAN_URI_LENGTH = 128;

const CLOSED = "The connection was closed.";

const NO_SUBSCRIPTIONS: ReadonlyMap<string, undefined> = /* @__PURE__ */ new Map<string, undefined>();

const NO_LISTS: ListDigests = /* @__PURE__ */ Object.freeze({});

const NO_CAPABILITIES: ClientCapabilities = /* @__PURE__ */ Object.freeze({});

/** State of one client connection. The first requests set its era and its client information. */
export class Connection implements Caller {
  /** True if the server can send messages at any time. */
  readonly pushes: boolean;
  /** Undefined until the first request sets it. */
  era: Era | undefined;
  revision: Revision;
  capabilities: ClientCapabilities = NO_CAPABILITIES;
  clientInfo: JsonObject | undefined = undefined;
  logLevel: LogLevel | undefined = undefined;
  /** Lists that the client has received or was notified of, in a shared session. */
  lists: ListDigests = NO_LISTS;
  /** Number of changes by the client's requests. A shared session is stored when it changes. */
  changes = 0;

  readonly #bounds: ConnectionOptions;
  readonly #peers: ConnectionPeers | undefined;
  // The maps are created on first use, because a connection for one stateless request uses none of them.
  #calls: Map<RequestId, (reason: unknown) => void> | undefined;
  /** The subscriber's scopes by URI. A value is `undefined` if the transport does not authenticate callers. */
  #subscriptions: Map<string, readonly string[] | undefined> | undefined;
  #subscribedLength = 0;
  #questions: Map<RequestId, Pending> | undefined;
  #lastQuestion = 0;

  /** @param peers other nodes that serve the same client, if the connection is part of a shared session */
  constructor(options: ConnectionOptions = {}, peers?: ConnectionPeers) {
    this.pushes = options.pushes ?? true;
    this.era = options.era;
    this.revision = options.revision ?? PROTOCOL_VERSION;
    this.#bounds = options;
    this.#peers = peers;
  }

  /** True if the connection is one node's part of a shared session. */
  get isShared(): boolean {
    return this.#peers !== undefined;
  }

  /** IDs of the requests that wait for the client's response. */
  get pendingQuestions(): readonly RequestId[] {
    return this.#questions === undefined ? [] : [...this.#questions.keys()];
  }

  /** The subscriber's scopes by subscribed URI. */
  get subscriptions(): ReadonlyMap<string, readonly string[] | undefined> {
    return this.#subscriptions ?? NO_SUBSCRIPTIONS;
  }

  /** Number of calls in flight. */
  get callsInFlight(): number {
    return this.#calls?.size ?? 0;
  }

  /** Returns true if a call with this ID is in flight. */
  isInFlight(id: RequestId): boolean {
    return this.#calls !== undefined && this.#calls.has(id);
  }

  /** Maximum number of calls in flight. */
  get maxCalls(): number {
    return this.#bounds.maxCalls ?? DEFAULTS.maxCalls;
  }

  /** Maximum number of subscribed resources. */
  get maxSubscriptions(): number {
    return this.#bounds.maxSubscriptions ?? DEFAULTS.maxSubscriptions;
  }

  /** Maximum total length of subscribed URIs, in characters. */
  get maxSubscribedLength(): number {
    return this.maxSubscriptions * MEAN_URI_LENGTH;
  }

  /** Returns true if the maximum number of calls is in flight. */
  isFull(): boolean {
    return this.#calls !== undefined && this.#calls.size >= this.maxCalls;
  }

  /** Registers a call in flight and the function that cancels it. */
  begin(id: RequestId, cancel: (reason: unknown) => void): void {
    this.#calls ??= new Map();
    this.#calls.set(id, cancel);
  }

  /** Removes a call that has finished. Its ID can then be used again. */
  end(id: RequestId): void {
    this.#calls?.delete(id);
  }

  /** Cancels a call in flight. Ignores the IDs of unknown or finished calls. */
  cancel(id: RequestId, reason: unknown): void {
    const cancel = this.#calls?.get(id);
    if (cancel === undefined) this.#peers?.cancel(id);
    else cancel(reason);
  }

  /** Cancels all calls and rejects all requests to the client. Transports call it when the connection closes. */
  close(): void {
    for (const cancel of this.#calls?.values() ?? []) cancel(new Error(CLOSED));
    for (const pending of this.#questions?.values() ?? []) pending.reject(new Error(CLOSED));
    this.#questions?.clear();
    // A node that leaves a shared session may still store its state, which the other nodes need.
    if (this.isShared) return;
    this.#subscriptions = undefined;
    this.#subscribedLength = 0;
  }

  /** Notes that the client of a shared session has received a list, or was notified of it. */
  noteList(method: string, digest: string): void {
    if (this.lists[method] === digest) return;
    this.lists = { ...this.lists, [method]: digest };
    this.changes++;
  }

  /** Subscribes the client to a resource. Returns false if a subscription limit is reached. */
  subscribe(uri: string, scopes?: readonly string[]): boolean {
    this.#subscriptions ??= new Map();
    if (!this.#subscriptions.has(uri)) {
      const length = this.#subscribedLength + uri.length;
      if (this.#subscriptions.size >= this.maxSubscriptions || length > this.maxSubscribedLength)
        return false;
      this.#subscribedLength = length;
    }
    this.#subscriptions.set(uri, scopes);
    this.changes++;
    return true;
  }

  /** Stores a new subscription of a shared session. Resolves to false if it exceeds a limit with those of other nodes. */
  async keepSubscription(uri: string): Promise<boolean> {
    await this.#peers?.save();
    return this.subscriptions.has(uri);
  }

  /** Replaces all subscriptions by those of a shared session, which were checked when they were stored. */
  replaceSubscriptions(all: readonly (readonly [uri: string, scopes: readonly string[] | null])[]): void {
    this.#subscriptions = new Map(all.map(([uri, scopes]) => [uri, scopes ?? undefined]));
    this.#subscribedLength = all.reduce((sum, [uri]) => sum + uri.length, 0);
  }

  /** Unsubscribes the client from a resource. Ignores resources without a subscription. */
  unsubscribe(uri: string): void {
    if (this.#subscriptions?.delete(uri) !== true) return;
    this.#subscribedLength -= uri.length;
    this.changes++;
  }

  /** Returns true if the client is subscribed to the resource and holds the required scopes. */
  isSubscribed(uri: string, needed: readonly string[] = []): boolean {
    if (this.#subscriptions?.has(uri) !== true) return false;
    const held = this.#subscriptions.get(uri);
    return held === undefined || needed.every((scope) => held.includes(scope));
  }

  /**
   * Creates a request to the client. The transport sends the message, and `settle` resolves the promise.
   *
   * @throws {McpError} if too many requests are waiting for a response
   */
  ask(request: ClientRequest, signal?: AbortSignal): Question {
    this.#questions ??= new Map();
    const questions = this.#questions;
    const { maxQuestions = DEFAULTS.maxQuestions } = this.#bounds;
    if (questions.size >= maxQuestions) {
      throw new McpError(
        "RATE_LIMITED",
        `Too many pending requests to the client on this connection (limit: ${maxQuestions}). Try again later.`,
      );
    }
    const id = this.#peers?.nextQuestionId() ?? `tenon-${++this.#lastQuestion}`;
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
    // Prevents an unhandled rejection: if the transport cannot send the request, nothing awaits the response.
    answer.catch(() => undefined);
    return { message: { jsonrpc: "2.0", id, method: request.method, params: request.params }, answer };
  }

  /** Settles the pending request that a response belongs to. Returns false if no pending request matches. */
  settle(response: JsonRpcResponse): boolean {
    const pending = response.id === null ? undefined : this.#questions?.get(response.id);
    if (pending === undefined) return this.#peers?.settle(response) ?? false;
    if (isJsonObject(response.error)) {
      // The client's error text is untrusted, so it is kept only as the cause.
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
