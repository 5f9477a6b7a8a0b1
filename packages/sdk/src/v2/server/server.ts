/**
 * @fileoverview The low-level server of the official SDK, version 2: handlers by method name, and messages to clients.
 * @module sdk/v2/server/server
 */
import type { ConnectionOptions } from "tenon/host";
import type { TransportConfig } from "tenon/node";
import { type ClientCapabilities, type Implementation, LATEST_LEGACY, TRAITS } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import { describeUndeclared } from "../../server/capabilities.js";
import { BaseServer, type ListKind, type LogMessage } from "../../server/base-server.js";
import { type Dialect, NO_REGISTRATIONS, type Registrations } from "../../server/dialect.js";
import { DropInServer } from "../../server/drop-in-server.js";
import { toServerInfo } from "../../server/options.js";
import type { NotifyOptions } from "../../types.js";
import { assertSupported, SdkError, SdkErrorCode } from "../errors.js";
import type {
  AskOptions,
  OutgoingNotification,
  OutgoingRequest,
  ServerCapabilities,
  StandardSchema,
} from "../types.js";
import { createDialect } from "./dialect.js";
import { isBelow, V2Messenger, toSendArguments } from "./messenger.js";
import { type ServerOptions, type Settings, toSettings } from "./options.js";
import { type HandlerSchemas, toNotificationHandler, toRequestHandler } from "./request-handlers.js";
import { withTextFallback } from "./results.js";

/** Low-level server. Use it through `McpServer.server`, or on its own with handlers for every method. */
export class Server extends BaseServer {
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: DropInServer;
  /** @internal options with defaults */
  declare readonly settings: Settings;
  protected readonly messenger: V2Messenger;

  /** @param registrations only for `McpServer` */
  constructor(
    serverInfo: Implementation,
    options: ServerOptions = {},
    registrations: Registrations = NO_REGISTRATIONS,
  ) {
    const settings = toSettings(options);
    super(settings);
    this.messenger = new V2Messenger(this);
    this.dialect = createDialect({ server: this, messenger: this.messenger, registrations });
    this.hosted = new DropInServer(
      { ...settings.core, ...toServerInfo(serverInfo) },
      { hooks: this, registrations, dialect: this.dialect, debounced: settings.debounced },
    );
  }

  /** @internal true while a transport, or an endpoint that created this server, serves a client */
  get isServing(): boolean {
    return this.running.size > 0 || this.hosted.attached.size > 0;
  }

  /** Declares additional capabilities. @throws {SdkError} if a transport is connected */
  registerCapabilities(capabilities: ServerCapabilities): void {
    this.#assertDisconnected("Cannot register capabilities after connecting to transport");
    this.declare(capabilities);
  }

  /** @internal returns true if the server announces changes of a list, unless the application declared otherwise */
  override announces(kind: ListKind): boolean {
    const declared = this.capabilities[kind];
    return !isJsonObject(declared) || declared["listChanged"] !== false;
  }

  /** Returns the capabilities that the server declares. */
  getCapabilities(): ServerCapabilities {
    return this.capabilities;
  }

  /** Sets the handler of a method. Methods that MCP does not define need schemas. */
  setRequestHandler(
    method: string,
    handlerOrSchemas: HandlerSchemas | ((request: never, ctx: never) => unknown),
    handler?: (params: never, ctx: never) => unknown,
  ): void {
    assertSupported(describeUndeclared(method, this.capabilities));
    this.requestHandlers.set(method, toRequestHandler(method, handlerOrSchemas, handler));
  }

  /** Sets the handler of a notification. Notifications that MCP does not define need a schema. */
  setNotificationHandler(
    method: string,
    handlerOrSchemas: { readonly params: StandardSchema } | ((notification: never) => unknown),
    handler?: (params: never, notification: never) => unknown,
  ): void {
    this.notificationHandlers.set(method, toNotificationHandler(method, handlerOrSchemas, handler));
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  override async connect(transport: SdkTransport | TransportConfig): Promise<void> {
    this.#assertDisconnected(
      "This server is already connected to a transport. Create a server for each connection, or call close() first.",
    );
    await super.connect(transport);
  }

  /** The official SDK negotiates the stateless revision only in `createMcpHandler` and `serveStdio`. */
  protected override prepareTransport(transport: SdkTransport): ConnectionOptions {
    // Safe: the function is optional, as in the official interface
    const target = transport as { setSupportedProtocolVersions?(versions: readonly string[]): void };
    target.setSupportedProtocolVersions?.([...this.settings.legacyVersions]);
    return { era: "legacy" };
  }

  /**
   * Returns the capabilities of the calling client or, outside a callback, of the connected one. As in the official SDK,
   * those that a request of the stateless revision declares are unchanged.
   */
  override getClientCapabilities(): ClientCapabilities | undefined {
    const { client } = this.messenger;
    const isModern = client !== undefined && TRAITS[client.revision].era === "modern";
    return isModern ? client.capabilities : super.getClientCapabilities();
  }

  /** Returns the protocol version of the calling client or, outside a callback, of the connected one. */
  getNegotiatedProtocolVersion(): string | undefined {
    return this.messenger.client?.revision;
  }

  /** Converts a tool result for the client's protocol version. For handlers of `tools/call`. */
  projectCallToolResult(result: object, outputSchema?: Readonly<Record<string, unknown>>): object {
    const whole = withTextFallback({ ...result });
    const { structuredContent: content } = whole;
    const traits = TRAITS[this.messenger.client?.revision ?? LATEST_LEGACY];
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
    const given = toSendArguments(schemaOrOptions, options);
    return this.messenger.send(this.messenger.scope, request, given);
  }

  /** Sends a notification to the connected client. If the server only serves a single request, it is dropped. */
  async notification(notification: OutgoingNotification, options: NotifyOptions = {}): Promise<void> {
    const { scope } = this.messenger;
    if (!this.isServing && scope === undefined)
      throw new SdkError(SdkErrorCode.NotConnected, "Not connected");
    const { relatedRequestId: id } = options;
    await (scope !== undefined && id !== undefined && scope.message.id === id
      ? this.messenger.notify(scope, notification)
      : this.messenger.publish(notification));
  }

  /** Sends a log message to the connected client. Does nothing unless the server declares `logging`. */
  async sendLoggingMessage(params: LogMessage, _sessionId?: string): Promise<void> {
    const [first] = this.hosted.attached;
    if (!this.capabilities["logging"] || isBelow(params.level, first?.connection.logLevel)) return;
    await this.notification({ method: "notifications/message", params });
  }

  /** Notifies the client that a resource has changed. */
  async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    await this.notification({ method: "notifications/resources/updated", params });
  }

  protected async sendListChanged(kind: ListKind): Promise<void> {
    await this.notification({ method: `notifications/${kind}/list_changed` });
  }

  #assertDisconnected(message: string): void {
    if (this.running.size > 0) throw new SdkError(SdkErrorCode.AlreadyConnected, message);
  }
}
