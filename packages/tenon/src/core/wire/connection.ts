/**
 * @fileoverview What outlives a single message between one client and the server: the era and revision agreed
 * on, the calls under way, subscriptions, and questions that wait for the client's answer.
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

/** Bounds and nature of a connection. */
export interface ConnectionOptions {
  /**
   * Whether the server can send at any time. A stateless endpoint cannot, and says so in `initialize`.
   * @default true
   */
  readonly pushes?: boolean;
  /** The era, where the wire knows it from the start. */
  readonly era?: Era;
  /** The revision, where the wire knows it from the start. */
  readonly revision?: Revision;
  /**
   * Most calls under way at once: stops a client from piling up work.
   * @default 10000
   */
  readonly maxCalls?: number;
  /**
   * Most resources subscribed to: stops a client from filling memory. Their URIs may have 128 characters each on average.
   * @default 1000
   */
  readonly maxSubscriptions?: number;
  /**
   * Most questions that wait for an answer.
   * @default 1000
   */
  readonly maxQuestions?: number;
}

/** A question on its way: the message to send, and the answer to come. */
export interface Question {
  readonly message: JsonRpcRequest;
  readonly answer: Promise<unknown>;
}

/** Most characters that the URIs of a full set of subscriptions may have on average. */
const MEAN_URI_LENGTH = 128;

const NO_CAPABILITIES: ClientCapabilities = /* @__PURE__ */ Object.freeze({});

/** One client's conversation with the server. */
export class Connection implements Caller {
  /** Whether the server can send at any time. */
  readonly pushes: boolean;
  /** Undefined until the first message that decides it. */
  era: Era | undefined;
  revision: Revision;
  capabilities: ClientCapabilities = NO_CAPABILITIES;
  clientInfo: JsonObject | undefined = undefined;
  logLevel: LogLevel | undefined = undefined;

  readonly #bounds: ConnectionOptions;
  // Made when first needed: a connection that lives for one stateless request needs none of them.
  #calls: Map<RequestId, (reason: unknown) => void> | undefined;
  /** With the scopes that the subscriber held; none where there is no authorization. */
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

  /** How many calls are under way. */
  get callsInFlight(): number {
    return this.#calls?.size ?? 0;
  }

  /** Whether a call under this id is under way. */
  isInFlight(id: RequestId): boolean {
    return this.#calls !== undefined && this.#calls.has(id);
  }

  /** Whether one more call would be too many. */
  isFull(): boolean {
    return this.#calls !== undefined && this.#calls.size >= (this.#bounds.maxCalls ?? 10_000);
  }

  /** Notes a call as under way, with the way to end it. */
  begin(id: RequestId, cancel: (reason: unknown) => void): void {
    this.#calls ??= new Map();
    this.#calls.set(id, cancel);
  }

  /** Forgets a call. */
  end(id: RequestId): void {
    this.#calls?.delete(id);
  }

  /** Cancels a call; an unknown or finished one is no matter. */
  cancel(id: RequestId, reason: unknown): void {
    this.#calls?.get(id)?.(reason);
  }

  /** Ends everything: calls are cancelled, questions fail. For a wire that closed. */
  close(): void {
    for (const cancel of this.#calls?.values() ?? []) cancel(new Error("connection closed"));
    for (const pending of this.#questions?.values() ?? []) pending.reject(new Error("connection closed"));
    this.#questions?.clear();
    this.#subscriptions?.clear();
    this.#subscribedLength = 0;
  }

  /** Subscribes to a resource; false where there are too many already. */
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

  /** Whether the client asked to hear of this resource, and held what that takes. */
  isSubscribed(uri: string, needed: readonly string[] = []): boolean {
    if (this.#subscriptions?.has(uri) !== true) return false;
    const held = this.#subscriptions.get(uri);
    return held === undefined || needed.every((scope) => held.includes(scope));
  }

  /** Gives a question its id; the wire sends the message, and `settle` brings the answer. */
  ask(request: ClientRequest, signal?: AbortSignal): Question {
    this.#questions ??= new Map();
    const questions = this.#questions;
    if (questions.size >= (this.#bounds.maxQuestions ?? 1_000)) {
      throw new McpError("RATE_LIMITED", "too many questions wait for the client's answer");
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
    // The wire may fail to send the question, and then nobody waits for its answer.
    answer.catch(() => undefined);
    return { message: { jsonrpc: "2.0", id, method: request.method, params: request.params }, answer };
  }

  /** Brings the client's reply to the question it answers; false where nobody asked. */
  settle(response: JsonRpcResponse): boolean {
    const pending = response.id === null ? undefined : this.#questions?.get(response.id);
    if (pending === undefined) return false;
    if (isJsonObject(response.error)) {
      // The client's text is not ours to show around: it stays with the cause.
      const cause = response.error;
      pending.reject(
        new McpError("SERVICE_UNAVAILABLE", "the client refused the request", undefined, { cause }),
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
