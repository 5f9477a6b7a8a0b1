/**
 * @fileoverview In-memory test client for any protocol revision, typed by its server.
 * @module transport/memory/client
 */
import { type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { isPromise } from "@tenon/internal/maybe-promise";
import {
  type ClientCapabilities,
  type Completion,
  type JsonRpcNotification,
  type JsonRpcResponse,
  LATEST_LEGACY,
  type McpPromptDefinition,
  type PromptResult,
  type ReadResult,
  type RequestId,
  type McpResourceDefinition,
  type McpResourceTemplateDefinition,
  MODERN_REVISIONS,
  type Revision,
  type McpToolDefinition,
  type ToolResult,
  TRAITS,
} from "../../protocol/index.js";
import type { OptionsFor } from "../options-for.js";
import { assertClientOptions, type ClientOptions, type RequestOptions } from "./client-options.js";
import { ClientError } from "./client-error.js";
import { answerQuestion, answerQuestions, capabilitiesOf } from "./fakes.js";
import { type ClientTransport, openClientTransport } from "./memory-transport.js";
import { CLIENT_INFO, copyWithMeta, createEnvelope, withMeta } from "./request-meta.js";
import { type TaskHandle, type TaskPeer, toTaskHandle, withTasks } from "./task-handle.js";

/** Result of a tool call, with typed structured content. */
export type CallResult<Output> = Omit<ToolResult, "structuredContent"> & {
  readonly structuredContent?: Output;
};

/** Arguments and options for a tool call. The arguments are optional if the tool takes none. */
export type CallArguments<Input> =
  Record<string, never> extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions];

/** Maximum number of input rounds per request. */
const MAX_ROUNDS = 16;

const LATEST_STATELESS = MODERN_REVISIONS.at(-1) ?? LATEST_LEGACY;

/**
 * Connects a test client to a server in memory. For legacy revisions, `initialize` has completed when the promise
 * resolves.
 *
 * @example
 * const client = await createClient(server);
 * const { content } = await client.callTool("forecast", { city: "Riga" });
 */
export async function createClient<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, ClientOptions<NoInfer<Context>>>
): Promise<Client<Tools>> {
  const options: ClientOptions<Context> = rest[0] ?? {};
  assertClientOptions(options);
  const client = new Client<Tools>(options);
  client.open(
    openClientTransport(toServer<Context, Tools>(server), {
      context: options.context as Context, // Safe: `undefined` only if the server declares no context
      auth: options.auth,
      onFrame: (frame) => client.take(frame),
    }),
  );
  await client.initialize();
  return client;
}

/** Test client for one server. Create it with `createClient`. */
export class Client<Tools extends ToolMap = ToolMap> {
  /** Protocol revision in use. */
  readonly revision: Revision;
  /** Notifications received so far. */
  readonly notifications: JsonRpcNotification[] = [];
  /** Result of `initialize` or `server/discover`. */
  server: JsonObject = {};
  readonly #options: Omit<ClientOptions<unknown>, "context">;
  readonly #capabilities: ClientCapabilities;
  readonly #envelope: JsonObject | undefined;
  readonly #pending = new Map<RequestId, (response: JsonRpcResponse) => void>();
  readonly #progress = new Map<RequestId, NonNullable<RequestOptions["onProgress"]>>();
  #connected: ClientTransport | undefined;
  #lastId = 0;
  #isClosed = false;

  /** @internal Created by `createClient`. */
  constructor(options: Omit<ClientOptions<unknown>, "context">) {
    const { tasks = false } = options;
    this.revision = options.revision ?? (tasks ? LATEST_STATELESS : LATEST_LEGACY);
    this.#options = options;
    const capabilities = options.capabilities ?? capabilitiesOf(options);
    this.#capabilities = tasks ? withTasks(capabilities) : capabilities;
    const { logLevel } = options;
    this.#envelope = createEnvelope({ revision: this.revision, capabilities: this.#capabilities, logLevel });
  }

  /** @internal */
  open(connected: ClientTransport): void {
    this.#connected = connected;
  }

