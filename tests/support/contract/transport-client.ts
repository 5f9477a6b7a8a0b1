/**
 * @fileoverview The transport contract's client interface, and its implementation for any transport that carries
 * messages. The reference implementation is the in-memory test client.
 * @module tests/support/contract/transport-client
 */
import type { JsonObject } from "@tenon/internal/json";
import { META, type RequestId, type Revision, type Root, type RpcError, TRAITS } from "tenon/protocol";
import { ClientError, type RequestOptions } from "tenon/client";
import { checkMessage, type Problem } from "./transport-messages.js";

/** A client's responses to server requests. */
export interface People {
  readonly input: (params: JsonObject) => JsonObject;
  readonly sample: (params: JsonObject) => JsonObject;
  readonly roots: readonly Root[];
}

/** Options for opening a client. */
export interface OpenOptions {
  readonly revision: Revision;
  readonly people: People;
}

/** Client that is connected to the contract server and has completed the handshake. */
export interface TransportClient {
  readonly revision: Revision;
  /** Result of `initialize` or `server/discover`. */
  readonly greeting: JsonObject;
  /** Notifications received so far. */
  readonly notifications: readonly JsonObject[];
  /** Unexpected replies, and messages that do not match the revision's schema. */
  readonly problems: readonly Problem[];
  /** Sends a request. @throws ClientError for an error response */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Calls a tool, and responds to server requests as the revision requires. */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Waits until `count` notifications with a method have arrived since the start. */
  heard(method: string, count?: number): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

/** Opens a client that is connected to a new server. */
export type OpenClient = (options: OpenOptions) => Promise<TransportClient>;

/** Transport for messages. `OpenWire` receives the function that the server's messages are passed to. */
export interface Wire {
  /** @param signal aborts when the request is cancelled. Transports that ignore it send a notification instead. */
  send(message: JsonObject, signal?: AbortSignal): Promise<void>;
  /** True if disconnecting cancels a request. */
  readonly cancelsByLeaving: boolean;
  close(): Promise<void>;
}

/** Opens a transport to a new server. */
export type OpenWire = (revision: Revision, take: (message: JsonObject) => void) => Promise<Wire>;

/** Creates a client for a transport. */
export function clientOn(openWire: OpenWire): OpenClient {
  return async ({ revision, people }) => {
    const client = new WireClient(revision, people);
    await client.open(openWire);
    return client;
  };
}

/** Capabilities that the client declares, the same as those of the reference. */
export const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

class WireClient implements TransportClient {
  readonly revision: Revision;
  readonly notifications: JsonObject[] = [];
  readonly problems: Problem[] = [];
  greeting: JsonObject = {};
  readonly #people: People;
  readonly #pending = new Map<unknown, { readonly method: string; settle: (reply: JsonObject) => void }>();
  readonly #progress = new Map<unknown, NonNullable<RequestOptions["onProgress"]>>();
  readonly #watchers = new Set<() => void>();
  #wire: Wire | undefined;
  #lastId = 0;

  constructor(revision: Revision, people: People) {
    this.revision = revision;
    this.#people = people;
  }

  async open(openWire: OpenWire): Promise<void> {
    this.#wire = await openWire(this.revision, (message) => this.#take(message));
    if (TRAITS[this.revision].stateless) {
      this.greeting = await this.request("server/discover");
      return;
    }
    this.greeting = await this.request("initialize", {
      protocolVersion: this.revision,
      capabilities: CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    await this.notify("notifications/initialized");
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, onProgress } = options;
    const id = ++this.#lastId;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const message = { jsonrpc: "2.0", id, method, params: this.#withMeta(params, id, onProgress) };
    try {
      const reply = await new Promise<JsonObject>((settle, reject) => {
        this.#pending.set(id, { method, settle });
        signal?.addEventListener("abort", () => {
          reject(signal.reason);
          if (this.#wire?.cancelsByLeaving === true) return;
          void this.notify("notifications/cancelled", { requestId: id });
        });
        this.#sender.send(message, signal).catch(reject);
      });
      if (reply["error"] !== undefined) throw new ClientError(reply["error"] as RpcError); // sent by a Tenon server
      return reply["result"] as JsonObject; // as above
    } finally {
      this.#pending.delete(id);
      this.#progress.delete(id);
    }
  }

  async call(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const params = { name, arguments: args };
    let result = await this.request("tools/call", params, options);
    while (result["resultType"] === "input_required") {
      const asked = Object.entries(result["inputRequests"] as Record<string, JsonObject>);
      const inputResponses = Object.fromEntries(
        asked.map(([key, question]) => [key, this.#answer(question)]),
      ) as JsonObject;
      const { requestState } = result;
      result = await this.request("tools/call", { ...params, inputResponses, requestState }, options);
    }
    return result;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#sender.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  async heard(method: string, count = 1): Promise<readonly JsonObject[]> {
    for (;;) {
      const found = this.notifications.filter((one) => one["method"] === method);
      if (found.length >= count) return found;
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  async close(): Promise<void> {
    await this.#wire?.close();
  }

  get #sender(): Wire {
    if (this.#wire === undefined) throw new Error("The transport is not open.");
    return this.#wire;
  }

  #take(message: JsonObject): void {
    const { id, method, params } = message;
    const pending = method === undefined ? this.#pending.get(id) : undefined;
    this.problems.push(...checkMessage(this.revision, message, pending?.method));
    if (pending !== undefined) pending.settle(message);
    else if (method !== undefined && id !== undefined) {
      const reply = { jsonrpc: "2.0", id: id as RequestId, result: this.#answer(message) };
      void this.#sender.send(reply);
    } else if (method !== undefined) this.#takeNotification(message, params as JsonObject);
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }

  #takeNotification(message: JsonObject, params: JsonObject): void {
    this.notifications.push(message);
    if (message["method"] !== "notifications/progress") return;
    const { progressToken, ...progress } = params;
    this.#progress.get(progressToken)?.(progress as unknown as ProgressOf<RequestOptions>);
  }

  #answer({ method, params }: JsonObject): JsonObject {
    if (method === "elicitation/create") return this.#people.input(params as JsonObject);
    if (method === "sampling/createMessage") return this.#people.sample(params as JsonObject);
    return { roots: this.#people.roots };
  }

  #withMeta(params: JsonObject, id: number, onProgress: RequestOptions["onProgress"]): JsonObject {
    const meta = {
      ...(params["_meta"] as JsonObject | undefined),
      ...(onProgress === undefined ? {} : { progressToken: id }),
      ...(TRAITS[this.revision].stateless
        ? {
            [META.protocolVersion]: this.revision,
            [META.clientCapabilities]: CAPABILITIES,
            [META.clientInfo]: CLIENT_INFO,
          }
        : {}),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }
}

type ProgressOf<Options extends RequestOptions> = Parameters<NonNullable<Options["onProgress"]>>[0];

const CLIENT_INFO = { name: "contract-client", version: "0" };
