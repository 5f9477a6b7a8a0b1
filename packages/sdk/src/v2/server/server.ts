/**
 * @fileoverview The low-level server of the official SDK, version 2: handlers by method name, and messages to clients.
 * @module sdk/v2/server/server
 */
import type { TransportConfig } from "tenon/node";
import {
  type ClientCapabilities,
  type Implementation,
  LATEST_LEGACY,
  type LogLevel,
  type Root,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import {
  assertFormContent,
  toElicitResult,
  toRoots,
  toSamplingResult,
} from "../../mcp-server/client/client-answers.js";
import type { Dialect } from "../../mcp-server/dialect.js";
import { FacadeServer, type Registrations } from "../../mcp-server/facade-server.js";
import { toServerInfo } from "../../mcp-server/options.js";
import { HandlerMap } from "../../mcp-server/requests/handler-map.js";
import type { Hooks, OwnHandler } from "../../mcp-server/requests/hooks.js";
import { openLink } from "../../mcp-server/transport-link.js";
import { SdkError, SdkErrorCode } from "../errors.js";
import type {
  AskOptions,
  ElicitParams,
  ElicitResult,
  OutgoingNotification,
  OutgoingRequest,
  SamplingResult,
  ServerCapabilities,
  StandardSchema,
} from "../types.js";
import { assertDeclared, assertElicitation, mergeCapabilities, unsupported } from "./capabilities.js";
import { toRequestError } from "./client-requests.js";
import { createContext, isSchema } from "./context.js";
import { createDialect, withTextFallback } from "./dialect.js";
import { isBelow, Messenger } from "./messenger.js";
import type { Missing } from "./missing.js";
import { type ResolvedOptions, resolveOptions, type ServerOptions } from "./options.js";
import { type HandlerSchemas, toNotificationHandler, toRequestHandler } from "./request-handlers.js";
import { assertToolMessages } from "./sampling.js";

/** Options of a notification. */
interface NotificationOptions {
  /** ID of the request that the notification is about. */
  readonly relatedRequestId?: string | number | undefined;
}

/** Registrations of a server without an `McpServer`. */
const NO_REGISTRATIONS: Registrations & Missing = {
  drafts: { tools: [], resources: [], templates: [], prompts: [] },
  listers: [],
  hasResource: () => false,
  isDisabled: () => false,
  disabledTemplate: () => undefined,
};

/** Low-level server. Use it through `McpServer.server`, or on its own with handlers for every method. */
export class Server implements Hooks {
  /** Called when a client sends `notifications/initialized`. */
  oninitialized: (() => void) | undefined = undefined;
  /** Called after the transport has closed. */
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
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: FacadeServer;
  /** @internal options with defaults */
  readonly options: ResolvedOptions;
  readonly #messenger: Messenger;
  #capabilities: JsonObject;
  #transport: Connected | undefined;

  /** @param registrations only for `McpServer` */
  constructor(
    serverInfo: Implementation,
    options: ServerOptions = {},
    registrations: Registrations & Missing = NO_REGISTRATIONS,
  ) {
    const resolved = resolveOptions(options);
    this.options = resolved;
    this.#capabilities = resolved.capabilities;
    this.#messenger = new Messenger(this);
    this.dialect = this.#createDialect(registrations);
    this.hosted = new FacadeServer(
      { ...resolved.core, ...toServerInfo(serverInfo) },
      { hooks: this, registrations, dialect: this.dialect, debounced: resolved.debounced },
    );
  }

  /** The connected transport, or `undefined`. */
  get transport(): SdkTransport | undefined {
    return this.#transport?.transport;
  }

  /** @internal */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** @internal true while a transport, or an endpoint that created this server, serves a client */
  get isServing(): boolean {
    return this.#transport !== undefined || this.hosted.attached.size > 0;
  }

  /** Declares additional capabilities. @throws {SdkError} if a transport is connected */
  registerCapabilities(capabilities: ServerCapabilities): void {
    if (this.#transport !== undefined) {
      throw new SdkError(
        SdkErrorCode.AlreadyConnected,
        "Cannot register capabilities after connecting to transport",
      );
    }
    this.declare(capabilities);
  }

  /** @internal declares capabilities of new registrations, at any time */
  declare(capabilities: ServerCapabilities): void {
    this.#capabilities = mergeCapabilities(this.#capabilities, capabilities);
  }

  /** Returns the capabilities that the server declares. */
  getCapabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  /** @internal the handlers under the official SDK's private name, which applications use to wrap them */
  get _requestHandlers(): HandlerMap {
    return new HandlerMap(this.requestHandlers, this.hosted);
  }

  /** Sets the handler of a method. Methods that MCP does not define need schemas. */
  setRequestHandler(
    method: string,
    handlerOrSchemas: HandlerSchemas | ((request: never, ctx: never) => unknown),
    handler?: (params: never, ctx: never) => unknown,
  ): void {
    assertDeclared(method, this.#capabilities);
    this.requestHandlers.set(method, toRequestHandler(method, handlerOrSchemas, handler));
  }

  /** Removes the handler of a method. The built-in handler, if any, takes effect again. */
  removeRequestHandler(method: string): void {
    this.requestHandlers.delete(method);
  }

  /** Asserts that a method does not have a custom handler yet. @throws if it has one */
  assertCanSetRequestHandler(method: string): void {
    if (this.requestHandlers.has(method)) {
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
    }
  }

  /** Sets the handler of a notification. Notifications that MCP does not define need a schema. */
  setNotificationHandler(
    method: string,
    handlerOrSchemas: { readonly params: StandardSchema } | ((notification: never) => unknown),
    handler?: (params: never, notification: never) => unknown,
  ): void {
    this.notificationHandlers.set(method, toNotificationHandler(method, handlerOrSchemas, handler));
  }

  /** Removes the handler of a notification. */
  removeNotificationHandler(method: string): void {
    this.notificationHandlers.delete(method);
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  async connect(transport: SdkTransport | TransportConfig): Promise<void> {
    if (this.#transport !== undefined) {
      throw new SdkError(
        SdkErrorCode.AlreadyConnected,
        "This server is already connected to a transport. Create a server for each connection, or call close() first.",
      );
    }
    if ("type" in transport) {
      // Loaded only if it is used, so that the server also runs where Node's modules are missing.
      const { serve } = await import("tenon/node");
      const running = await serve(this.hosted, { transport, signals: false });
      const connected: Connected = { transport: undefined, close: () => running.close() };
      this.#transport = connected;
      void running.closed.then(() => this.#disconnect(connected));
      return;
    }
    const connected: Connected = { transport, close: () => transport.close() };
    this.#transport = connected;
    // Safe: the function is optional, as in the official interface
    const versions = transport as { setSupportedProtocolVersions?(versions: readonly string[]): void };
    versions.setSupportedProtocolVersions?.([...this.options.legacyVersions]);
    try {
      await openLink(this.hosted, transport, {
        // The official SDK negotiates the stateless revision only in `createMcpHandler` and `serveStdio`.
        connection: { era: "legacy" },
        onclose: () => this.#disconnect(connected),
        onerror: (error) => this.hosted.report(error, "transport"),
      });
    } catch (error) {
      if (this.#transport === connected) this.#transport = undefined;
      throw error;
    }
  }

  /** Closes the transport. */
  async close(): Promise<void> {
    await this.#transport?.close();
  }

  /** Returns the capabilities of the calling client or, outside a callback, of the connected one. */
  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#messenger.client?.capabilities;
  }

  /** Returns the name and version of the calling client or, outside a callback, of the connected one. */
  getClientVersion(): Implementation | undefined {
    return this.#messenger.client?.clientInfo as Implementation | undefined; // Safe: bounded when the client connected
  }

  /** Returns the protocol version of the calling client or, outside a callback, of the connected one. */
  getNegotiatedProtocolVersion(): string | undefined {
    return this.#messenger.client?.revision;
  }

  /** Converts a tool result for the client's protocol version. For handlers of `tools/call`. */
  projectCallToolResult(result: object, outputSchema?: Readonly<Record<string, unknown>>): object {
    const whole = withTextFallback({ ...result });
    const { structuredContent: content } = whole;
    const traits = TRAITS[this.#messenger.client?.revision ?? LATEST_LEGACY];
    const isWrapped = outputSchema !== undefined && outputSchema["type"] !== "object";
    if (content === undefined || traits.anyOutputType || (isJsonObject(content) && !isWrapped)) return whole;
    return { ...whole, structuredContent: { result: content } };
  }

  /** Sends a request to the client. Requests that MCP does not define need a schema for the result. */
  async request(
    request: OutgoingRequest,
    schemaOrOptions?: StandardSchema | AskOptions,
    options?: AskOptions,
  ): Promise<unknown> {
    const given = isSchema(schemaOrOptions)
      ? { schema: schemaOrOptions, options: options ?? {} }
      : { schema: undefined, options: schemaOrOptions ?? {} };
    return this.#messenger.send(this.#messenger.scope, request, given);
  }

  /** Sends a notification to the connected client. If the server only serves a single request, it is dropped. */
  async notification(notification: OutgoingNotification, options: NotificationOptions = {}): Promise<void> {
    const { scope } = this.#messenger;
    if (!this.isServing && scope === undefined)
      throw new SdkError(SdkErrorCode.NotConnected, "Not connected");
    const { relatedRequestId: id } = options;
    await (scope !== undefined && id !== undefined && scope.message.id === id
      ? this.#messenger.notify(scope, notification)
      : this.#messenger.publish(notification));
  }

  /** Pings the client. */
  async ping(): Promise<object> {
    await this.#messenger.ask({ method: "ping" }, {});
    return {};
  }

  /** Requests input from the user. In the stateless revision, return `inputRequired` from the callback instead. */
  async elicitInput(params: ElicitParams, options: AskOptions = {}): Promise<ElicitResult> {
    const { mode = "form", requestedSchema } = params;
    this.#messenger.assertPush("elicitation/create");
    assertElicitation(mode, this.#messenger.client?.capabilities);
    const request = { method: "elicitation/create", params: { ...params, mode } };
    const response = toElicitResult(await this.#messenger.ask(request, options));
    try {
      if (mode === "form") assertFormContent(response, requestedSchema, this.options.validator);
    } catch (error) {
      throw toRequestError(error);
    }
    return response;
  }

  /** Requests a completion from the client's model. In the stateless revision, return `inputRequired` instead. */
  async createMessage(params: object, options: AskOptions = {}): Promise<SamplingResult> {
    this.#messenger.assertPush("sampling/createMessage");
    const { tools, toolChoice, messages } = params as JsonObject; // Safe: each member is checked
    const sampling = this.#messenger.client?.capabilities.sampling;
    if ((tools !== undefined || toolChoice !== undefined) && sampling?.["tools"] === undefined)
      throw unsupported("Client does not support sampling tools capability.");
    assertToolMessages(messages);
    return toSamplingResult(await this.#messenger.ask({ method: "sampling/createMessage", params }, options));
  }

  /** Requests the client's roots. In the stateless revision, return `inputRequired` instead. */
  async listRoots(params?: object, options: AskOptions = {}): Promise<{ roots: Root[] }> {
    return toRoots(await this.#messenger.ask({ method: "roots/list", params }, options));
  }

  /** Creates a function that notifies the client when the user has finished on a page. */
  createElicitationCompletionNotifier(
    elicitationId: string,
    options?: NotificationOptions,
  ): () => Promise<void> {
    this.#messenger.assertUrlClient();
    const notification = { method: "notifications/elicitation/complete", params: { elicitationId } };
    return () => this.notification(notification, options);
  }

  /** Sends a log message to the connected client. Does nothing unless the server declares `logging`. */
  async sendLoggingMessage(
    params: { readonly level: LogLevel; readonly data?: unknown; readonly logger?: string },
    _sessionId?: string,
  ): Promise<void> {
    const [first] = this.hosted.attached;
    if (!this.#capabilities["logging"] || isBelow(params.level, first?.connection.logLevel)) return;
    await this.notification({ method: "notifications/message", params });
  }

  /** Notifies the client that a resource has changed. */
  async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    await this.notification({ method: "notifications/resources/updated", params });
  }

  /** Notifies the client that the list of resources has changed. */
  async sendResourceListChanged(): Promise<void> {
    await this.notification({ method: "notifications/resources/list_changed" });
  }

  /** Notifies the client that the list of tools has changed. */
  async sendToolListChanged(): Promise<void> {
    await this.notification({ method: "notifications/tools/list_changed" });
  }

  /** Notifies the client that the list of prompts has changed. */
  async sendPromptListChanged(): Promise<void> {
    await this.notification({ method: "notifications/prompts/list_changed" });
  }

  #createDialect(registrations: Missing): Dialect {
    const { cacheHints, modernVersions, legacyVersions } = this.options;
    const messenger = this.#messenger;
    const capabilities = () => this.#capabilities;
    const fallback = () => this.fallbackRequestHandler;
    return createDialect({
      get capabilities() {
        return capabilities();
      },
      get fallback() {
        return fallback();
      },
      cacheHints,
      modernVersions,
      missing: registrations,
      contextOf: (scope) =>
        createContext(scope, {
          send: (one, request, given) => messenger.send(one, request, given),
          notify: (one, notification) => messenger.notify(one, notification),
          log: (one, level, message) => messenger.log(one, level, message),
          elicitInput: (params, options) => this.elicitInput(params, options),
          createMessage: (params, options) => this.createMessage(params, options),
        }),
      roundsOf: (scope) => messenger.roundsOf(scope),
      negotiate(requested) {
        const isSupported = typeof requested === "string" && legacyVersions.includes(requested);
        return isSupported ? requested : (legacyVersions[0] ?? LATEST_LEGACY);
      },
    });
  }

  #disconnect(connected: Connected): void {
    if (this.#transport === connected) this.#transport = undefined;
    this.onclose?.();
  }
}

/** A connected transport, or a running one of Tenon's. */
interface Connected {
  readonly transport: SdkTransport | undefined;
  close(): Promise<void>;
}
