/**
 * @fileoverview The low-level server of the official SDK, version 2: handlers by method name, and messages to clients.
 * @module sdk/v2/server/server
 */
import type { TransportConfig } from "tenon/node";
import { type ClientCapabilities, type Implementation, LATEST_LEGACY, TRAITS } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import {
  BaseServer,
  type ListKind,
  type LogMessage,
  NO_REGISTRATIONS,
} from "../../mcp-server/base-server.js";
import type { FormValidator } from "../../mcp-server/client/client-answers.js";
import type { Dialect } from "../../mcp-server/dialect.js";
import { FacadeServer, type Registrations } from "../../mcp-server/facade-server.js";
import { toServerInfo } from "../../mcp-server/options.js";
import type { NotifyOptions } from "../../mcp-server/requests/types.js";
import { openLink } from "../../mcp-server/transport-link.js";
import { SdkError, SdkErrorCode } from "../errors.js";
import type {
  AskOptions,
  OutgoingNotification,
  OutgoingRequest,
  ServerCapabilities,
  StandardSchema,
} from "../types.js";
import { assertDeclared } from "./capabilities.js";
import { createDialect } from "./dialect.js";
import { isBelow, Messenger, toSendArguments } from "./messenger.js";
import type { Missing } from "./missing.js";
import { type ResolvedOptions, resolveOptions, type ServerOptions } from "./options.js";
import { withTextFallback } from "./results.js";
import { type HandlerSchemas, toNotificationHandler, toRequestHandler } from "./request-handlers.js";

/** Registrations of a server without an `McpServer`. */
const NOTHING: Registrations & Missing = { ...NO_REGISTRATIONS, disabledTemplate: () => undefined };

/** Low-level server. Use it through `McpServer.server`, or on its own with handlers for every method. */
export class Server extends BaseServer {
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  /** @internal the server that transports host */
  readonly hosted: FacadeServer;
  /** @internal options with defaults */
  readonly options: ResolvedOptions;
  protected readonly messenger: Messenger;
  protected readonly validator: FormValidator | undefined;
  #transport: Connected | undefined;

  /** @param registrations only for `McpServer` */
  constructor(
    serverInfo: Implementation,
    options: ServerOptions = {},
    registrations: Registrations & Missing = NOTHING,
  ) {
    const resolved = resolveOptions(options);
    super(resolved.capabilities);
    this.options = resolved;
    this.validator = resolved.validator;
    this.messenger = new Messenger(this);
    this.dialect = createDialect({ server: this, messenger: this.messenger, missing: registrations });
    this.hosted = new FacadeServer(
      { ...resolved.core, ...toServerInfo(serverInfo) },
      { hooks: this, registrations, dialect: this.dialect, debounced: resolved.debounced },
    );
  }

  /** The connected transport, or `undefined`. */
  get transport(): SdkTransport | undefined {
    return this.#transport?.transport;
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
    assertDeclared(method, this.capabilities);
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