  /** @internal Runs the revision's handshake. */
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

  /**
   * Calls a tool. The fakes respond to requests from the server. A task is followed until it has finished, and
   * cancelled if `signal` aborts. `onProgress` then receives its status messages.
   *
   * @throws {ClientError} for an error response and for a task that failed
   */
  async callTool<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options]: CallArguments<Tools[Name]["input"]>
  ): Promise<CallResult<Tools[Name]["output"]>> {
    const params = { name, arguments: args ?? {} };
    const first = await this.request("tools/call", params, options);
    const { resultType } = first;
    // The server's types guarantee this shape, and tests verify it.
    if (resultType === undefined || resultType === "complete")
      return first as unknown as CallResult<Tools[Name]["output"]>;
    const result = await this.#answerRounds(first, { method: "tools/call", params, options });
    const task = toTaskHandle<CallResult<Tools[Name]["output"]>>(this.#taskPeer(), result);
    return task?.result(options) ?? (result as unknown as CallResult<Tools[Name]["output"]>);
  }

  /**
   * Calls a tool that runs as a task, and returns a handle to the task. Requires `tasks: true`.
   *
   * @example
   * const task = await client.startTask("report", { year: 2026 });
   * await task.cancel();
   */
  async startTask<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options]: CallArguments<Tools[Name]["input"]>
  ): Promise<TaskHandle<CallResult<Tools[Name]["output"]>>> {
    const result = await this.#inRounds("tools/call", { name, arguments: args ?? {} }, options);
    const task = toTaskHandle<CallResult<Tools[Name]["output"]>>(this.#taskPeer(), result);
    if (task !== undefined) return task;
    throw new Error(
      `Tool "${name}" did not create a task. Check that the tool has a \`task\` option, that the server has ` +
        "`tasks()`, and that the client was created with `tasks: true`.",
    );
  }

  /** Reads a resource by URI. The fakes respond to requests from the server. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResult> {
    return (await this.#inRounds("resources/read", { uri }, options)) as unknown as ReadResult;
  }

  /** Gets a prompt's messages. The fakes respond to requests from the server. */
  async getPrompt(name: string, args: Readonly<Record<string, string>> = {}): Promise<PromptResult> {
    return (await this.#inRounds("prompts/get", { name, arguments: args })) as unknown as PromptResult;
  }

  /** Lists the tools on all pages. */
  listTools(): Promise<readonly McpToolDefinition[]> {
    return this.#listAll("tools/list", "tools");
  }

  /** Lists the resources on all pages. */
  listResources(): Promise<readonly McpResourceDefinition[]> {
    return this.#listAll("resources/list", "resources");
  }

  /** Lists the resource templates on all pages. */
  listResourceTemplates(): Promise<readonly McpResourceTemplateDefinition[]> {
    return this.#listAll("resources/templates/list", "resourceTemplates");
  }

  /** Lists the prompts on all pages. */
  listPrompts(): Promise<readonly McpPromptDefinition[]> {
    return this.#listAll("prompts/list", "prompts");
  }

  /** Requests completions for an argument. */
  async complete(
    ref: JsonObject,
    argument: { readonly name: string; readonly value: string },
  ): Promise<Completion> {
    const { completion } = await this.request("completion/complete", { ref, argument });
    return completion as Completion; // Safe: a Tenon server sent it
  }

  /**
   * Opens a stream of change notifications in a stateless revision. `stop` closes it.
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

  /** Sends any request and returns its result. @throws {ClientError} for an error response */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const id = ++this.#lastId;
    const isWatched = options.signal !== undefined || options.onProgress !== undefined;
    const copy = isWatched ? undefined : copyWithMeta(params, this.#envelope);
    let reply: JsonRpcResponse | undefined;
    if (copy === undefined) {
      reply = await this.#exchange(id, { method, params, options });
    } else {
      const connected = this.#assertOpen();
      // Frames arrive in a later microtask, and so does a request that is not serialized.
      await Promise.resolve();
      const response = connected.handle({ jsonrpc: "2.0", id, method, params: copy });
      reply = (isPromise(response) ? await response : response).toJSON();
      // A cancelled call, and a call whose client was closed, do not get a response.
      if (reply === undefined || this.#isClosed) return new Promise(() => {});
    }
    if (reply.error !== undefined) throw new ClientError(reply.error);
    return reply.result as JsonObject; // Safe: a Tenon server sent it
  }

  /** Sends a request as text, and waits for the response. */
  async #exchange(id: RequestId, { method, params, options = {} }: SentRequest): Promise<JsonRpcResponse> {
    const { signal, onProgress } = options;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const sent = withMeta(params, this.#envelope, onProgress && id);
    const frame = JSON.stringify({ jsonrpc: "2.0", id, method, params: sent });
    let onAbort = () => {};
    try {
      return await new Promise<JsonRpcResponse>((resolve, reject) => {
        this.#pending.set(id, resolve);
        onAbort = () => {
          void this.notify("notifications/cancelled", { requestId: id });
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort);
        this.#send(frame).catch(reject);
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
      this.#progress.delete(id);
    }
  }

  /** Sends any notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#send(JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }));
  }

  /** Closes the transport and cancels calls in flight. */
  close(): void {
    this.#isClosed = true;
    this.#connected?.transport.close();
  }

  /** @internal Handles a frame from the server. */
  take(frame: string): void {
    const message: unknown = JSON.parse(frame);
    for (const one of Array.isArray(message) ? message : [message]) if (isJsonObject(one)) this.#takeOne(one);
  }

  #takeOne(message: JsonObject): void {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      // Safe: the server responds with the IDs it received.
      this.#pending.get(id as RequestId)?.(message as unknown as JsonRpcResponse);
      return;
    }
    if (id !== undefined) {
      void this.#answer(id as RequestId, method, isJsonObject(params) ? params : {});
      return;
    }
    const notification = message as unknown as JsonRpcNotification; // Safe: it has a method and no ID
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
        error: {
          code: -32603,
          message:
            error instanceof Error ? error.message : `The fake for "${method}" threw ${kindOf(error)}.`,
        },
      }),
    );
    await this.#send(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  }

  /** Sends a request, and repeats it with the fakes' responses while the server requires input. */
  async #inRounds(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#answerRounds(await this.request(method, params, options), { method, params, options });
  }

  async #answerRounds(first: JsonObject, sent: SentRequest): Promise<JsonObject> {
    const { method, params, options } = sent;
    let result = first;
    for (let round = 0; result["resultType"] === "input_required"; round++) {
      if (round === MAX_ROUNDS)
        throw new Error(
          `"${method}": the server still requires input after ${MAX_ROUNDS} rounds. ` +
            "Check that the handler does not repeat the same request for input.",
        );
      const inputResponses = await answerQuestions(this.#options, result["inputRequests"]);
      const { requestState } = result;
      result = await this.request(method, { ...params, inputResponses, requestState }, options);
    }
    return result;
  }

  #taskPeer(): TaskPeer {
    return {
      request: (method, params) => this.request(method, params),
      answer: (inputRequests) => answerQuestions(this.#options, inputRequests),
    };
  }

  async #listAll<Item>(method: string, key: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: unknown;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...(result[key] as readonly Item[])); // Safe: a Tenon server sent it
      cursor = result["nextCursor"];
    } while (cursor !== undefined);
    return items;
  }

  async #send(frame: string): Promise<void> {
    await this.#assertOpen().transport.send(frame);
  }

  #assertOpen(): ClientTransport {
    if (this.#connected === undefined)
      throw new Error("The client is not connected. Create it with `createClient`.");
    if (this.#isClosed) throw new Error("The test client is closed. Create a new one with `createClient`.");
    return this.#connected;
  }
}

type ProgressParams = Parameters<NonNullable<RequestOptions["onProgress"]>>[0];

/** Request that may have to be repeated. */
interface SentRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: RequestOptions | undefined;
}
