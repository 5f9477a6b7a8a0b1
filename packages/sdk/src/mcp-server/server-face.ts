/**
 * @fileoverview What an application finds under `mcpServer.server`: its own handlers, and the way to the client.
 * @module app/mcp-server/server-face
 */
import type { ServerOptions } from "tenon";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ClientCapabilities, LogLevel, Root, SamplingRequest, SamplingResult } from "tenon/protocol";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import { serve, type TransportConfig } from "tenon/node";
import { askConnection, askVisit, notifyAll, notifyVisit } from "./requests/client-requests.js";
import { type Attached, FacadeCore, type Registrations } from "./facade-core.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { methodOf } from "./registrations/schemas.js";
import { openLink } from "./transport-link.js";
import type {
  AnswerSchema,
  AskOptions,
  McpExtra,
  OutgoingNotification,
  OutgoingRequest,
} from "./requests/types.js";
import { extraOf, type RequestScope } from "./requests/request-scope.js";

/** What to ask the user. */
export interface ElicitParams {
  readonly mode?: "form" | "url";
  readonly message: string;
  readonly requestedSchema?: JsonObject;
  readonly url?: string;
  readonly elicitationId?: string;
}

/** What the user answered. */
export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

/** The lower half of the facade. One server may have many clients: what is sent in a callback goes to the one that called. */
export class ServerFace implements Hooks {
  /** Runs when a client has finished `initialize`. */
  oninitialized: (() => void) | undefined = undefined;
  /** Runs when a transport has closed. */
  onclose: (() => void) | undefined = undefined;
  /** Takes errors that have nobody else to go to. */
  onerror: ((error: Error) => void) | undefined = undefined;
  /** Answers requests that nobody else does. */
  fallbackRequestHandler: OwnHandler["handler"] | undefined = undefined;
  /** Takes notifications that nobody else does. */
  fallbackNotificationHandler: ((notification: unknown) => unknown) | undefined = undefined;
  /** @internal */
  readonly requestHandlers = new Map<string, OwnHandler>();
  /** @internal */
  readonly notificationHandlers = new Map<string, OwnHandler>();
  /** @internal the server underneath */
  readonly core: FacadeCore;
  readonly #transports = new Set<{ close(): Promise<void> }>();
  #capabilities: JsonObject;
  #transport: SdkTransport | undefined;

  /** @internal made by `McpServer` */
  constructor(options: ServerOptions, capabilities: JsonObject, registered: Registrations) {
    this.#capabilities = capabilities;
    this.core = new FacadeCore(options, {
      hooks: this,
      registered,
      extraOf: (visit) => this.extraOf(visit),
    });
  }

  /** The transport that was connected last, while it is open. */
  get transport(): SdkTransport | undefined {
    return this.#transport;
  }

