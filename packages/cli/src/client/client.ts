/**
 * @fileoverview A small client of one server, in any revision: the newest that both know is spoken.
 * @module cli/client/client
 */
import { toBase64 } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { LATEST_LEGACY, META, MODERN_REVISIONS, type Revision, REVISIONS, TRAITS } from "tenon/protocol";
import { interrupted } from "@tenon/internal/command-line/command";
import { type Transport, TransportError, type WireEvents } from "./transport.js";

/** How a client behaves. */
export interface ClientSettings {
  /** The one revision to speak; by default the newest that the server knows. */
  readonly revision: Revision | undefined;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** Cancels what is under way. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** Settings of one request. */
export interface RequestSettings {
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: JsonObject) => void;
  readonly timeoutMs?: number;
}

/** An error reply of the server. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Opens a wire and greets the server. */
export async function connectClient(
  open: (events: WireEvents) => Transport | Promise<Transport>,
  settings: ClientSettings,
): Promise<Client> {
  const client = new Client(settings);
  await client.open(open);
  try {
    await client.greet();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Servers that know no stateless revision may not answer the first question at all. */
const PROBE_MS = 5_000;
const MAX_PAGES = 1_000;
const MAX_ITEMS = 100_000;

interface Pending {
  readonly resolve: (reply: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
}

/** A client that is connected. */
export class Client {
  /** What the server told of itself. */
  greeting: JsonObject = {};
  revision: Revision = LATEST_LEGACY;
  readonly #settings: ClientSettings;
  readonly #pending = new Map<unknown, Pending>();
  readonly #goodbyes: Promise<void>[] = [];
  #wire: Transport | undefined;
  #end: Error | undefined;
  #lastId = 0;

  /** @internal made by `connectClient` */
  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** @internal */
  async open(open: (events: WireEvents) => Transport | Promise<Transport>): Promise<void> {
    this.#wire = await open({
      onMessage: (message) => this.#take(message),
      onEnd: (reason) => {
        this.#end = reason;
        for (const { reject } of this.#pending.values()) reject(reason);
      },
    });
  }

  /** Whether requests carry all that they need. */
  get isStateless(): boolean {
    return TRAITS[this.revision].stateless;
  }

  /** Whether requests travel over HTTP. */
  get isHttp(): boolean {
    return this.#wire?.isHttp ?? false;
  }

  /** @internal greets the server in the revision that was asked for, or in the newest that it knows */
  async greet(): Promise<void> {
    const { revision } = this.#settings;
    if (revision !== undefined && !TRAITS[revision].stateless) return this.#initialize(revision);
    this.revision = revision ?? MODERN_REVISIONS.at(-1) ?? LATEST_LEGACY;
    try {
      const timeoutMs = revision === undefined ? Math.min(PROBE_MS, this.#settings.timeoutMs) : undefined;
      this.greeting = await this.request("server/discover", {}, timeoutMs === undefined ? {} : { timeoutMs });
    } catch (error) {
      if (revision !== undefined || !isOfAnotherEra(error)) throw error;
      await this.#initialize(LATEST_LEGACY);
    }
    return undefined;
  }

  /** Sends a request and gives its result. @throws ReplyError, TransportError */
  async request(
    method: string,
    params: JsonObject = {},
    settings: RequestSettings = {},
  ): Promise<JsonObject> {
    const wire = this.#wire;
    if (wire === undefined || this.#end !== undefined)
      throw this.#end ?? new TransportError("There is no connection");
    const id = ++this.#lastId;
    const timeoutMs = settings.timeoutMs ?? this.#settings.timeoutMs;
    const { signal: stop } = this.#settings;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    const gaveUp = () => (stop.aborted ? interrupted() : new TimeoutError(timeoutMs));
    const message = { jsonrpc: "2.0", id, method, params: this.#withMeta(params, id, settings.onProgress) };
    try {
      const reply = await new Promise<JsonObject>((resolve, reject) => {
        if (signal.aborted) return reject(gaveUp());
        this.#pending.set(id, { resolve, reject, onProgress: settings.onProgress });
        signal.addEventListener("abort", () => {
          this.#cancel(id, method);
          reject(gaveUp());
        });
        const headers = { ...this.#standardHeaders(method, params), ...settings.headers };
        return wire.send(message, { headers, signal }).catch(reject);
      });
      return readReply(reply);
    } finally {
      this.#pending.delete(id);
    }
  }

  /** A whole list, page by page. */
  async listAll(method: string, key: string): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page++) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      const list = result[key];
      if (!Array.isArray(list)) throw new TransportError(`The server's answer to ${method} has no list`);
      for (const item of list as unknown[]) if (isJsonObject(item)) items.push(item);
      cursor = result["nextCursor"];
      if (cursor === undefined) return items;
    }
    throw new TransportError(`The server's list does not end: ${method} was asked ${MAX_PAGES} times`);
  }

  /** Ends the connection in good order. */
  async close(): Promise<void> {
    await Promise.all(this.#goodbyes);
    await this.#wire?.close();
  }

  async #initialize(revision: Revision): Promise<void> {
    this.revision = revision;
    this.greeting = await this.request("initialize", {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: this.#clientInfo(),
    });
    const agreed = REVISIONS.find((one) => one === this.greeting["protocolVersion"]);
    if (agreed === undefined || TRAITS[agreed].stateless) {
      throw new TransportError("The server speaks no protocol revision that this program knows");
    }
    this.revision = agreed;
    await this.#wire?.send(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { signal: this.#settings.signal },
    );
  }

  #take(message: JsonObject): void {
    const { id, method, params } = message;
    if (typeof method !== "string") this.#pending.get(id)?.resolve(message);
    else if (id !== undefined) this.#answer(id, method);
    else if (method === "notifications/progress" && isJsonObject(params)) {
      this.#pending.get(params["progressToken"])?.onProgress?.(params);
    }
  }

  /** A question of the server: this client declares that it can answer none but a ping. */
  #answer(id: unknown, method: string): void {
    const reply =
      method === "ping"
        ? { result: {} }
        : { error: { code: -32601, message: "this client answers no questions" } };
    void this.#wire?.send({ jsonrpc: "2.0", id, ...reply }).catch(() => undefined); // the server sees to it
  }

  /** Tells the server that nobody waits any more; over HTTP without state, it is told by the closed connection. */
  #cancel(id: number, method: string): void {
    if (method === "initialize" || (this.isHttp && this.isStateless)) return;
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    const said = this.#wire?.send(message, { signal: AbortSignal.timeout(1_000) }) ?? Promise.resolve();
    this.#goodbyes.push(said.catch(() => undefined));
  }

  #withMeta(params: JsonObject, id: number, onProgress: RequestSettings["onProgress"]): JsonObject {
    const meta = {
      ...(onProgress === undefined ? {} : { progressToken: id }),
      ...(this.isStateless
        ? {
            [META.protocolVersion]: this.revision,
            [META.clientCapabilities]: {},
            [META.clientInfo]: this.#clientInfo(),
          }
        : {}),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  #standardHeaders(method: string, params: JsonObject): Readonly<Record<string, string>> {
    if (!this.isHttp || !this.isStateless) return {};
    const name = method === "tools/call" ? params["name"] : undefined;
    return {
      "mcp-protocol-version": this.revision,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": toHeaderValue(name) } : {}),
    };
  }

  #clientInfo(): JsonObject {
    return { name: "tenon", version: this.#settings.version };
  }
}

/** A value as a header: what is not plain text travels in base64. */
export function toHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?");
  return isPlain ? value : `=?base64?${toBase64(encodeUtf8(value))}?=`;
}

class TimeoutError extends TransportError {
  constructor(timeoutMs: number) {
    super(`The server did not answer within ${timeoutMs / 1_000} s`);
  }
}

function readReply(reply: JsonObject): JsonObject {
  const { error, result } = reply;
  if (isJsonObject(error)) {
    const { code, message } = error;
    throw new ReplyError(
      typeof code === "number" ? code : 0,
      typeof message === "string" ? message : "the server gave no reason",
    );
  }
  if (!isJsonObject(result)) throw new TransportError("The server's reply has no result");
  return result;
}

/** Whether a failure means that the server does not know stateless requests; who may not enter is told so instead. */
function isOfAnotherEra(error: unknown): boolean {
  if (error instanceof ReplyError || error instanceof TimeoutError) return true;
  return error instanceof TransportError && [400, 404, 405, 406, 415, 422].includes(error.status ?? 0);
}
