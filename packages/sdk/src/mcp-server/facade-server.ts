/**
 * @fileoverview The server behind `McpServer`: wraps a core server and adds the official SDK's behavior.
 * @module sdk/mcp-server/facade-server
 */
import {
  type ChangeListener,
  type Exchange,
  type HandleToolOptions,
  type LogSink,
  type McpResponse,
  type NotAFunction,
  type PlanEditor,
  type ResourceFunction,
  type ResourceHandler,
  type Server,
  ServerBuilder,
  type ServerDescription,
  type ServerOptions,
  type TagFilter,
  type ToolFunction,
  type ToolHandler,
  type ToolMap,
} from "tenon";
import {
  type ClusterLink,
  type Connection,
  emptyResponse,
  type HostedServer,
  type Plan,
  type RecordSealer,
  resultResponse,
} from "tenon/host";
import {
  byRevision,
  createEncoder,
  type Implementation,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcResponse,
  messageKind,
  type ResultEncoder,
  type Revision,
} from "tenon/protocol";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { assertName, type Draft, type Kind, NOUNS } from "./registrations/registry.js";
import type { Conversion, Dialect, Lookup } from "./dialect.js";
import type { Attached } from "./client/attached.js";
import { debounced } from "./client/debounce.js";
import { INTERNAL_ERROR } from "./requests/errors.js";
import { FailureLog } from "./requests/failure-log.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { handleNotification, toUnexpected } from "./notifications.js";
import { type Lister, listAll } from "./requests/list-callbacks.js";
import { readPlan } from "./read-plan.js";
import {
  type Failing,
  refusalOf,
  runTracked,
  toOwnResult,
  trackSubscription,
} from "./requests/own-methods.js";
import { type Request, RequestScope, RequestScopes } from "./requests/request-scope.js";
import { resultOf } from "./requests/sdk-response.js";
import { isLegacy } from "./tasks/task-support.js";
import type { McpExtra } from "./requests/types.js";

/** An `McpServer`'s current registrations. */
export interface Registrations extends Lookup {
  /** Drafts of all enabled registrations. */
  readonly drafts: Drafts;
  /** List callbacks of all enabled templates, with each template's metadata. */
  readonly listers: readonly Lister[];
}

type ToolOptions = HandleToolOptions<unknown>;
type Drafts = Pick<Plan, "tools" | "resources" | "templates" | "prompts">;

/** Parts of `McpServer` that the facade server uses. */
interface FacadeParts {
  readonly hooks: Hooks;
  readonly registrations: Registrations;
  readonly dialect: Dialect;
  /** Methods of notifications that are sent once per tick. */
  readonly debounced?: readonly string[];
}

/** A live server: registrations on its `McpServer` take effect immediately. Pass it to any function that serves it. */
export class FacadeServer implements HostedServer<unknown> {
  /** Carries the tool types for `createClient`. Never set at runtime. */
  declare readonly types?: ToolMap;
  /** @internal tracks the request that a running callback belongs to */
  readonly requestScopes = new RequestScopes();
  /** @internal connections over which the server can send messages at any time */
  readonly attached = new Set<Attached>();
  /** @internal true if clients may see the messages of unexpected errors */
  readonly exposeErrors: boolean;
  readonly #core: Server;
  readonly #parts: FacadeParts;
  readonly #log: FailureLog;
  readonly #encoders: Readonly<Record<Revision, ResultEncoder>>;
  /** The facade's own drafts in the core's current plan. All other drafts were added through `update`. */
  #served: ReadonlySet<unknown> = new Set();
  #plan: Plan;
  #isStale = false;

  /** @internal created by `McpServer` */
  constructor(options: ServerOptions, parts: FacadeParts) {
    // Not `defineServer`, whose messages name that function. `McpServer` has checked the options.
    const core = new ServerBuilder(options).build();
    this.#core = core;
    this.#parts = parts;
    this.#log = new FailureLog(options.log);
    this.#plan = readPlan(core);
    this.#encoders = byRevision((revision) => createEncoder(revision, core.info));
    this.exposeErrors = options.exposeErrors ?? false;
  }

  /** The server's name, version, and other information for clients. */
  get info(): Implementation {
    return this.#core.info;
  }

  /** Returns a frozen description of the current registrations. */
  describe(): ServerDescription {
    this.#sync();
    return this.#core.describe();
  }

  /** Changes definitions that were not registered on the `McpServer`. If `change` throws, nothing changes. */
  update(change: (editor: PlanEditor) => unknown): this {
    this.#sync();
    this.#apply(change);
    return this;
  }

  /** Attaches a handler to a JSON-defined tool. @throws if the tool does not exist */
  handleTool(name: string, handler: ToolFunction, options?: ToolOptions): this;
  handleTool(name: string, handler: ToolHandler & NotAFunction, options?: ToolOptions): this;
  handleTool(name: string, handler: ToolFunction & ToolHandler & NotAFunction, options?: ToolOptions): this {
    this.#core.handleTool(name, handler, options);
    return this;
  }

