/**
 * @fileoverview The low-level server behind `Server` of versions 1 and 2: the application's handlers, transports, and
 * requests to the client.
 * @module sdk/server/base-server
 */
import type { Caller, ConnectionOptions } from "tenon/host";
import type { TransportConfig } from "tenon/node";
import type {
  ClientCapabilities,
  Implementation,
  LogLevel,
  Root,
  SamplingRequest,
  SamplingResult,
} from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import { textOf } from "@tenon/internal/thrown";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import { linkTransport } from "../adapters/connect.js";
import type {
  AskOptions,
  ElicitParams,
  ElicitResult,
  NotifyOptions,
  OutgoingNotification,
  OutgoingRequest,
} from "../types.js";
import { mergeCapabilities, withForms } from "./capabilities.js";
import {
  assertFormContent,
  describeSamplingMessages,
  toElicitResult,
  toRoots,
  toSamplingResult,
} from "./client/answers.js";
import type { Dialect, Hooks, OwnHandler } from "./dialect.js";
import type { DropInServer } from "./drop-in-server.js";
import type { BaseSettings } from "./options.js";
import { HandlerMap } from "./requests/handlers.js";

/** Sends messages to clients, with the rules and errors of one version of the official SDK. */
export interface ClientMessenger {
  /** The calling client or, outside a callback, the most recently connected client. */
  readonly client: Caller | undefined;
  /** Sends a request and resolves with the client's result. */
  ask(request: OutgoingRequest, options: AskOptions): Promise<unknown>;
  /** Asserts that the client supports the kind of input or sampling that a request uses. */
  assertSupported(request: OutgoingRequest): void;
  /** Asserts that the client can open pages. */
  assertUrlClient(): void;
  /** Creates the error for invalid parameters of a request. */
  createError(text: string): Error;
  /** Converts an error to the one that the application receives. */
  convertError(error: unknown): unknown;
}

/** A log message for clients. */
export interface LogMessage {
  readonly level: LogLevel;
  readonly data?: unknown;
  readonly logger?: string;
}

/** List of definitions whose changes are sent to clients. */
export type ListKind = "tools" | "resources" | "prompts";

/** Low-level server. Messages sent from a callback go to the calling client. */
export abstract class BaseServer implements Hooks {
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
  /** @internal behavior of this SDK version */
  abstract readonly dialect: Dialect;
  /** @internal the server that transports host */
  abstract readonly hosted: DropInServer;
  /** @internal options with defaults */
  readonly settings: BaseSettings;
  protected abstract readonly messenger: ClientMessenger;
  /** Connected transports, and running ones of Tenon's. */
  protected readonly running = new Set<{ close(): Promise<void> }>();
  #capabilities: JsonObject;
  #transport: SdkTransport | undefined;

  constructor(settings: BaseSettings) {
    this.settings = settings;
    this.#capabilities = settings.capabilities;
  }

  /** @internal capabilities to declare even if no matching tool, resource, or prompt is registered */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** The most recently connected official transport, or `undefined` after it has closed. */
  get transport(): SdkTransport | undefined {
    return this.#transport;
  }

  /** @internal declares capabilities at any time. Members of one capability are merged too */
  declare(capabilities: object): void {
    this.#capabilities = mergeCapabilities(this.#capabilities, capabilities);
  }

  /** @internal returns true if the server announces changes of a list with registrations */
  announces(_kind: ListKind): boolean {
    return true;
  }

