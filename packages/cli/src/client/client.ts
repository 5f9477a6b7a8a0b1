/**
 * @fileoverview Small MCP client. By default, it uses the newest protocol revision that both sides support.
 * @module cli/client/client
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { LATEST_LEGACY, META, MODERN_REVISIONS, type Revision, REVISIONS, TRAITS } from "tenon/protocol";
import { interrupted } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/command-line/text";
import { type Countdown, startCountdown } from "./countdown.js";
import { nameHeader } from "./headers.js";
import { followTask, withTasks } from "./tasks.js";
import { ReplyError, type Transport, TransportError, type TransportEvents } from "./transport.js";

/** Answers requests from the server, such as requests for user input. */
export interface RequestAnswerer {
  /** Capabilities to declare to the server. */
  readonly capabilities: JsonObject;
  /** Answers one request. If it rejects, the call in flight fails with the same error. */
  answer(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Settings for `connectClient`. */
export interface ClientSettings {
  /** Protocol revision to use. `undefined` selects the newest one that the server supports. */
  readonly revision: Revision | undefined;
  /** Time limit for one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Cancels requests in flight. */
  readonly signal: AbortSignal;
  /** Client version to report to the server. */
  readonly version: string;
  /** Answers requests from the server. Without it, the client declares no capabilities. */
  readonly answerer: RequestAnswerer | undefined;
}

/** Settings for one request. */
export interface RequestSettings {
  /** Additional HTTP headers. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the parameters of each progress notification. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Time limit in milliseconds. @default the client's limit */
  readonly timeoutMs?: number;
}

/** Opens a transport and performs the handshake. Closes the transport if the handshake fails. */
export async function connectClient(
  open: (events: TransportEvents) => Transport | Promise<Transport>,
  settings: ClientSettings,
): Promise<Client> {
  const client = new Client(settings);
  await client.open(open);
  try {
    await client.handshake();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Time limit in milliseconds for the first request, because a legacy server may never respond to it. */
const PROBE_MS = 5_000;
/** Maximum number of times a server may ask for input during one request. */
const MAX_ROUNDS = 16;
const MAX_PAGES = 1_000;
const MAX_ITEMS = 100_000;

interface Pending {
  readonly resolve: (reply: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
}

/** Connected client. Create it with `connectClient`. */
export class Client {
  /** Result of `server/discover` or `initialize`. */
  handshakeResult: JsonObject = {};
  /** Protocol revision in use. */
  revision: Revision = LATEST_LEGACY;
  readonly #settings: ClientSettings;
  readonly #pending = new Map<unknown, Pending>();
  /** Time limits of the requests in flight. */
  readonly #countdowns = new Set<Countdown>();
  /** Cancellations that are still being sent. */
  readonly #cancellations: Promise<void>[] = [];
  #transport: Transport | undefined;
  #end: Error | undefined;
  /** Number of requests for input that are being answered. */
  #questions = 0;
  #lastId = 0;

  /** @internal Use `connectClient`. */
  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** @internal Opens the transport. */
  async open(open: (events: TransportEvents) => Transport | Promise<Transport>): Promise<void> {
    this.#transport = await open({
      onMessage: (message) => this.#take(message),
      onEnd: (reason) => {
        this.#end = reason;
        for (const { reject } of this.#pending.values()) reject(reason);
      },
    });
  }

  /** True if the revision works without sessions. */
  get isStateless(): boolean {
    return TRAITS[this.revision].stateless;
  }

  /** True if requests are sent over HTTP. */
  get isHttp(): boolean {
    return this.#transport?.isHttp ?? false;
  }

  /** @internal Agrees on a revision: the one in the settings, or the newest one that the server supports. */
  async handshake(): Promise<void> {
    const { revision } = this.#settings;
    if (revision !== undefined && !TRAITS[revision].stateless) return this.#initialize(revision);
    this.revision = revision ?? MODERN_REVISIONS.at(-1) ?? LATEST_LEGACY;
    try {
      const timeoutMs = revision === undefined ? Math.min(PROBE_MS, this.#settings.timeoutMs) : undefined;
      this.handshakeResult = await this.request(
        "server/discover",
        {},
        timeoutMs === undefined ? {} : { timeoutMs },
      );
    } catch (error) {
      if (revision !== undefined || !isFromLegacyServer(error)) throw error;
      await this.#initialize(LATEST_LEGACY);
    }
    return undefined;
  }

  /**
   * Sends a request and returns its result.
   *
   * @throws {ReplyError} if the server responds with an error
   * @throws {TransportError} if the connection fails or the response is malformed
   */
  async request(
    method: string,
    params: JsonObject = {},
    settings: RequestSettings = {},
  ): Promise<JsonObject> {
    const transport = this.#transport;
    if (transport === undefined || this.#end !== undefined)
      throw this.#end ?? new TransportError("The client is not connected.");
    const id = ++this.#lastId;
    const timeoutMs = settings.timeoutMs ?? this.#settings.timeoutMs;
    const { signal: stop } = this.#settings;
    const timeout = new AbortController();
    const countdown = startCountdown(timeoutMs, () => timeout.abort());
    this.#countdowns.add(countdown);
    const signal = AbortSignal.any([stop, timeout.signal]);
    const toReason = () => (stop.aborted ? interrupted() : new TimeoutError(timeoutMs));
    const message = { jsonrpc: "2.0", id, method, params: this.#withMeta(params, id, settings.onProgress) };
    try {
      const reply = await new Promise<JsonObject>((resolve, reject) => {
        if (signal.aborted) return reject(toReason());
        this.#pending.set(id, { resolve, reject, onProgress: settings.onProgress });
        signal.addEventListener("abort", () => {
          this.#cancel(id, method);
          reject(toReason());
        });
        const headers = { ...this.#standardHeaders(method, params), ...settings.headers };
        return transport.send(message, { headers, signal }).catch(reject);
      });
      return readReply(reply);
    } finally {
      countdown.stop();
      this.#countdowns.delete(countdown);
      this.#pending.delete(id);
    }
  }

  /**
   * Sends a request, and repeats it with answers while the server asks for input. Follows a task to its result.
   *
   * @throws {CliError} if a question cannot be answered
   */
  async requestInRounds(
    method: string,
    params: JsonObject,
    settings: RequestSettings = {},
  ): Promise<JsonObject> {
    let result = await this.request(method, params, settings);
    for (let round = 0; result["resultType"] === "input_required"; round++) {
      if (round === MAX_ROUNDS) {
        throw new TransportError(`The server asked for input too many times (limit: ${MAX_ROUNDS}).`);
      }
      const asked = isJsonObject(result["inputRequests"]) ? Object.entries(result["inputRequests"]) : [];
      const answers: [string, JsonObject][] = [];
      // The user can answer only one request at a time.
      for (const [key, question] of asked) answers.push([key, await this.#answerInput(question)]);
      const { requestState } = result;
      const inputResponses = Object.fromEntries(answers);
      result = await this.request(
        method,
        { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) },
        settings,
      );
    }
    return result["resultType"] === "task" ? this.#followTask(result, settings) : result;
  }

  /** Reads all pages of a list. @throws {TransportError} if the list has too many pages or items */
  async listAll(method: string, key: string): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page++) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      const list = result[key];
      if (!Array.isArray(list))
        throw new TransportError(`The server's response to ${method} does not contain the array \`${key}\`.`);
      for (const item of list as unknown[]) if (isJsonObject(item)) items.push(item);
      cursor = result["nextCursor"];
      if (cursor === undefined) return items;
    }
    throw new TransportError(
      `The server's ${method} result is too long (limit: ${MAX_PAGES} pages, ${MAX_ITEMS} items).`,
    );
  }

  /** Waits until pending cancellations are sent, then closes the connection. */
  async close(): Promise<void> {
    await Promise.all(this.#cancellations);
    await this.#transport?.close();
  }

  #followTask(created: JsonObject, { onProgress }: RequestSettings): Promise<JsonObject> {
    return followTask(created, {
      signal: this.#settings.signal,
      request: (method, params) => this.request(method, params),
      answer: (question) => this.#answerInput(question),
      cancel: (taskId) => {
        const id = ++this.#lastId;
        const params = this.#withMeta({ taskId }, id, undefined);
        this.#sendLast({ jsonrpc: "2.0", id, method: "tasks/cancel", params });
      },
      onStatus: (message) => onProgress?.({ message }),
    });
  }

  async #initialize(revision: Revision): Promise<void> {
    this.revision = revision;
    this.handshakeResult = await this.request("initialize", {
      protocolVersion: revision,
      capabilities: this.#capabilities(),
      clientInfo: this.#clientInfo(),
    });
    const { protocolVersion: chosen } = this.handshakeResult;
    const agreed = REVISIONS.find((one) => one === chosen);
    if (agreed === undefined || TRAITS[agreed].stateless) {
      const shown = typeof chosen === "string" ? `"${oneLine(chosen, 40)}"` : "none";
      throw new TransportError(
        `The server chose protocol revision ${shown}. tenon supports ${REVISIONS.join(", ")}.`,
      );
    }
    this.revision = agreed;
    await this.#transport?.send(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { signal: this.#settings.signal },
    );
    if (this.#settings.answerer !== undefined) this.#transport?.listen?.();
  }

  #take(message: JsonObject): void {
    const { id, method, params } = message;
    if (typeof method !== "string") this.#pending.get(id)?.resolve(message);
    else if (id !== undefined) void this.#answer(id, method, isJsonObject(params) ? params : {});
    else if (method === "notifications/progress" && isJsonObject(params)) {
      this.#pending.get(params["progressToken"])?.onProgress?.(params);
    }
  }

  /** Responds to a request from the server. If it cannot be answered, the requests in flight fail. */
  async #answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    const { answerer } = this.#settings;
    let reply: JsonObject;
    let failure: unknown;
    if (method === "ping") reply = { result: {} };
    else if (answerer === undefined || method !== "elicitation/create") {
      reply = { error: { code: -32601, message: "This client does not support this request." } };
    } else {
      reply = await this.#untimed(() => answerer.answer(method, params)).then(
        (result) => ({ result }),
        (error: unknown) => {
          failure = error;
          return { result: { action: "cancel" } };
        },
      );
    }
    // `onEnd` reports a closed transport.
    await this.#transport?.send({ jsonrpc: "2.0", id, ...reply }).catch(() => undefined);
    if (failure !== undefined) for (const { reject } of this.#pending.values()) reject(failure);
  }

  async #answerInput(question: unknown): Promise<JsonObject> {
    const { method, params } = isJsonObject(question) ? question : {};
    const { answerer } = this.#settings;
    if (answerer === undefined || typeof method !== "string") {
      throw new TransportError("The server asked for input, although tenon did not declare support for it.");
    }
    return this.#untimed(() => answerer.answer(method, isJsonObject(params) ? params : {}));
  }

  /** Runs a task without counting its time against the requests in flight. */
  async #untimed<T>(task: () => Promise<T>): Promise<T> {
    this.#questions++;
    for (const countdown of this.#countdowns) countdown.pause();
    try {
      return await task();
    } finally {
      if (--this.#questions === 0) for (const countdown of this.#countdowns) countdown.resume();
    }
  }

  /** Tells the server to cancel a request. Over stateless HTTP, closing the connection cancels it. */
  #cancel(id: number, method: string): void {
    if (method === "initialize" || (this.isHttp && this.isStateless)) return;
    this.#sendLast({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  }

  /** Sends a message without waiting for a response. The connection closes after it has been sent. */
  #sendLast(message: { readonly method: string; readonly params: JsonObject } & JsonObject): void {
    const headers = this.#standardHeaders(message.method, message.params);
    const sent = this.#transport?.send(message, { headers, signal: AbortSignal.timeout(1_000) });
    if (sent !== undefined) this.#cancellations.push(sent.catch(() => undefined));
  }

  #withMeta(params: JsonObject, id: number, onProgress: RequestSettings["onProgress"]): JsonObject {
    const meta = {
      ...(onProgress === undefined ? {} : { progressToken: id }),
      ...(this.isStateless
        ? {
            [META.protocolVersion]: this.revision,
            [META.clientCapabilities]: this.#capabilities(),
            [META.clientInfo]: this.#clientInfo(),
          }
        : {}),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  #standardHeaders(method: string, params: JsonObject): Readonly<Record<string, string>> {
    if (!this.isHttp || !this.isStateless) return {};
    const name = nameHeader(method, params);
    return {
      "mcp-protocol-version": this.revision,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    };
  }

  #capabilities(): JsonObject {
    const capabilities = this.#settings.answerer?.capabilities ?? {};
    return this.isStateless ? withTasks(capabilities) : capabilities;
  }

  #clientInfo(): JsonObject {
    return { name: "tenon", version: this.#settings.version };
  }
}

class TimeoutError extends TransportError {
  constructor(timeoutMs: number) {
    super(`The server did not respond within ${timeoutMs / 1_000} s. Raise --timeout to wait longer.`);
  }
}

function readReply(reply: JsonObject): JsonObject {
  const { error, result } = reply;
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    throw new ReplyError({
      code: typeof code === "number" ? code : 0,
      message: typeof message === "string" ? message : "no message",
      data,
    });
  }
  if (!isJsonObject(result))
    throw new TransportError("The server's response does not contain a result object.");
  return result;
}

/** Returns true if the failure shows that the server does not support stateless requests. */
function isFromLegacyServer(error: unknown): boolean {
  if (error instanceof ReplyError || error instanceof TimeoutError) return true;
  return error instanceof TransportError && [400, 404, 405, 406, 415, 422].includes(error.status ?? 0);
}