  /** Attaches a handler to a JSON-defined resource. @throws if the resource does not exist */
  handleResource(name: string, handler: ResourceFunction): this;
  handleResource(name: string, handler: ResourceHandler & NotAFunction): this;
  handleResource(name: string, handler: ResourceFunction & ResourceHandler & NotAFunction): this {
    this.#core.handleResource(name, handler);
    return this;
  }

  /** Returns a view of the server with the tools that match the filter. Other tools cannot be listed or called. */
  view(filter: TagFilter): Server {
    this.#sync();
    return this.#core.view(filter);
  }

  /** Sends change notifications to a connection until the returned function is called. */
  attach(connection: Connection, notify: NonNullable<Exchange["notify"]>): () => void {
    this.#trySync();
    const attached: Attached = { connection, notify: debounced(notify, this.#parts.debounced ?? []) };
    this.attached.add(attached);
    const detach = this.#core.attach(connection, attached.notify);
    return () => {
      this.attached.delete(attached);
      detach();
    };
  }

  /** Calls the listener after every change until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    return this.#core.onChange(listener);
  }

  /** Notifies a resource's subscribers that it has changed. */
  resourceUpdated(uri: string): Promise<void> {
    return this.#core.resourceUpdated(uri);
  }

  /** Notifies all clients that a list has changed. */
  notifyListChanged(kind: "tools" | "resources" | "prompts"): Promise<void> {
    return this.#core.notifyListChanged(kind);
  }

  /** Sets the log sink of a server without `log`. Transports pass a sink that writes to stderr. */
  useLog(sink: LogSink): void {
    this.#core.useLog(sink);
    this.#log.use(sink);
  }

  /** Functions for transports that run the server on several nodes. */
  get operations(): NonNullable<HostedServer<unknown>["operations"]> {
    this.#sync();
    return this.#core.operations;
  }

  /** Encrypts records that a store keeps for this server. */
  get records(): RecordSealer {
    return this.#core.records;
  }

  /** Links the server to the other nodes that serve it. Transports with a `store` call it. */
  useCluster(link: ClusterLink): void {
    this.#core.useCluster(link);
  }

  /** Starts work that does not wait for a request, such as unfinished tasks. */
  start(): void {
    this.#core.start();
  }

  /** Ends all open subscriptions. */
  close(): void {
    this.#core.close();
  }

  /** Resolves when work that the server still does after `close`, such as running tasks, has ended. */
  idle(): Promise<void> {
    return this.#core.idle();
  }

  /** Handles a message and returns the response. Never throws or rejects. */
  handle(message: JsonRpcMessage, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    this.#trySync();
    switch (messageKind(message)) {
      case "request":
        return this.#handleRequest(message as Request, context, exchange);
      case "notification":
        handleNotification(message as JsonRpcNotification, exchange, this.#notificationHost);
        return this.#core.handle(message, context, exchange);
      case "response":
        this.#handleResponse(message as JsonRpcResponse, exchange); // Safe: the kind was checked
        return emptyResponse;
      default:
        return this.#core.handle(message, context, exchange);
    }
  }

  /** @internal returns true if the server has an extension */
  hasExtension(id: string): boolean {
    return this.#plan.extensions.some((extension) => extension.id === id);
  }

  /** @internal compiles a draft. @throws if it is invalid or its name is already in use on this server */
  assertUsable(kind: Kind, draft: Draft): void {
    const { name } = draft;
    const isTaken = this.#plan[kind].some((other) => other.name === name && !this.#served.has(other));
    if (isTaken) throw new Error(`${NOUNS[kind]} ${name} is already registered`);
    assertName(kind, name);
    draft.compile(this.#plan.settings);
  }

  /**
   * @internal marks the registrations as changed. Updates the core immediately if it has observers, or otherwise before
   * its next use.
   */
  refresh(): void {
    this.#isStale = true;
    if (this.#core.isObserved) this.#sync();
  }

  /** @internal passes an error that no caller receives to the application's `onerror`, or else to the log */
  report(error: unknown, operation: string, name?: string): void {
    const { hooks } = this.#parts;
    if (hooks.onerror === undefined) return this.#log.record(operation, error, name);
    try {
      hooks.onerror(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // Ignore errors in `onerror`: they cannot be reported.
    }
  }

  #handleResponse(response: JsonRpcResponse, exchange: Exchange | undefined): void {
    const { hooks } = this.#parts;
    if (hooks.takeResponse?.(response) === true || exchange?.connection.settle(response) === true) return;
    this.report(toUnexpected("Received a response for an unknown message ID", response, hooks), "response");
  }

  #handleRequest(message: Request, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    const { dialect, hooks } = this.#parts;
    const set = hooks.requestHandlers.get(message.method);
    const isUsed = set?.isLegacy !== true || isLegacy(message, exchange);
    const own = (isUsed ? set : undefined) ?? dialect.missing?.(message.method);
    return own === undefined
      ? this.handleBuiltIn(message, context, exchange)
      : this.#runOwn(own, message, exchange);
  }

  /** @internal handles a request as if the application had not set a handler for it */
  handleBuiltIn(message: Request, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    const { dialect, registrations } = this.#parts;
    const intercepted = dialect.intercept?.(message, exchange);
    if (intercepted !== undefined) return intercepted;
    if (dialect.isPlain(message.method, exchange)) return this.#core.handle(message, context, exchange);
    const request = dialect.prepare(message, exchange, registrations);
    const scope = new RequestScope(message, exchange);
    return this.requestScopes.run(scope, () =>
      andThen(this.#core.handle(request, context, exchange), (response) => this.#finish(scope, response)),
    );
  }

  #finish(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    scope.isOver = true;
    const { message, exchange } = scope;
    const { dialect, hooks, registrations } = this.#parts;
    const { fallbackRequestHandler: handler } = hooks;
    // As in the core, a bug causes an internal error instead of a missing reply.
    try {
      if (response.error === "METHOD_NOT_FOUND" && handler !== undefined) {
        return this.#runOwn({ schema: undefined, handler }, message, exchange);
      }
      const encoderOf = () => this.#encoders[scope.caller.revision];
      const conversion: Conversion = { encoderOf, lookup: registrations };
      const reply = dialect.convert(scope, response, conversion);
      return reply.error === undefined ? this.#complete(scope, reply) : reply;
    } catch (error) {
      this.report(error, message.method);
      return dialect.toErrorReply(scope, { code: INTERNAL_ERROR, message: "Internal error" });
    }
  }

  /** Adds data that the core does not have at build time: declared capabilities, and the results of list callbacks. */
  #complete(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    const { dialect, registrations } = this.#parts;
    const { method } = scope.message;
    if (method !== "resources/list" || registrations.listers.length === 0)
      return dialect.complete(scope, response);
    const result = resultOf(response);
    if (result["nextCursor"] !== undefined) return dialect.complete(scope, response);
    scope.isOver = false;
    const extra = dialect.argumentOf(scope) as McpExtra; // Safe: the dialect creates the argument that it declares
    const { listers } = registrations;
    const list = async () => dialect.complete(scope, await listAll(scope, result, { listers, extra }));
    return runTracked(scope, list, this.#failing);
  }

  /** Runs an application's request handler. */
  #runOwn(own: OwnHandler, message: Request, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    const refusal = refusalOf(message, exchange);
    if (refusal !== undefined) return refusal;
    const scope = new RequestScope(message, exchange);
    const task = async () => {
      const result = toOwnResult(message.method, await this.#parts.dialect.runOwn(own, scope));
      scope.isOver = true;
      if (this.#parts.dialect.tracksSubscriptions) trackSubscription(message, exchange);
      return resultResponse(message.id, this.#encoders[scope.caller.revision].custom(result));
    };
    return this.requestScopes.run(scope, () => runTracked(scope, task, this.#failing));
  }

  get #notificationHost() {
    const { hooks, dialect } = this.#parts;
    const report = (error: unknown, operation: string) => this.report(error, operation);
    return { hooks, dialect, requestScopes: this.requestScopes, report };
  }

  /** Settings for handling a failed task. */
  get #failing(): Failing {
    return { exposeErrors: this.exposeErrors, log: this.#log, reply: this.#parts.dialect.toErrorReply };
  }

  /** Updates the core before a message. Reports errors instead of throwing, so that the message gets a response. */
  #trySync(): void {
    try {
      this.#sync();
    } catch (error) {
      this.report(error, "registrations");
    }
  }

  #apply(change: (editor: PlanEditor) => unknown): void {
    let plan = this.#plan;
    this.#core.update((editor) => {
      change(editor);
      plan = editor.plan;
    });
    this.#plan = plan;
  }

  /** Replaces the facade's drafts in the core. Keeps the drafts added through `update`. */
  #sync(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { tools, resources, templates, prompts } = this.#parts.registrations.drafts;
    const foreign = <One>(items: readonly One[]) => items.filter((item) => !this.#served.has(item));
    this.#apply((editor) => {
      const { plan } = editor;
      editor.replace({
        tools: [...foreign(plan.tools), ...tools],
        resources: [...foreign(plan.resources), ...resources],
        templates: [...foreign(plan.templates), ...templates],
        prompts: [...foreign(plan.prompts), ...prompts],
      });
    });
    this.#served = new Set<unknown>([...tools, ...resources, ...templates, ...prompts]);
  }
}