  /** @internal the handlers under the official SDK's private name, which applications use to wrap them */
  get _requestHandlers(): HandlerMap {
    return new HandlerMap(this.requestHandlers, this.hosted);
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

  /** Removes a notification's handler. Later notifications go to the fallback handler, if set. */
  removeNotificationHandler(method: string): void {
    this.notificationHandlers.delete(method);
  }

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  async connect(transport: SdkTransport | TransportConfig): Promise<void> {
    if ("type" in transport) {
      // Loaded only if it is used, so that the server also runs where Node's modules are missing.
      const { serve } = await import("tenon/node");
      const running = await serve(this.hosted, { transport, signals: false });
      this.running.add(running);
      void running.closed.then(() => this.#forget(running));
      return;
    }
    this.running.add(transport);
    this.#transport = transport;
    await linkTransport(this.hosted, transport, {
      context: undefined,
      connection: this.prepareTransport(transport),
      onclose: () => this.#forget(transport),
      onerror: (error, unsent) => {
        const text = () => `Failed to send response: ${textOf(error)}`;
        const told = unsent === "response" ? new Error(text(), { cause: error }) : error;
        this.hosted.report(told, "transport");
      },
    });
  }

  /** Closes all transports connected with `connect`. */
  async close(): Promise<void> {
    await Promise.all([...this.running].map((transport) => transport.close()));
  }

  /** @internal prepares an official transport, and returns the options of its connection */
  protected prepareTransport(_transport: SdkTransport): ConnectionOptions {
    return {};
  }

  /** Returns the capabilities of the calling client or, outside a callback, of the most recently connected client. */
  getClientCapabilities(): ClientCapabilities | undefined {
    const { client } = this.messenger;
    return client && withForms(client.capabilities);
  }

  /** Returns the name and version of the calling or, outside a callback, the most recently connected client. */
  getClientVersion(): Implementation | undefined {
    return this.messenger.client?.clientInfo as Implementation | undefined; // Safe: bounded when the client connected
  }

  /** Sends a notification to the client. */
  abstract notification(notification: OutgoingNotification, options?: NotifyOptions): Promise<void>;

  /** Sends a log message. */
  abstract sendLoggingMessage(params: LogMessage, sessionId?: string): Promise<void>;

  /** Pings the client. Resolves when the client responds. */
  async ping(): Promise<object> {
    await this.messenger.ask({ method: "ping" }, {});
    return {};
  }

  /** Requests input from the user. */
  async elicitInput(params: ElicitParams, options: AskOptions = {}): Promise<ElicitResult> {
    const { mode = "form", requestedSchema } = params;
    const request = { method: "elicitation/create", params: { ...params, mode } };
    this.messenger.assertSupported(request);
    const result = toElicitResult(await this.messenger.ask(request, options));
    try {
      if (mode === "form") assertFormContent(result, requestedSchema, this.settings.validator);
    } catch (error) {
      throw await this.messenger.convertError(error);
    }
    return result;
  }

  /** Requests a completion from the client's language model. */
  async createMessage(params: SamplingRequest, options: AskOptions = {}): Promise<SamplingResult> {
    const request = { method: "sampling/createMessage", params };
    this.messenger.assertSupported(request);
    const problem = describeSamplingMessages(params.messages);
    if (problem !== undefined) throw this.messenger.createError(problem);
    return toSamplingResult(await this.messenger.ask(request, options));
  }

  /** Requests the client's list of roots. */
  async listRoots(params?: object, options: AskOptions = {}): Promise<{ roots: Root[] }> {
    return toRoots(await this.messenger.ask({ method: "roots/list", params }, options));
  }

  /** Creates a function that notifies the client when a URL elicitation is complete. */
  createElicitationCompletionNotifier(elicitationId: string, options?: NotifyOptions): () => Promise<void> {
    this.messenger.assertUrlClient();
    const notification = { method: "notifications/elicitation/complete", params: { elicitationId } };
    return () => this.notification(notification, options);
  }

  /** Notifies clients that the list of tools has changed. */
  async sendToolListChanged(): Promise<void> {
    await this.sendListChanged("tools");
  }

  /** Notifies clients that the list of resources has changed. */
  async sendResourceListChanged(): Promise<void> {
    await this.sendListChanged("resources");
  }

  /** Notifies clients that the list of prompts has changed. */
  async sendPromptListChanged(): Promise<void> {
    await this.sendListChanged("prompts");
  }

  protected abstract sendListChanged(kind: ListKind): Promise<void>;

  #forget(transport: { close(): Promise<void> }): void {
    this.running.delete(transport);
    if (this.#transport === transport) this.#transport = undefined;
    this.onclose?.();
  }
}
