/**
 * @fileoverview A client in memory for tests, typed by the server it talks to, in any revision.
 * @module transport/memory/client
 */
import type { Auth } from "../../core/wire/exchange.js";
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type ClientCapabilities,
  type Completion,
  type JsonRpcNotification,
  LATEST_LEGACY,
  type LogLevel,
  META,
  type McpPromptDefinition,
  type PromptResult,
  type ReadResult,
  type RequestId,
  type McpResourceDefinition,
  type McpResourceTemplateDefinition,
  type Revision,
  type RpcError,
  type McpToolDefinition,
  type ToolResult,
  TRAITS,
} from "../../protocol/index.js";
import { answerQuestion, capabilitiesOf, type Fakes } from "./fakes.js";
import { type MemoryTransport, openMemoryTransport } from "./memory-transport.js";

/** Settings of a client, and the fakes that answer for it. */
export interface ClientOptions<Context> extends Fakes {
  /** @default the latest revision that opens with `initialize` */
  readonly revision?: Revision;
  /** Replaces what the fakes would declare. */
  readonly capabilities?: ClientCapabilities;
  /** The application's value for every request. */
  readonly context?: Context;
  readonly auth?: Auth;
  /** Sent with every request of a stateless revision. */
  readonly logLevel?: LogLevel;
  /** Hears every notification. */
  readonly onNotification?: (notification: JsonRpcNotification) => void;
}

/** The result of a call, with the type of its structured content. */
export type CallResult<Output> = Omit<ToolResult, "structuredContent"> & {
  readonly structuredContent?: Output;
};

/** A call's arguments, which may be left out where the tool takes none, and its settings. */
export type CallArguments<Input> =
  Record<string, never> extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions];

/** Settings of one request. */
export interface RequestOptions {
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** Hears of progress. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** An error reply. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;
  readonly data: unknown;

  constructor(error: RpcError) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

/** Rounds of questions before a call counts as one that never ends. */
const MAX_ROUNDS = 16;

/**
 * Connects a client to a server in memory; in the legacy eras it has said `initialize` when the promise resolves.
 *
 * @example
 * const client = await createClient(server);
 * const { content } = await client.callTool("forecast", { city: "Riga" });
 */
export async function createClient<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  options: ClientOptions<Context> = {},
): Promise<Client<Tools>> {
  const client = new Client<Tools>(options);
  client.open(
    openMemoryTransport(toServer(server), {
      context: options.context as Context, // the test's own choice, also to leave it out
      auth: options.auth,
      onFrame: (frame) => client.take(frame),
    }),
  );
  await client.initialize();
  return client;
}

/** A client of one server. */
export class Client<Tools extends ToolMap = ToolMap> {
  /** The revision that is spoken. */
  revision: Revision;
  /** Every notification so far. */
  readonly notifications: JsonRpcNotification[] = [];
  /** The result of `initialize` or `server/discover`. */
  server: JsonObject = {};
  readonly #options: Omit<ClientOptions<unknown>, "context">;
  readonly #capabilities: ClientCapabilities;
  readonly #pending = new Map<RequestId, (frame: JsonObject) => void>();
  readonly #progress = new Map<RequestId, NonNullable<RequestOptions["onProgress"]>>();
  #transport: MemoryTransport | undefined;
  #lastId = 0;

  /** @internal made by `createClient` */
  constructor(options: Omit<ClientOptions<unknown>, "context">) {
    this.revision = options.revision ?? LATEST_LEGACY;
    this.#options = options;
    this.#capabilities = options.capabilities ?? capabilitiesOf(options);
  }

  /** @internal */
  open(transport: MemoryTransport): void {
    this.#transport = transport;
  }

  /** @internal opens the conversation as the revision asks for */
  async initialize(): Promise<void> {
    if (TRAITS[this.revision].stateless) {
      this.server = await this.request("server/discover");
      return;
    }
    this.server = await this.request("initialize", {
      protocolVersion: this.revision,
      capabilities: this.#capabilities,
      clientInfo: CLIENT_INFO,
    });
    await this.notify("notifications/initialized");
  }

