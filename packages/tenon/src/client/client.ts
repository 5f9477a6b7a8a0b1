/**
 * @fileoverview MCP client for any protocol revision and transport, typed by its server.
 * @module tenon/client/client
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ToolMap } from "../core/wire/hosted-server.js";
import {
  ERRORS,
  type Implementation,
  type JsonRpcNotification,
  type McpResourceDefinition,
  type McpToolDefinition,
  META,
  type PromptResult,
  type ReadResult,
  type Revision,
  TRAITS,
} from "../protocol/index.js";
import type { Completion } from "../protocol/content.js";
import type { McpPromptDefinition, McpResourceTemplateDefinition } from "../protocol/definitions.js";
import type { RequestOptions } from "./client-options.js";
import type { CallArguments, CallResult } from "./client-types.js";
import type { Connector } from "./connector.js";
import { ClientError } from "./errors.js";
import { ListReader } from "./list-reader.js";
import type { RequestChannel } from "./messages/request-channel.js";
import { anySignal } from "./messages/total-time.js";
import { type TaskHandle, type TaskPeer, toTaskHandle } from "./task-handle.js";

/** Parts of a client. */
export interface ClientParts {
  readonly channel: RequestChannel;
  readonly connector: Connector;
  /** Notifications received so far. */
  readonly notifications: readonly JsonRpcNotification[];
  readonly signal: AbortSignal | undefined;
  /** Longest interval between two reads of a task, in milliseconds. */
  readonly maxPollMs: number;
}

/** Maximum number of input rounds per request. */
const MAX_ROUNDS = 16;

/** Client of one server. Create it with `createClient`. */
export class Client<Tools extends ToolMap = ToolMap> {
  /** The most recent notifications (limits: 1,000, and `limits.maxNotificationBytes`). */
  readonly notifications: readonly JsonRpcNotification[];
  readonly #channel: RequestChannel;
  readonly #connector: Connector;
  readonly #taskPeer: TaskPeer;

