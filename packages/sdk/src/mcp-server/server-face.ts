/**
 * @fileoverview `mcpServer.server`: custom request handlers, and requests and notifications to clients.
 * @module sdk/mcp-server/server-face
 */
import type { ServerOptions } from "tenon";
import { serve, type TransportConfig } from "tenon/node";
import type { JsonRpcResponse } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import { BaseServer, type ListKind, type LogMessage } from "./base-server.js";
import { type FormValidator, toElicitResult, toSamplingResult } from "./client/client-answers.js";
import type { MessageOptions } from "./client/message-options.js";
import { Messenger } from "./client/messenger.js";
import { describeUndeclared } from "./capabilities.js";
import { type Dialect, UNSERVED_METHODS } from "./dialect.js";
import { FacadeServer, type Registrations } from "./facade-server.js";
import { methodOf } from "./registrations/schemas.js";
import type { OwnHandler } from "./requests/hooks.js";
import { extraOf, type RequestScope } from "./requests/request-scope.js";
import type { TaskOptions } from "./requests/task-types.js";
import { withToolCallChecks } from "./requests/tool-call-handler.js";
import type {
  AnswerSchema,
  AnySchema,
  AskOptions,
  McpExtra,
  NotifyOptions,
  OutgoingNotification,
  OutgoingRequest,
  Parsed,
} from "./requests/types.js";
import { ClientTasks } from "./tasks/client-tasks.js";
import { withTasks } from "./tasks/task-dialect.js";
import { createTaskHandlers } from "./tasks/task-methods.js";
import { TaskSupport } from "./tasks/task-support.js";
import { openLink } from "./transport-link.js";
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
export class ServerFace extends BaseServer {
  /** @internal tasks of clients */
  readonly tasks: TaskSupport;
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: FacadeServer;
  readonly #handlesLogLevel: boolean;
  readonly #transports = new Set<{ close(): Promise<void> }>();
  protected readonly messenger: Messenger;
  protected readonly validator: FormValidator | undefined;
  #transport: SdkTransport | undefined;
  #experimental: { readonly tasks: ClientTasks } | undefined;

  /** @internal created by `McpServer` */
  constructor(options: ServerOptions, parts: FaceParts) {
    const { capabilities, registrations, tasks = {}, messages = {}, createDialect = createV1Dialect } = parts;
    const { enforceStrictCapabilities: isStrict = false, debouncedNotificationMethods: debounced } = messages;
    super(capabilities);
    this.#handlesLogLevel = Boolean(capabilities["logging"]);
    this.tasks = new TaskSupport(tasks, {
      capabilities: () => this.capabilities,
      push: (scope, notification) => this.messenger.push(scope, notification),
      report: (error, operation) => this.hosted.report(error, operation),
    });
    this.dialect = withTasks(createDialect(this), this.tasks);
    this.hosted = new FacadeServer(options, {
      hooks: this,
      registrations,
      dialect: this.dialect,
      debounced: debounced ?? [],
    });
    this.validator = messages.jsonSchemaValidator;
    this.messenger = new Messenger({
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

  /** @internal creates a callback's `extra` argument */
  extraOf(scope: RequestScope): McpExtra {
    const forTasks = this.tasks.extraOf(scope);
    const { taskStore } = forTasks;
    const relatedTask = this.tasks.relatedTo(scope);
    return extraOf(scope, {
      ...forTasks,
      sendNotification: async (notification) => {
        if (scope.signal.aborted) return;
        this.assertCanNotify(notification.method);
        await (relatedTask === undefined
          ? this.messenger.notifyFrom(scope, notification)
          : this.tasks.notify(relatedTask.taskId, notification, scope.exchange));
      },
      sendRequest: async (request, schema, options = {}) => {
        const sent = { relatedTask, ...options };
        if (sent.relatedTask !== undefined) {
          await taskStore?.updateTaskStatus(sent.relatedTask.taskId, "input_required");
        }
        return schema.parse(await this.messenger.ask(request, sent, scope));
      },
    });
  }

  /** @internal takes a response to a request in the queue of a task */
  takeResponse(response: JsonRpcResponse): boolean {
    return this.tasks.settle(response);
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
    this.declare(capabilities);
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

  /**
   * Asserts that a notification may be sent. A high-level server may always send changes of its lists.
   *
   * @throws if the server does not declare `logging`, or the client does not declare URL elicitation
   */
  protected assertCanNotify(method: string): void {
    if (method === "notifications/message") this.assertDeclared(method);
    if (method === "notifications/elicitation/complete") this.messenger.assertUrlClient();
  }

  /** Asserts that the server declares the capability that a method belongs to. */
  protected assertDeclared(method: string): void {
    const problem = describeUndeclared(method, this.capabilities);
    if (problem !== undefined) throw new Error(problem);
  }

  /** @internal returns true if the server handles a method without a handler of the application */
  isBuiltIn(method: string): boolean {
    return !UNSERVED_METHODS.has(method) && (method !== "logging/setLevel" || this.#handlesLogLevel);
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

  /** Sends a request to the client and parses the result. @throws the client's error or the schema's error */
  async request<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options: AskOptions = {},
  ): Promise<Answer> {
    return resultSchema.parse(await this.messenger.ask(request, options));
  }

  /**
   * Sends a notification to the calling client or, outside a callback, to every connected client.
   *
   * @throws if the server or the client does not declare the capability for it
   */
  async notification(notification: OutgoingNotification, options?: NotifyOptions): Promise<void> {
    this.assertCanNotify(notification.method);
    await this.messenger.notify(notification, options);
  }

  /**
   * Sends a log message. Clients whose log level is higher do not receive it. Does nothing if the server does not declare
   * `logging`.
   *
   * @param _sessionId not used: every connection has its own log level
   */
  async sendLoggingMessage(params: LogMessage, _sessionId?: string): Promise<void> {
    const isConnected = this.hosted.requestScopes.current !== undefined || this.hosted.attached.size > 0;
    if (!isConnected || !this.capabilities["logging"]) return;
    await this.notification({ method: "notifications/message", params });
  }

  /**
   * Notifies a resource's subscribers that it has changed. A server with only one client notifies it even without a
   * subscription, as the official SDK does.
   */
  async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    const [only, second] = this.hosted.attached;
    if (only !== undefined && second === undefined && !only.connection.isSubscribed(params.uri)) {
      await this.messenger.notify({ method: "notifications/resources/updated", params });
    }
    await this.hosted.resourceUpdated(params.uri);
  }

  protected async sendListChanged(kind: ListKind): Promise<void> {
    await this.hosted.notifyListChanged(kind);
  }

  #forget(transport: object): void {
    for (const one of this.#transports) if (one === transport) this.#transports.delete(one);
    if (this.#transport === transport) this.#transport = undefined;
    this.onclose?.();
  }
}