  /** Calls a tool; questions of the server are answered by the fakes. */
  async callTool<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options]: CallArguments<Tools[Name]["input"]>
  ): Promise<CallResult<Tools[Name]["output"]>> {
    // What the server's own types promise; the tests check that it holds.
    return (await this.#inRounds(
      "tools/call",
      { name, arguments: args ?? {} },
      options,
    )) as unknown as CallResult<Tools[Name]["output"]>;
  }

  /** Reads a resource. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResult> {
    return (await this.#inRounds("resources/read", { uri }, options)) as unknown as ReadResult;
  }

  /** Gets a prompt. */
  async getPrompt(name: string, args: Readonly<Record<string, string>> = {}): Promise<PromptResult> {
    return (await this.#inRounds("prompts/get", { name, arguments: args })) as unknown as PromptResult;
  }

  /** Lists all tools, page by page. */
  listTools(): Promise<readonly McpToolDefinition[]> {
    return this.#listAll("tools/list", "tools");
  }

  /** Lists all resources, page by page. */
  listResources(): Promise<readonly McpResourceDefinition[]> {
    return this.#listAll("resources/list", "resources");
  }

  /** Lists all families of resources, page by page. */
  listResourceTemplates(): Promise<readonly McpResourceTemplateDefinition[]> {
    return this.#listAll("resources/templates/list", "resourceTemplates");
  }

  /** Lists all prompts, page by page. */
  listPrompts(): Promise<readonly McpPromptDefinition[]> {
    return this.#listAll("prompts/list", "prompts");
  }

  /** Asks for suggestions. */
  async complete(
    ref: JsonObject,
    argument: { readonly name: string; readonly value: string },
  ): Promise<Completion> {
    const { completion } = await this.request("completion/complete", { ref, argument });
    return completion as Completion; // the one member of this result
  }

  /**
   * Opens a stream of changes in a stateless revision, until the function returned is called.
   *
   * @param notifications such as `{ toolsListChanged: true }`
   */
  listen(notifications: JsonObject): {
    readonly ended: Promise<JsonObject | undefined>;
    readonly stop: () => void;
  } {
    const controller = new AbortController();
    const ended = this.request(
      "subscriptions/listen",
      { notifications },
      { signal: controller.signal },
    ).catch((error: unknown) => {
      if (controller.signal.aborted) return undefined;
      throw error;
    });
    return { ended, stop: () => controller.abort() };
  }

  /** Sends any request and gives its result. @throws ClientError for an error reply */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, onProgress } = options;
    const id = ++this.#lastId;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const frame = JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: this.#withMeta(params, id, onProgress),
    });
    try {
      const reply = await new Promise<JsonObject>((resolve, reject) => {
        this.#pending.set(id, resolve);
        signal?.addEventListener("abort", () => {
          void this.notify("notifications/cancelled", { requestId: id });
          reject(signal.reason);
        });
        this.#send(frame).catch(reject);
      });
      if (isJsonObject(reply["error"])) throw new ClientError(reply["error"] as unknown as RpcError); // a reply of our server
      return reply["result"] as JsonObject; // as above
    } finally {
      this.#pending.delete(id);
      this.#progress.delete(id);
    }
  }

  /** Sends any notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#send(JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }));
  }

  /** Closes the transport. */
  close(): void {
    this.#transport?.close();
  }

  /** @internal takes a frame of the server */
  take(frame: string): void {
    const message: unknown = JSON.parse(frame);
    for (const one of Array.isArray(message) ? message : [message]) if (isJsonObject(one)) this.#takeOne(one);
  }

  #takeOne(message: JsonObject): void {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      this.#pending.get(id as RequestId)?.(message); // the server answers under the ids it got
      return;
    }
    if (id !== undefined) {
      void this.#answer(id as RequestId, method, isJsonObject(params) ? params : {});
      return;
    }
    const notification = message as unknown as JsonRpcNotification; // it has a method and no id
    this.notifications.push(notification);
    this.#options.onNotification?.(notification);
    if (method === "notifications/progress" && isJsonObject(params)) {
      const { progressToken, ...progress } = params;
      this.#progress.get(progressToken as RequestId)?.(progress as unknown as ProgressParams);
    }
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    const reply = await answerQuestion(this.#options, method, params).then(
      (result) => ({ result }),
      (error: unknown) => ({
        error: { code: -32603, message: error instanceof Error ? error.message : "failed" },
      }),
    );
    await this.#send(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  }

  /** Sends a request again with the answers for as long as the server has questions. */
  async #inRounds(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    let result = await this.request(method, params, options);
    for (let round = 0; result["resultType"] === "input_required"; round++) {
      if (round === MAX_ROUNDS) throw new Error(`the server still has questions after ${MAX_ROUNDS} rounds`);
      const asked = Object.entries(result["inputRequests"] ?? {}) as [string, JsonObject][]; // the server's own
      const inputResponses = Object.fromEntries(
        await Promise.all(
          asked.map(async ([key, { method: question, params: detail }]) => [
            key,
            await answerQuestion(this.#options, String(question), isJsonObject(detail) ? detail : {}),
          ]),
        ),
      ) as JsonObject;
      const { requestState } = result;
      result = await this.request(method, { ...params, inputResponses, requestState }, options);
    }
    return result;
  }

  async #listAll<Item>(method: string, key: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: unknown;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...(result[key] as readonly Item[])); // the server's own list
      cursor = result["nextCursor"];
    } while (cursor !== undefined);
    return items;
  }

  #withMeta(params: JsonObject, id: RequestId, onProgress: RequestOptions["onProgress"]): JsonObject {
    const { logLevel } = this.#options;
    const meta = {
      ...(isJsonObject(params["_meta"]) ? params["_meta"] : {}),
      ...(onProgress === undefined ? {} : { progressToken: id }),
      ...(TRAITS[this.revision].stateless
        ? {
            [META.protocolVersion]: this.revision,
            [META.clientCapabilities]: this.#capabilities,
            [META.clientInfo]: CLIENT_INFO,
            ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
          }
        : {}),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  async #send(frame: string): Promise<void> {
    if (this.#transport === undefined) throw new Error("the client is not connected");
    await this.#transport.send(frame);
  }
}

type ProgressParams = Parameters<NonNullable<RequestOptions["onProgress"]>>[0];

const CLIENT_INFO = { name: "tenon-testing", version: "0" };
