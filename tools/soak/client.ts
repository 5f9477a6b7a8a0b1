/**
 * @fileoverview MCP client of the soak test, on any transport that carries messages. It checks that every request gets
 * exactly one response.
 * @module tools/soak/client
 */
import type { Tally } from "./tally.js";

/** JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Revisions with sessions, or the stateless revision. */
export type Era = "legacy" | "modern";

/** Transport for messages. */
export interface Wire {
  /** Sends a message. `signal` aborts when the request is cancelled. */
  send(message: Json, signal?: AbortSignal): Promise<void>;
  /** True if a client cancels a request by ending its connection, instead of with a notification. */
  readonly cancelsByLeaving: boolean;
  /** Ends the connection. An impolite client leaves without telling the server. */
  close(isPolite: boolean): Promise<void>;
}

/** Opens a transport, whose messages from the server are passed to `take`. */
export type OpenWire = (era: Era, take: (message: Json) => void) => Promise<Wire>;

/** Options for a client. */
export interface ClientOptions {
  readonly era: Era;
  readonly tally: Tally;
  /** Time in milliseconds after which a request counts as lost. */
  readonly hangMs: number;
  /** Returns the answer to a question. */
  readonly answer: () => Json;
}

/** Options for a request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
}

/** Error response of a server. */
export class ErrorResponse extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(`${code} ${message}`);
    this.code = code;
  }
}

const PREFIX = "io.modelcontextprotocol/";

/** Revision of an era. */
export const REVISION: Readonly<Record<Era, string>> = { legacy: "2025-11-25", modern: "2026-07-28" };

const CLIENT_INFO = { name: "soak", version: "1.0.0" };

/** Metadata of every request of the stateless revision. */
export const ENVELOPE: Json = {
  [`${PREFIX}protocolVersion`]: REVISION.modern,
  [`${PREFIX}clientInfo`]: CLIENT_INFO,
  [`${PREFIX}clientCapabilities`]: { extensions: { [`${PREFIX}tasks`]: {} }, elicitation: { form: {} } },
};

/** Parameters of `initialize`. */
export const INITIALIZE: Json = {
  protocolVersion: REVISION.legacy,
  capabilities: { elicitation: { form: {} } },
  clientInfo: CLIENT_INFO,
};

/** MCP client. */
export class SoakClient {
  readonly #options: ClientOptions;
  readonly #pending = new Map<unknown, Pending>();
  readonly #progress = new Map<unknown, (progress: number) => void>();
  /** IDs of cancelled requests, whose responses may still arrive. */
  readonly #cancelled = new Set<unknown>();
  readonly #watchers = new Set<(notification: Json) => void>();
  #wire: Wire | undefined;
  #lastId = 0;
  #isClosed = false;

  private constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Connects and completes the handshake. */
  static async open(openWire: OpenWire, options: ClientOptions): Promise<SoakClient> {
    const client = new SoakClient(options);
    client.#wire = await openWire(options.era, (message) => client.#take(message));
    options.tally.add("connections");
    if (options.era === "modern") {
      await client.request("server/discover");
      return client;
    }
    await client.request("initialize", INITIALIZE);
    await client.notify("notifications/initialized");
    return client;
  }

  /** Revisions that the client uses. */
  get era(): Era {
    return this.#options.era;
  }

