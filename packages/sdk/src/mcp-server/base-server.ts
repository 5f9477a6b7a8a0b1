/**
 * @fileoverview Members that the low-level servers of versions 1 and 2 share: the application's handlers, and requests
 * to the client.
 * @module sdk/mcp-server/base-server
 */
import type { Caller } from "tenon/host";
import type {
  ClientCapabilities,
  Implementation,
  LogLevel,
  Root,
  SamplingRequest,
  SamplingResult,
} from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import { mergeCapabilities, withForms } from "./capabilities.js";
import {
  assertFormContent,
  type FormValidator,
  toElicitResult,
  toRoots,
  toSamplingResult,
} from "./client/client-answers.js";
import { describeSamplingMessages } from "./sampling-messages.js";
import type { Dialect } from "./dialect.js";
import type { FacadeServer, Registrations } from "./facade-server.js";
import { HandlerMap } from "./requests/handler-map.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import type {
  AskOptions,
  ElicitParams,
  ElicitResult,
  NotifyOptions,
  OutgoingNotification,
  OutgoingRequest,
} from "./requests/types.js";

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
  abstract readonly hosted: FacadeServer;
  protected abstract readonly messenger: ClientMessenger;
  protected abstract readonly validator: FormValidator | undefined;
  #capabilities: JsonObject;

  constructor(capabilities: JsonObject) {
    this.#capabilities = capabilities;
  }

  /** @internal capabilities to declare even if no matching tool, resource, or prompt is registered */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** @internal declares capabilities at any time. Members of one capability are merged too */
  declare(capabilities: object): void {
    this.#capabilities = mergeCapabilities(this.#capabilities, capabilities);
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

  /** Closes all transports connected with `connect`. */
  abstract close(): Promise<void>;

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
      if (mode === "form") assertFormContent(result, requestedSchema, this.validator);
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
}

/** Registrations of a low-level server without an `McpServer`. */
export const NO_REGISTRATIONS: Registrations = {
  drafts: { tools: [], resources: [], templates: [], prompts: [] },
  listers: [],
  hasResource: () => false,
  isDisabled: () => false,
};
