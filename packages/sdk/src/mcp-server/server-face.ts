/**
 * @fileoverview `mcpServer.server`: custom request handlers, and requests and notifications to clients.
 * @module sdk/mcp-server/server-face
 */
import type { ServerOptions } from "tenon";
import { serve, type TransportConfig } from "tenon/node";
import type { ClientCapabilities, LogLevel, Root, SamplingRequest, SamplingResult } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import { FacadeServer, type Registrations } from "./facade-server.js";
import { methodOf } from "./registrations/schemas.js";
import type { Attached } from "./requests/attached.js";
import { askCaller, askConnection, notifyAll, notifyCaller } from "./requests/client-requests.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { extraOf, type RequestScope } from "./requests/request-scope.js";
import type {
  AnswerSchema,
  AskOptions,
  McpExtra,
  OutgoingNotification,
  OutgoingRequest,
} from "./requests/types.js";
import { openLink } from "./transport-link.js";

/** Request for user input: a form, or a URL to open. */
export interface ElicitParams {
  readonly mode?: "form" | "url";
  readonly message: string;
  readonly requestedSchema?: JsonObject;
  readonly url?: string;
  readonly elicitationId?: string;
}

/** The user's answer. `content` is set only for an accepted form. */
export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
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
  /** @internal the server that transports host */
  readonly hosted: FacadeServer;
  readonly #transports = new Set<{ close(): Promise<void> }>();
  #capabilities: JsonObject;
  #transport: SdkTransport | undefined;

  /** @internal created by `McpServer` */
  constructor(options: ServerOptions, capabilities: JsonObject, registrations: Registrations) {
    this.#capabilities = capabilities;
    this.hosted = new FacadeServer(options, {
      hooks: this,
      registrations,
      extraOf: (scope) => this.extraOf(scope),
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
    return extraOf(scope, {
      sendNotification: (notification) => this.#notify(scope, notification),
      sendRequest: async (request, schema, options = {}) =>
        schema.parse(await this.#ask(request, options, scope)),
    });
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
  setRequestHandler(schema: unknown, handler: (request: never, extra: McpExtra) => unknown): void {
    // Safe: the schema guarantees the type of the handler's argument.
    this.requestHandlers.set(methodOf(schema), { schema, handler: handler as OwnHandler["handler"] });
  }

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
    return this.#client()?.capabilities;
  }

  /** Returns the name and version of the calling or, outside a callback, the most recently connected client. */
  getClientVersion(): JsonObject | undefined {
    return this.#client()?.clientInfo;
  }

  /** Sends a request to the client and parses the result. @throws the client's error or the schema's error */
  async request<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options: AskOptions = {},
  ): Promise<Answer> {
    return resultSchema.parse(await this.#ask(request, options));
  }

  /** Sends a notification to the calling client or, outside a callback, to every connected client. */
  async notification(notification: OutgoingNotification): Promise<void> {
    const scope = this.hosted.requestScopes.current;
    if (scope !== undefined) return this.#notify(scope, notification);
    if (this.hosted.attached.size === 0) throw new Error("Not connected");
    return notifyAll(this.hosted.attached, notification);
  }

  /** Pings the client. Resolves when the client responds. */
  async ping(): Promise<object> {
    await this.#ask({ method: "ping" }, {});
    return {};
  }

  /** Requests input from the user. In the stateless revision, the callback runs again when the response arrives. */
  async elicitInput(params: ElicitParams, options: AskOptions = {}): Promise<ElicitResult> {
    const { mode = "form" } = params;
    const answer = await this.#ask({ method: "elicitation/create", params: { ...params, mode } }, options);
    return answer as ElicitResult; // Not validated: callers check `action` first
  }

  /** Requests a completion from the client's language model. */
  async createMessage(params: SamplingRequest, options: AskOptions = {}): Promise<SamplingResult> {
    return (await this.#ask({ method: "sampling/createMessage", params }, options)) as SamplingResult; // Not validated
  }

  /** Requests the client's list of roots. */
  async listRoots(params?: object, options: AskOptions = {}): Promise<{ roots: readonly Root[] }> {
    return (await this.#ask({ method: "roots/list", params }, options)) as { roots: readonly Root[] }; // Not validated
  }

  /** Creates a function that notifies the client when a URL elicitation is complete. */
  createElicitationCompletionNotifier(elicitationId: string): () => Promise<void> {
    return () =>
      this.notification({ method: "notifications/elicitation/complete", params: { elicitationId } });
  }

  /** Sends a log message. Clients whose log level is higher do not receive it. */
  async sendLoggingMessage(params: {
    readonly level: LogLevel;
    readonly data: unknown;
    readonly logger?: string;
  }): Promise<void> {
    if (this.hosted.requestScopes.current === undefined && this.hosted.attached.size === 0) return;
    await this.notification({ method: "notifications/message", params });
  }

  /** Notifies a resource's subscribers that it has changed. */
  async sendResourceUpdated({ uri }: { readonly uri: string }): Promise<void> {
    this.hosted.resourceUpdated(uri);
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

  async #notify(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
    return scope.isOver
      ? notifyAll(this.#attachedTo(scope), notification)
      : notifyCaller(scope, notification);
  }

  async #ask(
    request: OutgoingRequest,
    options: AskOptions,
    scope = this.hosted.requestScopes.current,
  ): Promise<unknown> {
    if (scope === undefined) return askConnection(this.#onlyClient(), request, options);
    if (!scope.isOver) return askCaller(scope, request, options);
    const [attached] = this.#attachedTo(scope);
    if (attached === undefined) throw new Error("Not connected");
    return askConnection(attached, request, options);
  }

  /** Returns a request's attached connection, or an empty array if it has closed. */
  #attachedTo({ exchange }: RequestScope): readonly Attached[] {
    return [...this.hosted.attached].filter(({ connection }) => connection === exchange?.connection);
  }

  /** Returns the only connected client. @throws if no client or more than one is connected */
  #onlyClient(): Attached {
    const [first, second] = this.hosted.attached;
    if (first === undefined) throw new Error("Not connected");
    if (second !== undefined) {
      throw new Error(
        "More than one client is connected, so the recipient is ambiguous. Send the request from a callback.",
      );
    }
    return first;
  }

  #client() {
    const scope = this.hosted.requestScopes.current;
    if (scope !== undefined) return scope.caller;
    const [first] = [...this.hosted.attached].toReversed();
    return first?.connection.clientInfo === undefined ? undefined : first.connection;
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
