/**
 * @fileoverview The official SDK's low-level `Server`, version 1, implemented on Tenon's core. An `McpServer` has one with
 * fewer rules.
 * @module sdk/v1/server
 */
import type { Implementation, JsonRpcResponse } from "tenon/protocol";
import { BaseServer, type ListKind, type LogMessage } from "../server/base-server.js";
import { describeUndeclared } from "../server/capabilities.js";
import {
  type Dialect,
  NO_REGISTRATIONS,
  type OwnHandler,
  type Registrations,
  UNSERVED_METHODS,
} from "../server/dialect.js";
import { DropInServer } from "../server/drop-in-server.js";
import { toServerInfo } from "../server/options.js";
import { methodOf } from "../server/registrations/schemas.js";
import { withToolCallChecks } from "../server/requests/handlers.js";
import { extraOf, type RequestScope } from "../server/requests/request-scope.js";
import { ClientTasks } from "../server/client/client-tasks.js";
import { createTaskHandlers, withTasks } from "../server/tasks/task-methods.js";
import { TaskSupport } from "../server/tasks/task-support.js";
import type {
  AnswerSchema,
  AnySchema,
  AskOptions,
  McpExtra,
  NotifyOptions,
  OutgoingNotification,
  OutgoingRequest,
  Parsed,
} from "../types.js";
import { createDialect } from "./dialect.js";
import { V1Messenger } from "./messenger.js";
import { type ServerOptions, toSettings } from "./options.js";

/**
 * Drop-in replacement for the official SDK's low-level `Server`. It declares exactly the given capabilities, and the
 * application handles every method with `setRequestHandler`. Most servers are easier to write with `McpServer`, which
 * handles methods itself and declares capabilities with its registrations.
 */
export class Server extends BaseServer {
  /** @internal tasks of clients */
  readonly tasks: TaskSupport;
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: DropInServer;
  /** @internal false for the server of an `McpServer` */
  readonly isLowLevel: boolean;
  readonly #handlesLogLevel: boolean;
  readonly #removed = new Set<string>();
  protected readonly messenger: V1Messenger;
  #experimental: { readonly tasks: ClientTasks } | undefined;

  /** @param registrations only for `McpServer` */
  constructor(serverInfo: Implementation, options: ServerOptions = {}, registrations?: Registrations) {
    const isLowLevel = registrations === undefined;
    const settings = toSettings(options, isLowLevel ? "Server" : "McpServer");
    super(settings);
    this.isLowLevel = isLowLevel;
    this.#handlesLogLevel = Boolean(settings.capabilities["logging"]);
    this.tasks = new TaskSupport(settings.tasks, {
      capabilities: () => this.capabilities,
      push: (scope, notification) => this.messenger.push(scope, notification),
      report: (error, operation) => this.hosted.report(error, operation),
    });
    this.dialect = withTasks(createDialect(this), this.tasks);
    this.hosted = new DropInServer(
      { ...settings.core, ...toServerInfo(serverInfo) },
      {
        hooks: this,
        registrations: registrations ?? NO_REGISTRATIONS,
        dialect: this.dialect,
        debounced: settings.debounced,
      },
    );
    this.messenger = new V1Messenger({
      hosted: this.hosted,
      tasks: this.tasks,
      isStrict: settings.isStrict,
      sessionId: () => this.transport?.sessionId,
    });
    for (const [method, own] of createTaskHandlers(this.tasks, this.hosted.requestScopes)) {
      this.requestHandlers.set(method, own);
    }
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): DropInServer {
    return this.hosted;
  }

  /** Experimental functions, which may change: requests that the client runs as tasks. */
  get experimental(): { readonly tasks: ClientTasks } {
    return (this.#experimental ??= { tasks: new ClientTasks(this) });
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
        this.#assertCanNotify(notification.method);
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
    if (this.isLowLevel) {
      const isTask = TASK_METHODS.has(method) && !this.capabilities["tasks"];
      if (isTask) throw new Error(`Server does not support tasks capability (required for ${method})`);
      this.#assertDeclared(method);
    }
    // Safe: the schema guarantees the type of the handler's argument.
    const checked = withToolCallChecks(method, handler as OwnHandler["handler"]);
    this.requestHandlers.set(method, { schema, handler: checked });
  }

  /** Removes a method's handler. In an `McpServer`, the built-in handler, if any, takes effect again. */
  override removeRequestHandler(method: string): void {
    this.#removed.add(method);
    super.removeRequestHandler(method);
  }

  /** Asserts that a method does not have a handler yet. @throws if it has one */
  override assertCanSetRequestHandler(method: string): void {
    if (this.isLowLevel && this.isBuiltIn(method) && !MODERN.has(method)) {
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
    }
    super.assertCanSetRequestHandler(method);
  }

  /** @internal returns true if the server handles a method without a handler of the application */
  isBuiltIn(method: string): boolean {
    if (this.isLowLevel && (!BUILT_IN.has(method) || this.#removed.has(method))) return false;
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
    this.#assertCanNotify(notification.method);
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
    if (this.isLowLevel) this.#assertCanNotify("notifications/resources/updated");
    const [only, second] = this.hosted.attached;
    if (only !== undefined && second === undefined && !only.connection.isSubscribed(params.uri)) {
      await this.messenger.notify({ method: "notifications/resources/updated", params });
    }
    await this.hosted.resourceUpdated(params.uri);
  }

  protected async sendListChanged(kind: ListKind): Promise<void> {
    if (this.isLowLevel) this.#assertCanNotify(`notifications/${kind}/list_changed`);
    await this.hosted.notifyListChanged(kind);
  }

  /**
   * Asserts that a notification may be sent. The server of an `McpServer` may always send changes of its lists.
   *
   * @throws if the server does not declare the capability for it, or the client does not declare URL elicitation
   */
  #assertCanNotify(method: string): void {
    if (this.isLowLevel || method === "notifications/message") this.#assertDeclared(method);
    if (method === "notifications/elicitation/complete") this.messenger.assertUrlClient();
  }

  #assertDeclared(method: string): void {
    const problem = describeUndeclared(method, this.capabilities);
    if (problem !== undefined) throw new Error(problem);
  }
}

/** Methods of the stateless revision that every server handles. The official SDK does not have them. */
const MODERN: ReadonlySet<string> = /* @__PURE__ */ new Set(["server/discover", "subscriptions/listen"]);

/** Methods that a low-level server may handle. */
const BUILT_IN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  ...MODERN,
]);

const TASK_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/cancel",
]);