  /** Sends a request and returns its result. @throws {ErrorResponse} for an error response */
  async request(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Json> {
    const { signal, onProgress } = options;
    const id = ++this.#lastId;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const message = { jsonrpc: "2.0", id, method, params: this.#withMeta(params, id, onProgress) };
    let release = () => undefined as void;
    try {
      const reply = await new Promise<Json>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        const timer = setTimeout(() => {
          reject(new Error(`${method} got no response within ${this.#options.hangMs} ms`));
        }, this.#options.hangMs);
        const onAbort = () => {
          this.#cancelled.add(id);
          reject(new Cancelled());
          if (!this.#sender.cancelsByLeaving)
            void this.notify("notifications/cancelled", { requestId: id }).catch(() => undefined);
        };
        signal?.addEventListener("abort", onAbort);
        release = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        this.#sender.send(message, signal).catch(reject);
      });
      this.#options.tally.add("requests");
      const { error, result } = reply as {
        readonly error?: { code: number; message: string };
        result?: Json;
      };
      if (error !== undefined) throw new ErrorResponse(error.code, error.message);
      if (result === undefined) throw new Error(`${method} got a response without a result`);
      return result;
    } finally {
      release();
      this.#pending.delete(id);
      this.#progress.delete(id);
    }
  }

  /** Calls a tool, and answers its questions as the revision requires. */
  async call(name: string, args: Json = {}, options: RequestOptions = {}): Promise<Json> {
    const params = { name, arguments: args };
    let result = await this.request("tools/call", params, options);
    while (result["resultType"] === "input_required") {
      const inputResponses = this.answerAll(result["inputRequests"]);
      const { requestState } = result;
      result = await this.request("tools/call", { ...params, inputResponses, requestState }, options);
    }
    return result;
  }

  /** Returns an answer to each of the questions. */
  answerAll(questions: unknown): Json {
    const keys = Object.keys(questions as object); // Safe: a Tenon server sent it
    return Object.fromEntries(keys.map((key) => [key, this.#answer()]));
  }

  /** Sends a notification. */
  async notify(method: string, params: Json = {}): Promise<void> {
    await this.#sender.send({ jsonrpc: "2.0", method, params });
  }

  /** Resolves when a notification with a method and a text arrives. Rejects when it does not arrive in time. */
  heard(method: string, text = ""): Promise<void> {
    return new Promise((resolve, reject) => {
      const watcher = (notification: Json) => {
        if (notification["method"] !== method || !JSON.stringify(notification).includes(text)) return;
        end();
        resolve();
      };
      const end = () => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`${method} did not arrive within ${this.#options.hangMs} ms`));
      }, this.#options.hangMs);
      this.#watchers.add(watcher);
    });
  }

  /** Ends the connection. */
  async close(isPolite: boolean): Promise<void> {
    this.#isClosed = true;
    if (!isPolite) this.#options.tally.add("connections dropped");
    for (const { reject } of this.#pending.values()) reject(new Cancelled());
    await this.#wire?.close(isPolite);
  }

  get #sender(): Wire {
    if (this.#wire === undefined) throw new Error("The transport is not open.");
    return this.#wire;
  }

  #take(message: Json): void {
    if (this.#isClosed) return;
    const { id, method } = message;
    if (typeof method !== "string") return this.#settle(message);
    if (id !== undefined) {
      this.#sender.send({ jsonrpc: "2.0", id, result: this.#answer() }).catch(() => undefined);
      return undefined;
    }
    if (method === "notifications/progress") {
      const { progressToken, progress } = message["params"] as Json; // Safe: a Tenon server sent it
      this.#options.tally.add("progress notifications");
      this.#progress.get(progressToken)?.(Number(progress));
    }
    this.#watchers.forEach((watcher) => watcher(message));
  }

  #settle(reply: Json): void {
    const pending = this.#pending.get(reply["id"]);
    this.#pending.delete(reply["id"]);
    if (pending !== undefined) return pending.resolve(reply);
    if (this.#cancelled.has(reply["id"])) return;
    this.#options.tally.fail(`unexpected response: ${JSON.stringify(reply).slice(0, 200)}`);
  }

  #answer(): Json {
    this.#options.tally.add("questions answered");
    return this.#options.answer();
  }

  #withMeta(params: Json, id: number, onProgress: RequestOptions["onProgress"]): Json {
    const meta = {
      ...(this.era === "modern" ? ENVELOPE : {}),
      ...(onProgress === undefined ? {} : { progressToken: id }),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }
}

interface Pending {
  readonly resolve: (reply: Json) => void;
  readonly reject: (reason: Error) => void;
}

/** Reason of a request that its client cancelled. */
export class Cancelled extends Error {}
