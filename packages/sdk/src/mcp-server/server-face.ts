/**
 * @fileoverview `mcpServer.server`: custom request handlers, and requests and notifications to clients.
 * @module sdk/mcp-server/server-face
 */
import type { ServerOptions } from "tenon";
import { serve, type TransportConfig } from "tenon/node";
import type {
  ClientCapabilities,
  JsonRpcResponse,
  LogLevel,
  Root,
  SamplingRequest,
  SamplingResult,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import { FacadeServer, type Registrations } from "./facade-server.js";
import { methodOf } from "./registrations/schemas.js";
import {
  assertFormContent,
  type FormValidator,
  toElicitResult,
  toRoots,
  toSamplingResult,
} from "./client/client-answers.js";
import type { MessageOptions } from "./client/message-options.js";
import { Messenger } from "./client/messenger.js";
import { toOfficialError } from "./client/official-errors.js";
import { HandlerMap } from "./requests/handler-map.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { extraOf, type RequestScope } from "./requests/request-scope.js";
import { withToolCallChecks } from "./requests/tool-call-handler.js";
import type {
  AnswerSchema,
  AnySchema,
  AskOptions,
  ElicitParams,
  ElicitResult,
  McpExtra,
  NotifyOptions,
  OutgoingNotification,
  OutgoingRequest,
  Parsed,
} from "./requests/types.js";
import { openLink } from "./transport-link.js";
import type { Dialect } from "./dialect.js";
import { ClientTasks } from "./tasks/client-tasks.js";
import { withTasks } from "./tasks/task-dialect.js";
import { createTaskHandlers } from "./tasks/task-methods.js";
import { assertSamplingMessages } from "./tasks/sampling-messages.js";
import { TaskSupport } from "./tasks/task-support.js";
import type { TaskOptions } from "./requests/task-types.js";
import { createV1Dialect } from "./v1-dialect.js";

/** Parts of a server besides its options. */
export interface FaceParts {
  /** Capabilities to declare even if no matching tool, resource, or prompt is registered. */
  readonly capabilities: JsonObject;
  readonly registrations: Registrations;
  readonly tasks?: TaskOptions;
  /** Options of the official SDK for messages to the client. */
  readonly messages?: MessageOptions;
  /**
   * Creates the server's behavior.
   * @default the behavior of `McpServer`
   */
  readonly createDialect?: (face: ServerFace) => Dialect;
}

/**
 * The `server` property of `McpServer`. A server may have more than one client. Messages sent from a callback go to the
 * calling client.
 */
export class ServerFace implements Hooks {
  /** Called when a client sends `notifications/initialized`. */
  oninitialized: (() => void) | undefined = undefined;
  /** Called after a transport has closed. */
  onclose: (() => void) | undefined = undefined;
  /** Called with errors that no caller receives. */
  onerror: ((error: Error) => void) | undefined = undefined;
  /** Handles requests for which no other handler exists. */
  fallbackRequestHandler: OwnHandler["handler"] | undefined = undefined;
  /** Handles notifications for which no other handler exists. */
  fallbackNotificationHandler: ((notification: unknown) => unknown) | undefined = undefined;
  /** @internal */
  readonly requestHandlers = new Map<string, OwnHandler>();
  /** @internal */
  readonly notificationHandlers = new Map<string, OwnHandler>();
  /** @internal tasks of clients */
  readonly tasks: TaskSupport;
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: FacadeServer;
  readonly #transports = new Set<{ close(): Promise<void> }>();
  readonly #messenger: Messenger;
  readonly #validator: FormValidator | undefined;
  #capabilities: JsonObject;
  #transport: SdkTransport | undefined;
  #experimental: { readonly tasks: ClientTasks } | undefined;

  /** @internal created by `McpServer` */
  constructor(options: ServerOptions, parts: FaceParts) {
    const { capabilities, registrations, tasks = {}, messages = {}, createDialect = createV1Dialect } = parts;
    const { enforceStrictCapabilities: isStrict = false, debouncedNotificationMethods: debounced } = messages;
    this.#capabilities = capabilities;
    this.tasks = new TaskSupport(tasks, {
      capabilities: () => this.#capabilities,
      push: (scope, notification) => this.#messenger.push(scope, notification),
      report: (error, operation) => this.hosted.report(error, operation),
    });
    this.dialect = withTasks(createDialect(this), this.tasks);
    this.hosted = new FacadeServer(options, {
      hooks: this,
      registrations,
      dialect: this.dialect,
      debounced: debounced ?? [],
    });
    this.#validator = messages.jsonSchemaValidator;
    this.#messenger = new Messenger({
      hosted: this.hosted,
      tasks: this.tasks,
      isStrict,
      sessionId: () => this.#transport?.sessionId,
    });
    for (const [method, own] of createTaskHandlers(this.tasks, this.hosted.requestScopes)) {
      this.requestHandlers.set(method, own);
    }
  }

  /** Experimental functions, which may change: requests that the client runs as tasks. */
  get experimental(): { readonly tasks: ClientTasks } {
    return (this.#experimental ??= {
      tasks: new ClientTasks(this, {
        elicitation: { parse: toElicitResult },
        sampling: { parse: toSamplingResult },
      }),
    });
  }

  /** The most recently connected SDK transport, or `undefined` after it has closed. */
  get transport(): SdkTransport | undefined {
    return this.#transport;
  }

  /** @internal capabilities to declare even if no matching tool, resource, or prompt is registered */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** @internal creates a callback's `extra` argument */
  extraOf(scope: RequestScope): McpExtra {
    const forTasks = this.tasks.extraOf(scope);
    const { taskStore } = forTasks;
    const relatedTask = this.tasks.relatedTo(scope);
    return extraOf(scope, {
      ...forTasks,
      sendNotification: (notification) =>
        relatedTask === undefined || scope.signal.aborted
          ? this.#messenger.notifyFrom(scope, notification)
          : this.tasks.notify(relatedTask.taskId, notification, scope.exchange),
      sendRequest: async (request, schema, options = {}) => {
        const sent = { relatedTask, ...options };
        if (sent.relatedTask !== undefined) {
          await taskStore?.updateTaskStatus(sent.relatedTask.taskId, "input_required");
        }
        return schema.parse(await this.#messenger.ask(request, sent, scope));
      },
    });
  }

  /** @internal takes a response to a request in the queue of a task */
  takeResponse(response: JsonRpcResponse): boolean {
    return this.tasks.settle(response);
  }

  /** @internal the handlers under the official SDK's private name, which applications use to wrap them */
  get _requestHandlers(): HandlerMap {
    return new HandlerMap(this.requestHandlers, this.hosted);
  }

  /** @internal reports a tool module's failure to `onerror`, or else to the log */
  reportFailure(error: unknown, origin: { readonly operation: string; readonly name: string }): void {
    this.hosted.report(error, origin.operation, origin.name);
  }

  /** Declares additional capabilities. @throws if a transport is already connected */
  registerCapabilities(capabilities: object): void {
    if (this.hosted.attached.size > 0) {
      throw new Error("Cannot register capabilities after connecting to transport");
    }
    this.#capabilities = merge(this.#capabilities, { ...capabilities });
  }

  /** Sets a method's handler. It replaces the built-in handler. @param schema a request schema or a method name */
  setRequestHandler<Schema extends AnySchema>(
    schema: Schema,
    handler: (request: Parsed<Schema>, extra: McpExtra) => unknown,
  ): void;
  setRequestHandler(method: string, handler: (request: OutgoingRequest, extra: McpExtra) => unknown): void;
  setRequestHandler(schema: unknown, handler: (request: never, extra: McpExtra) => unknown): void {
    const method = methodOf(schema);
    this.assertHandlerAllowed(method);
    // Safe: the schema guarantees the type of the handler's argument.
    const checked = withToolCallChecks(method, handler as OwnHandler["handler"]);
    this.requestHandlers.set(method, { schema, handler: checked });
  }

  /** Asserts that the application may set a method's handler. A high-level server allows every method. */
  protected assertHandlerAllowed(_method: string): void {}

  /** Removes a method's handler. The built-in handler, if any, takes effect again. */
  removeRequestHandler(method: string): void {
    this.requestHandlers.delete(method);
  }

  /** Asserts that a method does not have a custom handler yet. @throws if it has one */
  assertCanSetRequestHandler(method: string): void {
    if (this.requestHandlers.has(method)) {
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
    }
  }

  /** Sets a notification's handler. @param schema a notification schema or a method name */
  setNotificationHandler<Schema extends AnySchema>(
    schema: Schema,
    handler: (notification: Parsed<Schema>) => unknown,
  ): void;
  setNotificationHandler(method: string, handler: (notification: OutgoingNotification) => unknown): void;
  setNotificationHandler(schema: unknown, handler: (notification: never) => unknown): void {
    const take = handler as (notification: unknown) => unknown; // Safe: as in `setRequestHandler`
    this.notificationHandlers.set(methodOf(schema), { schema, handler: take });
  }

  /** Removes a notification's handler. Later notifications go to the fallback handler, if set. */
  removeNotificationHandler(method: string): void {
    this.notificationHandlers.delete(method);
  }

  /** Connects an official SDK transport, or starts a Tenon transport from its configuration. */
  async connect(transport: SdkTransport | TransportConfig): Promise<void> {
    if ("type" in transport) {
      const running = await serve(this.hosted, { transport, signals: false });
      this.#transports.add(running);
      void running.closed.then(() => this.#forget(running));
      return;
    }
    this.#transports.add(transport);
    this.#transport = transport;
    await openLink(this.hosted, transport, {
      onclose: () => this.#forget(transport),
      onerror: (error) => this.hosted.report(error, "transport"),
    });
  }

  /** Closes all transports connected with `connect`. */
  async close(): Promise<void> {
    await Promise.all([...this.#transports].map((transport) => transport.close()));
  }

  /** Returns the capabilities of the calling client or, outside a callback, of the most recently connected client. */
  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#messenger.client?.capabilities;
  }

  /** Returns the name and version of the calling or, outside a callback, the most recently connected client. */
  getClientVersion(): JsonObject | undefined {
    return this.#messenger.client?.clientInfo;
  }

  /** Sends a request to the client and parses the result. @throws the client's error or the schema's error */
  async request<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options: AskOptions = {},
  ): Promise<Answer> {
    return resultSchema.parse(await this.#messenger.ask(request, options));
  }

  /** Sends a notification to the calling client or, outside a callback, to every connected client. */
  async notification(notification: OutgoingNotification, options?: NotifyOptions): Promise<void> {
    await this.#messenger.notify(notification, options);
  }

  /** Pings the client. Resolves when the client responds. */
  async ping(): Promise<object> {
    await this.#messenger.ask({ method: "ping" }, {});
    return {};
  }

  /** Requests input from the user. In the stateless revision, the callback runs again when the response arrives. */
  async elicitInput(params: ElicitParams, options: AskOptions = {}): Promise<ElicitResult> {
    const { mode = "form", requestedSchema } = params;
    const request = { method: "elicitation/create", params: { ...params, mode } };
    this.#messenger.assertSupported(request);
    const result = toElicitResult(await this.#messenger.ask(request, options));
    try {
      if (mode === "form") assertFormContent(result, requestedSchema, this.#validator);
    } catch (error) {
      throw await toOfficialError(error);
    }
    return result;
  }

  /** Requests a completion from the client's language model. */
  async createMessage(params: SamplingRequest, options: AskOptions = {}): Promise<SamplingResult> {
    const request = { method: "sampling/createMessage", params };
    this.#messenger.assertSupported(request);
    assertSamplingMessages(params.messages);
    return toSamplingResult(await this.#messenger.ask(request, options));
  }

  /** Requests the client's list of roots. */
  async listRoots(params?: object, options: AskOptions = {}): Promise<{ roots: Root[] }> {
    return toRoots(await this.#messenger.ask({ method: "roots/list", params }, options));
  }

  /** Creates a function that notifies the client when a URL elicitation is complete. */
  createElicitationCompletionNotifier(elicitationId: string, options?: NotifyOptions): () => Promise<void> {
    const method = "notifications/elicitation/complete";
    if (this.#messenger.client?.capabilities.elicitation?.url === undefined) {
      throw new Error(`Client does not support URL elicitation (required for ${method})`);
    }
    return () => this.notification({ method, params: { elicitationId } }, options);
  }

  /**
   * Sends a log message. Clients whose log level is higher do not receive it.
   *
   * @param _sessionId not used: every connection has its own log level
   */
  async sendLoggingMessage(
    params: { readonly level: LogLevel; readonly data: unknown; readonly logger?: string },
    _sessionId?: string,
  ): Promise<void> {
    if (this.hosted.requestScopes.current === undefined && this.hosted.attached.size === 0) return;
    await this.notification({ method: "notifications/message", params });
  }

  /**
   * Notifies a resource's subscribers that it has changed. A server with only one client notifies it even without a
   * subscription, as the official SDK does.
   */
  async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    const [only, second] = this.hosted.attached;
    if (only !== undefined && second === undefined && !only.connection.isSubscribed(params.uri)) {
      await this.#messenger.notify({ method: "notifications/resources/updated", params });
    }
    this.hosted.resourceUpdated(params.uri);
  }

  /** Notifies all clients that the list of tools has changed. */
  async sendToolListChanged(): Promise<void> {
    this.hosted.notifyListChanged("tools");
  }

  /** Notifies all clients that the list of resources has changed. */
  async sendResourceListChanged(): Promise<void> {
    this.hosted.notifyListChanged("resources");
  }

  /** Notifies all clients that the list of prompts has changed. */
  async sendPromptListChanged(): Promise<void> {
    this.hosted.notifyListChanged("prompts");
  }

  #forget(transport: object): void {
    for (const one of this.#transports) if (one === transport) this.#transports.delete(one);
    if (this.#transport === transport) this.#transport = undefined;
    this.onclose?.();
  }
}

function merge(before: JsonObject, more: JsonObject): JsonObject {
  const joined = Object.entries(more).map(([name, value]) => {
    const known = before[name];
    return [name, isJsonObject(known) && isJsonObject(value) ? { ...known, ...value } : value] as const;
  });
  return { ...before, ...Object.fromEntries(joined) };
}
