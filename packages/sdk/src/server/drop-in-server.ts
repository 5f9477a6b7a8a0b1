/**
 * @fileoverview The server behind the drop-ins: a core server with the official SDK's behavior.
 * @module sdk/server/drop-in-server
 */
import {
  type Exchange,
  type LogSink,
  type McpResponse,
  type PlanEditor,
  Server,
  type ServerDescription,
  type ServerOptions,
  type TagFilter,
} from "tenon";
import {
  type Connection,
  createServerParts,
  emptyResponse,
  type HostedServer,
  resultResponse,
} from "tenon/host";
import {
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcResponse,
  messageKind,
} from "tenon/protocol";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { McpExtra } from "../types.js";
import type { Dialect, Hooks, OwnHandler, Registrations } from "./dialect.js";
import { debounced, handleNotification, toUnexpected } from "./notifications.js";
import { assertName, assertSerializable, type Draft, type Kind, NOUNS } from "./registrations/registry.js";
import { FailureLog, INTERNAL_ERROR } from "./requests/errors.js";
import {
  type Failing,
  refusalOf,
  runTracked,
  toOwnResult,
  trackSubscription,
} from "./requests/own-methods.js";
import { type Request, RequestScope, RequestScopes } from "./requests/request-scope.js";
import { listAll, resultOf } from "./requests/responses.js";
import { isLegacy } from "./tasks/task-support.js";

/** Parts of a low-level server that the hosted server uses. */
interface DropInParts {
  readonly hooks: Hooks;
  readonly registrations: Registrations;
  readonly dialect: Dialect;
  /** Methods of notifications that are sent once per tick. */
  readonly debounced: readonly string[];
}

type Notify = NonNullable<Exchange["notify"]>;

/** An attached connection. The server can send messages over it at any time. */
export interface Attached {
  readonly connection: Connection;
  readonly notify: Notify;
}

/** A live server: registrations on its `McpServer` take effect immediately. Pass it to any function that serves it. */
export class DropInServer extends Server {
  /** @internal tracks the request that a running callback belongs to */
  readonly requestScopes = new RequestScopes(() => this.attached.size > 0);
  /** @internal connections over which the server can send messages at any time */
  readonly attached = new Set<Attached>();
  /** @internal true if clients may see the messages of unexpected errors */
  readonly exposeErrors: boolean;
  /** @internal handlers that the application has set */
  readonly hooks: Hooks;
  /** @internal behavior of this SDK version */
  readonly dialect: Dialect;
  readonly #registrations: Registrations;
  readonly #debounced: readonly string[];
  readonly #log: FailureLog;
  readonly #failing: Failing;
  /** The registrations' drafts in the current plan. All other drafts were added through `update`. */
  #served: ReadonlySet<unknown> = new Set();
  #isStale = false;

  /** @internal created by the low-level servers, which have checked the options */
  constructor(options: ServerOptions, parts: DropInParts) {
    super(...createServerParts(options));
    this.hooks = parts.hooks;
    this.dialect = parts.dialect;
    this.#registrations = parts.registrations;
    this.#debounced = parts.debounced;
    this.#log = new FailureLog(options.log);
    this.exposeErrors = options.exposeErrors ?? false;
    this.#failing = { exposeErrors: this.exposeErrors, log: this.#log, reply: parts.dialect.toErrorReply };
  }

  /** Returns a frozen description of the current registrations. */
  override describe(): ServerDescription {
    this.#sync();
    return super.describe();
  }

  /** Changes definitions that were not registered on the `McpServer`. If `change` throws, nothing changes. */
  override update(change: (editor: PlanEditor) => unknown): this {
    this.#sync();
    return super.update(change);
  }

  /** Returns a view of the server with the tools that match the filter. Other tools cannot be listed or called. */
  override view(filter: TagFilter): Server {
    this.#sync();
    return super.view(filter);
  }