  /** @internal what is declared besides what is registered */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** @internal what a callback gets for a request */
  extraOf(visit: RequestScope): McpExtra {
    return extraOf(visit, {
      sendNotification: (notification) => this.#tell(visit, notification),
      sendRequest: async (request, schema, options = {}) =>
        schema.parse(await this.#ask(request, options, visit)),
    });
  }

  /** Declares more. @throws once a transport is connected */
  registerCapabilities(capabilities: object): void {
    if (this.core.attached.size > 0) {
      throw new Error("Cannot register capabilities after connecting to transport");
    }
    this.#capabilities = merge(this.#capabilities, { ...capabilities });
  }

  /** Answers a method, in place of whoever did before. @param schema a request schema, or the method's name */
  setRequestHandler(schema: unknown, handler: (request: never, extra: McpExtra) => unknown): void {
    // The schema reads the request into what the handler takes.
    this.requestHandlers.set(methodOf(schema), { schema, handler: handler as OwnHandler["handler"] });
  }

  /** Gives a method back to the server. */
  removeRequestHandler(method: string): void {
    this.requestHandlers.delete(method);
  }

  /** @throws where the application answers this method already */
  assertCanSetRequestHandler(method: string): void {
    if (this.requestHandlers.has(method)) {
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
    }
  }

  /** Takes a notification. @param schema a notification schema, or the method's name */
  setNotificationHandler(schema: unknown, handler: (notification: never) => unknown): void {
    const take = handler as (notification: unknown) => unknown; // as above
    this.notificationHandlers.set(methodOf(schema), { schema, handler: take });
  }

  /** Takes a notification no longer. */
  removeNotificationHandler(method: string): void {
    this.notificationHandlers.delete(method);
  }

  /** Connects a transport: one of the official SDK's, or a description of one of ours. */
  async connect(transport: SdkTransport | TransportConfig): Promise<void> {
    if ("type" in transport) {
      const running = await serve(this.core, { transport, signals: false });
      this.#transports.add(running);
      void running.closed.then(() => this.#forget(running));
      return;
    }
    this.#transports.add(transport);
    this.#transport = transport;
    await openLink(this.core, transport, {
      onclose: () => this.#forget(transport),
      onerror: (error) => this.core.report(error),
    });
  }

  /** Closes every transport that was connected here. */
  async close(): Promise<void> {
    await Promise.all([...this.#transports].map((transport) => transport.close()));
  }

  /** What the client can do: the one that called, or the one that is connected. */
  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#client()?.capabilities;
  }

  /** The client's name and version, as it gave them. */
  getClientVersion(): JsonObject | undefined {
    return this.#client()?.clientInfo;
  }

  /** Sends a request. @throws what the client refuses it with, or what the schema does */
  async request<Answer>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Answer>,
    options: AskOptions = {},
  ): Promise<Answer> {
    return resultSchema.parse(await this.#ask(request, options));
  }

  /** Sends a notification: to the client that called, or, outside a callback, to all that are connected. */
  async notification(notification: OutgoingNotification): Promise<void> {
    const visit = this.core.visits.current;
    if (visit !== undefined) return this.#tell(visit, notification);
    if (this.core.attached.size === 0) throw new Error("Not connected");
    return notifyAll(this.core.attached, notification);
  }

  /** Asks whether the client is there. */
  async ping(): Promise<object> {
    await this.#ask({ method: "ping" }, {});
    return {};
  }

  /** Asks the user. In the stateless era the callback runs again from its start when the answer is there. */
  async elicitInput(params: ElicitParams, options: AskOptions = {}): Promise<ElicitResult> {
    const { mode = "form" } = params;
    const answer = await this.#ask({ method: "elicitation/create", params: { ...params, mode } }, options);
    return answer as ElicitResult; // whoever asks looks at its action first
  }

  /** Asks the client's model. */
  async createMessage(params: SamplingRequest, options: AskOptions = {}): Promise<SamplingResult> {
    return (await this.#ask({ method: "sampling/createMessage", params }, options)) as SamplingResult; // as above
  }

  /** Asks for the places that the client works in. */
  async listRoots(params?: object, options: AskOptions = {}): Promise<{ roots: readonly Root[] }> {
    return (await this.#ask({ method: "roots/list", params }, options)) as { roots: readonly Root[] }; // as above
  }

  /** Makes a function that tells the client that what happened behind a link is over. */
  createElicitationCompletionNotifier(elicitationId: string): () => Promise<void> {
    return () =>
      this.notification({ method: "notifications/elicitation/complete", params: { elicitationId } });
  }

  /** Sends a log message, to those that want messages of its weight. */
  async sendLoggingMessage(params: {
    readonly level: LogLevel;
    readonly data: unknown;
    readonly logger?: string;
  }): Promise<void> {
    if (this.core.visits.current === undefined && this.core.attached.size === 0) return;
    await this.notification({ method: "notifications/message", params });
  }

  /** Tells those that subscribed to a resource that it has changed. */
  async sendResourceUpdated({ uri }: { readonly uri: string }): Promise<void> {
    this.core.resourceUpdated(uri);
  }

  /** Tells every client that the tools have changed. */
  async sendToolListChanged(): Promise<void> {
    this.core.publish("tools");
  }

  /** Tells every client that the resources have changed. */
  async sendResourceListChanged(): Promise<void> {
    this.core.publish("resources");
  }

  /** Tells every client that the prompts have changed. */
  async sendPromptListChanged(): Promise<void> {
    this.core.publish("prompts");
  }

  async #tell(visit: RequestScope, notification: OutgoingNotification): Promise<void> {
    return visit.isOver
      ? notifyAll(this.#connectionOf(visit), notification)
      : notifyVisit(visit, notification);
  }

  async #ask(
    request: OutgoingRequest,
    options: AskOptions,
    visit = this.core.visits.current,
  ): Promise<unknown> {
    if (visit === undefined) return askConnection(this.#only(), request, options);
    if (!visit.isOver) return askVisit(visit, request, options);
    const [connection] = this.#connectionOf(visit);
    if (connection === undefined) throw new Error("Not connected");
    return askConnection(connection, request, options);
  }

  /** Where to reach the client of a request that was answered, if it still can be. */
  #connectionOf({ exchange }: RequestScope): readonly Attached[] {
    return [...this.core.attached].filter(({ connection }) => connection === exchange?.connection);
  }

  /** The one client there is. @throws where there is none, or the question might go to the wrong one */
  #only(): Attached {
    const [first, second] = this.core.attached;
    if (first === undefined) throw new Error("Not connected");
    if (second !== undefined) {
      throw new Error(
        "Several clients are connected: ask inside a callback, where it is known which one is meant",
      );
    }
    return first;
  }

  #client() {
    const visit = this.core.visits.current;
    if (visit !== undefined) return visit.caller;
    const [first] = [...this.core.attached].toReversed();
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