  /** @internal Created by `createClient`. */
  constructor({ channel, connector, notifications, signal, maxPollMs }: ClientParts) {
    this.#channel = channel;
    this.#connector = connector;
    this.notifications = notifications;
    this.#taskPeer = {
      request: (method, params, options) => this.request(method, params, options),
      cancelLast: (taskId) => channel.sendLast("tasks/cancel", { taskId }),
      answer: (inputRequests, stop) => channel.answer(inputRequests, stop),
      signal,
      maxPollMs,
    };
  }

  /** Protocol revision in use. */
  get revision(): Revision {
    return this.#channel.revision;
  }

  /** True if requests are sent over HTTP. */
  get isHttp(): boolean {
    return this.#channel.isHttp;
  }

  /** Result of `initialize` or `server/discover`. */
  get server(): JsonObject {
    return this.#connector.server;
  }

  /** Name and version of the server, if it sent them. */
  get serverInfo(): Implementation | undefined {
    const { serverInfo, _meta: meta } = this.server;
    const info = serverInfo ?? (isJsonObject(meta) ? meta[META.serverInfo] : undefined);
    if (!isJsonObject(info) || typeof info["name"] !== "string") return undefined;
    return info as unknown as Implementation; // Safe: the name is checked, and the other members are for display
  }

  /**
   * Calls a tool. The client's handlers answer requests from the server. A task is followed until it has finished, and
   * cancelled if `signal` aborts or `limits.maxTotalMs` is over. `onProgress` then receives its status messages.
   *
   * @throws {ClientError} for an error response and for a task that failed
   * @throws {ConnectionError} if the server cannot be reached, or the call takes too long
   */
  callTool<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options]: CallArguments<Tools[Name]["input"]>
  ): Promise<CallResult<Tools[Name]["output"]>> {
    const params = { name, arguments: args ?? {} };
    return this.#channel.within("tools/call", options, async (rest) => {
      const first = await this.#callOnce(params, rest);
      const { resultType } = first;
      // The server's types guarantee this shape, and tests verify it.
      if (resultType === undefined || resultType === "complete")
        return first as unknown as CallResult<Tools[Name]["output"]>;
      const result = await this.#answerRounds(first, { method: "tools/call", params, options: rest });
      const task = toTaskHandle<CallResult<Tools[Name]["output"]>>(this.#taskPeer, result);
      return task?.result(rest) ?? (result as unknown as CallResult<Tools[Name]["output"]>);
    });
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
    const params = { name, arguments: args ?? {} };
    const result = await this.#channel.within("tools/call", options, async (rest) => {
      const first = await this.#callOnce(params, rest);
      return this.#answerRounds(first, { method: "tools/call", params, options: rest });
    });
    const task = toTaskHandle<CallResult<Tools[Name]["output"]>>(this.#taskPeer, result);
    if (task !== undefined) return task;
    throw new Error(
      `Tool "${name}" did not create a task. Check that the tool has a \`task\` option, that the server has ` +
        "`tasks()`, and that the client was created with `tasks: true`.",
    );
  }

  /** Reads a resource by URI. The client's handlers answer requests from the server. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResult> {
    return (await this.#inRounds("resources/read", { uri }, options)) as unknown as ReadResult;
  }

  /** Gets a prompt's messages. The client's handlers answer requests from the server. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: RequestOptions,
  ): Promise<PromptResult> {
    return (await this.#inRounds(
      "prompts/get",
      { name, arguments: args },
      options,
    )) as unknown as PromptResult;
  }

  /** Lists the tools on all pages, except those with invalid `x-mcp-header` annotations, which must not be called. */
  listTools(): Promise<readonly McpToolDefinition[]> {
    return this.#learnTools();
  }

  /** Lists the resources on all pages. */
  async listResources(): Promise<readonly McpResourceDefinition[]> {
    return (await this.listAll("resources/list", "resources")) as unknown as readonly McpResourceDefinition[];
  }

  /** Lists the resource templates on all pages. */
  async listResourceTemplates(): Promise<readonly McpResourceTemplateDefinition[]> {
    const templates = await this.listAll("resources/templates/list", "resourceTemplates");
    return templates as unknown as readonly McpResourceTemplateDefinition[];
  }

  /** Lists the prompts on all pages. */
  async listPrompts(): Promise<readonly McpPromptDefinition[]> {
    return (await this.listAll("prompts/list", "prompts")) as unknown as readonly McpPromptDefinition[];
  }

  /**
   * Reads all pages of a list, such as `listAll("tools/list", "tools")`. The items are not validated.
   *
   * @throws {ConnectionError} if the response does not contain the list, or the list is too long, too large, or endless
   */
  async listAll(method: string, key: string): Promise<readonly JsonObject[]> {
    const items = await this.#readAll(method, key);
    if (method === "tools/list") this.#channel.toolHeaders.learn(items);
    return items;
  }

  /** Requests completions for an argument. */
  async complete(
    ref: JsonObject,
    argument: { readonly name: string; readonly value: string },
  ): Promise<Completion> {
    const { completion } = await this.request("completion/complete", { ref, argument });
    return completion as Completion; // Safe: the protocol requires this shape
  }

  /**
   * Opens a stream of change notifications in a stateless revision, and opens it again if the connection is lost.
   * `stop` closes it.
   *
   * @param notifications such as `{ toolsListChanged: true }`
   */
  listen(notifications: JsonObject): {
    readonly ended: Promise<JsonObject | undefined>;
    readonly stop: () => void;
  } {
    const controller = new AbortController();
    const { signal } = controller;
    // The stream has no time limit, because a server may have nothing to report for a long time.
    const options = { signal, timeoutMs: Number.POSITIVE_INFINITY };
    const ended = this.#connector
      .keepOpen(() => this.request("subscriptions/listen", { notifications }, options), signal)
      .catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
    return { ended, stop: () => controller.abort() };
  }

  /**
   * Sends any request and returns its result.
   *
   * @throws {ClientError} for an error response
   * @throws {ConnectionError} if the server cannot be reached or its response is not valid
   */
  request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#connector.isReliable
      ? this.#channel.request(method, params, options)
      : this.#connector.request(method, params, options);
  }

  /** Sends any notification. */
  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#channel.notify(method, params);
  }

  /** Closes the connection and cancels calls in flight. Over stdio, the program is ended. */
  close(): Promise<void> {
    return this.#channel.close();
  }

  async #learnTools(signal?: AbortSignal): Promise<readonly McpToolDefinition[]> {
    const tools = await this.#readAll("tools/list", "tools", signal);
    return this.#channel.toolHeaders.learn(tools) as unknown as readonly McpToolDefinition[];
  }

  async #readAll(method: string, key: string, given?: AbortSignal): Promise<readonly JsonObject[]> {
    const { limits, memory } = this.#channel;
    const list = new ListReader(method, key, limits);
    const stop = new AbortController();
    const share = memory.open((reason) => stop.abort(reason));
    // Requests with a signal take longer in memory, where nothing is dropped.
    const signal = limits.maxTotalBytes === Infinity ? given : anySignal(given, stop.signal);
    const options = signal === undefined ? {} : { signal };
    try {
      let cursor: unknown;
      do {
        const result = await this.request(method, cursor === undefined ? {} : { cursor }, options);
        cursor = list.add(result);
        share.resize(list.bytes);
      } while (cursor !== undefined);
      return list.items;
    } finally {
      share.close();
    }
  }

  #callOnce(params: JsonObject, options: RequestOptions | undefined): Promise<JsonObject> {
    return this.isHttp ? this.#callOverHttp(params, options) : this.request("tools/call", params, options);
  }

  /**
   * Calls a tool once over HTTP. A server rejects a stateless call without the headers that repeat its arguments. If the
   * client has not listed the tools yet, it does so and repeats the call.
   */
  async #callOverHttp(params: JsonObject, options: RequestOptions | undefined): Promise<JsonObject> {
    try {
      return await this.request("tools/call", params, options);
    } catch (error) {
      const isAboutHeaders = error instanceof ClientError && error.code === ERRORS.HEADER_MISMATCH.rpc;
      if (!isAboutHeaders || !TRAITS[this.revision].stateless) throw error;
      const before = this.#channel.toolHeaders.headersFor(params);
      await this.#learnTools(options?.signal);
      const after = this.#channel.toolHeaders.headersFor(params);
      if (Object.keys(before).length === Object.keys(after).length) throw error;
      return this.request("tools/call", params, options);
    }
  }

  /** Sends a request, and repeats it with the handlers' answers while the server requires input. */
  #inRounds(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#channel.within(method, options, async (rest) =>
      this.#answerRounds(await this.request(method, params, rest), { method, params, options: rest }),
    );
  }

  async #answerRounds(first: JsonObject, sent: RepeatedRequest): Promise<JsonObject> {
    const { method, params, options } = sent;
    let result = first;
    for (let round = 0; result["resultType"] === "input_required"; round++) {
      if (round === MAX_ROUNDS)
        throw new Error(
          `"${method}": the server still requires input after ${MAX_ROUNDS} rounds. ` +
            "Check that the handler does not repeat the same request for input.",
        );
      const inputResponses = await this.#channel.answer(result["inputRequests"], options?.signal);
      const { requestState } = result;
      const state = requestState === undefined ? {} : { requestState };
      result = await this.request(method, { ...params, inputResponses, ...state }, options);
    }
    return result;
  }
}

/** Request that may have to be repeated. */
interface RepeatedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: RequestOptions | undefined;
}
