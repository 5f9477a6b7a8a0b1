/**
 * @fileoverview A client's connection to the command, and the state that a server keeps for it. A new generation gets
 * the state as the messages that created it, so that it works for servers of any kind.
 * @module cli/dev/proxy/client-connection
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";
import {
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from "tenon/protocol";
import type { ConnectionFacts } from "../messages/messages.js";
import { ClientQuestions } from "./client-questions.js";

/** Sends a message to a client. */
export type Notify = NonNullable<Exchange["notify"]>;

/** Maximum number of subscriptions that are repeated on a new generation. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Connection over which the server can send messages at any time. */
export class ClientConnection {
  readonly id: number;
  readonly connection: Connection;
  readonly notify: Notify;
  /** Requests from servers to this client. */
  readonly questions: ClientQuestions;
  /** Time at which the connection was opened, in milliseconds since 1970. */
  readonly since = Date.now();
  #initialize: JsonRpcRequest | undefined;
  #initialized: JsonRpcNotification | undefined;
  #logLevel: JsonRpcRequest | undefined;
  readonly #subscriptions = new Map<string, JsonRpcRequest>();

  constructor(id: number, connection: Connection, notify: Notify) {
    this.id = id;
    this.connection = connection;
    this.notify = notify;
    this.questions = new ClientQuestions(connection);
  }

  /** True if the client receives changes of lists without a subscription. */
  get receivesChanges(): boolean {
    const { era, pushes } = this.connection;
    return this.#initialize !== undefined && era === "legacy" && pushes;
  }

  /** Name that the client has declared. */
  get name(): string | undefined {
    const info = this.#initialize?.params?.["clientInfo"];
    const name = isJsonObject(info) ? info["name"] : undefined;
    return typeof name === "string" ? name : undefined;
  }

  /** True once the client has initialized its connection. */
  get isInitialized(): boolean {
    return this.#initialize !== undefined;
  }

  /** URIs of the resources that the client is subscribed to. */
  get subscriptions(): readonly string[] {
    return [...this.#subscriptions.keys()];
  }

  /** Records a request that succeeded. Returns true if it changed the state. */
  record(request: JsonRpcRequest): boolean {
    const uri = request.params?.["uri"];
    switch (request.method) {
      case "initialize":
        this.#initialize = request;
        return true;
      case "logging/setLevel":
        this.#logLevel = request;
        return true;
      case "resources/subscribe":
        if (typeof uri !== "string" || this.#subscriptions.size >= MAX_SUBSCRIPTIONS) return false;
        this.#subscriptions.set(uri, request);
        return true;
      case "resources/unsubscribe":
        return typeof uri === "string" && this.#subscriptions.delete(uri);
      default:
        return false;
    }
  }

  /** Records the notification that ends the initialization. Returns false for other notifications. */
  recordNotification(message: JsonRpcNotification): boolean {
    if (message.method !== "notifications/initialized") return false;
    this.#initialized = message;
    return true;
  }

  /** Returns the messages that give a new server the state of this connection, in order. */
  stateMessages(): readonly JsonRpcMessage[] {
    const messages = [this.#initialize, this.#initialized, this.#logLevel, ...this.#subscriptions.values()];
    return messages.filter((message) => message !== undefined);
  }
}

/** Returns the facts that a server process needs for its copy of a connection. */
export function factsOf(connection: Connection): ConnectionFacts {
  const { pushes, era, revision, maxCalls, maxSubscriptions } = connection;
  return { pushes, era, revision, maxCalls, maxSubscriptions };
}

/** Returns true if a message is a request. */
export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message && isRequestId(message.id);
}