  /** Sends change notifications to a connection until the returned function is called. */
  override attach(connection: Connection, notify: Notify): () => void {
    this.#trySync();
    const attached: Attached = { connection, notify: debounced(notify, this.#debounced) };
    this.attached.add(attached);
    const detach = super.attach(connection, attached.notify);
    return () => {
      this.attached.delete(attached);
      detach();
    };
  }

  /** Sets the log sink of a server without `log`. Transports pass a sink that writes to stderr. */
  override useLog(sink: LogSink): void {
    super.useLog(sink);
    this.#log.use(sink);
  }

  /** Functions for transports that run the server on several nodes. */
  override get operations(): NonNullable<HostedServer<unknown>["operations"]> {
    this.#sync();
    return super.operations;
  }

  /** Handles a message and returns the response. Never throws or rejects. */
  override handle(message: JsonRpcMessage, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    this.#trySync();
    switch (messageKind(message)) {
      case "request":
        return this.#handleRequest(message as Request, context, exchange);
      case "notification":
        handleNotification(message as JsonRpcNotification, exchange, this);
        return super.handle(message, context, exchange);
      case "response":
        this.#handleResponse(message as JsonRpcResponse, exchange); // Safe: the kind was checked
        return emptyResponse;
      default:
        return super.handle(message, context, exchange);
    }
  }

  /** @internal returns true if the server has an extension */
  hasExtension(id: string): boolean {
    return this.snapshot.plan.extensions.some((extension) => extension.id === id);
  }

  /** @internal checks a draft, and compiles it if necessary. @throws if it is invalid or its name is in use */
  assertUsable(kind: Kind, draft: Draft): void {
    const { name } = draft;
    const isTaken = this.snapshot.plan[kind].some((other) => other.name === name && !this.#served.has(other));
    if (isTaken) throw new Error(`${NOUNS[kind]} ${name} is already registered`);
    assertName(kind, name);
    if (draft.isChecked !== true) assertSerializable(kind, name, draft.compile(this.snapshot.plan.settings));
  }

  /**
   * @internal marks the registrations as changed. Updates the core immediately if it has observers, or otherwise before
   * its next use.
   */
  refresh(): void {
    this.#isStale = true;
    if (this.isObserved) this.#sync();
  }

  /** @internal passes an error that no caller receives to the application's `onerror`, or else to the log */
  override report(error: unknown, operation: string, name?: string): void {
    const { hooks } = this;
    if (hooks.onerror === undefined) return this.#log.record(operation, error, name);
    try {
      hooks.onerror(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // Ignore errors in `onerror`: they cannot be reported.
    }
  }

  #handleResponse(response: JsonRpcResponse, exchange: Exchange | undefined): void {
    const { hooks } = this;
    if (hooks.takeResponse?.(response) === true || exchange?.connection.settle(response) === true) return;
    this.report(toUnexpected("Received a response for an unknown message ID", response, hooks), "response");
  }

  #handleRequest(message: Request, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    const { dialect, hooks } = this;
    const set = hooks.requestHandlers.get(message.method);
    const isUsed = set?.isLegacy !== true || isLegacy(message, exchange);
    const own = (isUsed ? set : undefined) ?? dialect.missing?.(message.method);
    return own === undefined
      ? this.handleBuiltIn(message, context, exchange)
      : this.#runOwn(own, message, exchange);
  }

  /** @internal handles a request as if the application had not set a handler for it */
  handleBuiltIn(message: Request, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    const { dialect } = this;
    const intercepted = dialect.intercept?.(message, exchange);
    if (intercepted !== undefined) return intercepted;
    if (dialect.isPlain(message.method, exchange)) return super.handle(message, context, exchange);
    const request = dialect.prepare(message, exchange, this.#registrations);
    const scope = new RequestScope(message, exchange);
    return this.requestScopes.run(scope, () =>
      andThen(super.handle(request, context, exchange), (response) => this.#finish(scope, response)),
    );
  }

  #finish(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    scope.isOver = true;
    const { message, exchange } = scope;
    const { dialect } = this;
    const registrations = this.#registrations;
    const { fallbackRequestHandler: handler } = this.hooks;
    // As in the core, a bug causes an internal error instead of a missing reply.
    try {
      if (response.error === "METHOD_NOT_FOUND" && handler !== undefined) {
        return this.#runOwn({ schema: undefined, handler }, message, exchange);
      }
      const encoderOf = () => this.snapshot.encoderOf(scope.caller.revision);
      const reply = dialect.convert(scope, response, { encoderOf, registrations });
      return reply.error === undefined ? this.#complete(scope, reply) : reply;
    } catch (error) {
      this.report(error, message.method);
      return dialect.toErrorReply(scope, { code: INTERNAL_ERROR, message: "Internal error" });
    }
  }

  /** Adds data that the core does not have at build time: declared capabilities, and the results of list callbacks. */
  #complete(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    const { dialect } = this;
    if (scope.message.method !== "resources/list") return dialect.complete(scope, response);
    const { listers } = this.#registrations;
    if (listers.length === 0) return dialect.complete(scope, response);
    const result = resultOf(response);
    if (result["nextCursor"] !== undefined) return dialect.complete(scope, response);
    scope.isOver = false;
    const extra = dialect.argumentOf(scope) as McpExtra; // Safe: the dialect creates the argument that it declares
    const list = async () => dialect.complete(scope, await listAll(scope, result, { listers, extra }));
    return runTracked(scope, list, this.#failing);
  }

  /** Runs an application's request handler. */
  #runOwn(own: OwnHandler, message: Request, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    const refusal = refusalOf(message, exchange);
    if (refusal !== undefined) return refusal;
    const scope = new RequestScope(message, exchange);
    const task = async () => {
      const result = toOwnResult(message.method, await this.dialect.runOwn(own, scope));
      scope.isOver = true;
      if (this.dialect.tracksSubscriptions) trackSubscription(message, exchange);
      return resultResponse(message.id, this.snapshot.encoderOf(scope.caller.revision).custom(result));
    };
    return this.requestScopes.run(scope, () => runTracked(scope, task, this.#failing));
  }

  /** Updates the core before a message. Reports errors instead of throwing, so that the message gets a response. */
  #trySync(): void {
    try {
      this.#sync();
    } catch (error) {
      this.report(error, "registrations");
    }
  }

  /** Replaces the registrations' drafts. Keeps the drafts added through `update`. */
  #sync(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { tools, resources, templates, prompts } = this.#registrations.drafts;
    const foreign = <One>(items: readonly One[]) => items.filter((item) => !this.#served.has(item));
    super.update((editor) => {
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
