/**
 * @fileoverview The server behind `McpServer`: wraps a core server and adds the behavior of the official SDK.
 * @module sdk/mcp-server/facade-server
 */
import {
  defineServer,
  type ChangeListener,
  type Exchange,
  type McpResponse,
  type PlanEditor,
  type ResourceHandler,
  type Server,
  type ServerDescription,
  type ServerOptions,
  type TagFilter,
  type ToolHandler,
  type ToolMap,
} from "tenon";
import { type Connection, errorResponse, type HostedServer, type Plan, resultResponse } from "tenon/host";
import {
  byRevision,
  createEncoder,
  type Implementation,
  type JsonRpcMessage,
  type JsonRpcNotification,
  messageKind,
  projectDescribed,
  type ResultEncoder,
  type Revision,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { type Draft, type Kind, NOUNS } from "./registrations/registry.js";
import { parseWith } from "./registrations/schemas.js";
import type { Attached } from "./requests/attached.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { refusalOf, runTracked, UnreadableRequest } from "./requests/own-methods.js";
import { type Request, RequestScope, RequestScopes } from "./requests/request-scope.js";
import { type Lookup, resultOf, toSdkResponse, withDeclaredCapabilities } from "./requests/sdk-response.js";
import type { ListedResource, ListResourcesCallback, McpExtra, ResourceMetadata } from "./requests/types.js";

/** Registrations of an `McpServer`. */
export interface Registrations extends Lookup {
  /** Drafts of the enabled registrations. */
  readonly drafts: Drafts;
  /** Callbacks that list the resources of a template. */
  readonly listers: readonly { readonly list: ListResourcesCallback; readonly metadata: ResourceMetadata }[];
}

type Drafts = Pick<Plan, "tools" | "resources" | "templates" | "prompts">;

/** Parts of `McpServer` that its server reads. */
interface FacadeParts {
  readonly hooks: Hooks;
  readonly registrations: Registrations;
  extraOf(scope: RequestScope): McpExtra;
}

/**
 * A live server: registrations on its `McpServer` take effect immediately. Pass it to `serve`, `toFetch`,
 * `toNodeHandler` or `createClient`.
 */
export class FacadeServer implements HostedServer<unknown> {
  /** Carries the types of the tools, for `createClient`. */
  declare readonly types?: ToolMap;
  /** @internal finds the request of a running callback */
  readonly requestScopes = new RequestScopes();
  /** @internal connections that the server can send to at any time */
  readonly attached = new Set<Attached>();
  /** @internal true if the message of an unexpected error may be sent */
  readonly exposeErrors: boolean;
  readonly #core: Server;
  readonly #parts: FacadeParts;
  readonly #encoders: Readonly<Record<Revision, ResultEncoder>>;
  /** Drafts of the facade that the core serves now. Other drafts were added through `update`. */
  #served: ReadonlySet<unknown> = new Set();
  #plan: Plan;
  #isStale = false;

  /** @internal created by `McpServer` */
  constructor(options: ServerOptions, parts: FacadeParts) {
    const core = defineServer(options).build();
    this.#core = core;
    this.#parts = parts;
    this.#plan = readPlan(core);
    this.#encoders = byRevision((revision) => createEncoder(revision, core.info));
    this.exposeErrors = options.exposeErrors ?? false;
  }

  /** Name, version and other facts for clients. */
  get info(): Implementation {
    return this.#core.info;
  }

  /** Describes the current registrations as frozen data. */
  describe(): ServerDescription {
    this.#sync();
    return this.#core.describe();
  }

  /** Changes definitions other than the registrations. If the change throws, nothing changes. */
  update(change: (editor: PlanEditor) => unknown): this {
    this.#sync();
    this.#apply(change);
    return this;
  }

  /** Sets the handler of a tool that was declared as data. @throws if the tool does not exist */
  handleTool(name: string, handler: ToolHandler): this {
    this.#core.handleTool(name, handler);
    return this;
  }

  /** Sets the handler of a resource that was declared as data. @throws if the resource does not exist */
  handleResource(name: string, handler: ResourceHandler): this {
    this.#core.handleResource(name, handler);
    return this;
  }

  /** Returns a view of the server with some of the tools. Other tools are neither listed nor callable. */
  view(filter: TagFilter): Server {
    this.#sync();
    return this.#core.view(filter);
  }

  /** Sends changes to a connection until the returned function is called. */
  attach(connection: Connection, notify: NonNullable<Exchange["notify"]>): () => void {
    this.#trySync();
    const attached: Attached = { connection, notify };
    this.attached.add(attached);
    const detach = this.#core.attach(connection, notify);
    return () => {
      this.attached.delete(attached);
      detach();
    };
  }

  /** Calls the listener on every change until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    return this.#core.onChange(listener);
  }

  /** Notifies subscribed clients that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#core.resourceUpdated(uri);
  }

  /** Notifies every client that a list has changed. */
  notifyListChanged(kind: "tools" | "resources" | "prompts"): void {
    this.#core.notifyListChanged(kind);
  }

  /** Ends every open subscription. */
  close(): void {
    this.#core.close();
  }

  /** Answers one message. Never throws and never rejects. */
  handle(message: JsonRpcMessage, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    this.#trySync();
    switch (messageKind(message)) {
      case "request":
        return this.#handleRequest(message as Request, context, exchange);
      case "notification":
        this.#handleNotification(message as JsonRpcNotification, exchange);
        return this.#core.handle(message, context, exchange);
      default:
        return this.#core.handle(message, context, exchange);
    }
  }

  /** @internal compiles a draft. @throws if it is invalid or its name is taken on this server */
  assertUsable(kind: Kind, draft: Draft): void {
    const { name } = draft;
    const isTaken = this.#plan[kind].some((other) => other.name === name && !this.#served.has(other));
    if (isTaken) throw new Error(`${NOUNS[kind]} ${name} is already registered`);
    if (typeof name !== "string" || name === "" || name.length > 128 || /\p{Cc}/u.test(name)) {
      throw new Error("A name must have 1 to 128 characters and no control characters.");
    }
    draft.compile(this.#plan.settings);
  }

  /**
   * @internal marks the registrations as changed. Updates the core immediately if it is observed, otherwise on the next
   * use.
   */
  refresh(): void {
    this.#isStale = true;
    if (this.#core.isObserved) this.#sync();
  }

  /** @internal passes an error that no caller receives to the application's `onerror` */
  report(error: unknown): void {
    try {
      this.#parts.hooks.onerror?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // Errors of `onerror` itself are ignored.
    }
  }

  #handleRequest(
    message: Request,
    context: unknown,
    exchange: Exchange | undefined,
  ): MaybePromise<McpResponse> {
    const { hooks, registrations } = this.#parts;
    const own = hooks.requestHandlers.get(message.method);
    if (own !== undefined) return this.#runOwn(own, message, exchange);
    if (CORE_METHODS.has(message.method)) return this.#core.handle(message, context, exchange);
    const request = withPlainUri(message, exchange, registrations);
    const scope = new RequestScope(request, exchange);
    return this.requestScopes.run(scope, () =>
      andThen(this.#core.handle(request, context, exchange), (response) => this.#finish(scope, response)),
    );
  }

  #finish(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    scope.isOver = true;
    const { message, exchange } = scope;
    const { hooks, registrations } = this.#parts;
    const { fallbackRequestHandler: handler } = hooks;
    // As in the core: a bug becomes an internal error instead of a lost reply.
    try {
      if (response.error === "METHOD_NOT_FOUND" && handler !== undefined) {
        return this.#runOwn({ schema: undefined, handler }, message, exchange);
      }
      const encoderOf = () => this.#encoders[scope.caller.revision];
      const reply = toSdkResponse(scope, response, { encoderOf, lookup: registrations });
      return reply.error === undefined ? this.#complete(scope, reply) : reply;
    } catch (error) {
      this.report(error);
      return errorResponse(message.id, {
        error: "INTERNAL_ERROR",
        message: "Internal error",
        era: scope.era,
      });
    }
  }

  /**
   * Adds what the core does not know at build time: declared capabilities, and lists that are created for each request.
   */
  #complete(scope: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    const { method } = scope.message;
    const { hooks, registrations } = this.#parts;
    if (method === "initialize" || method === "server/discover") {
      return withDeclaredCapabilities(scope, response, hooks.capabilities);
    }
    if (method !== "resources/list" || registrations.listers.length === 0) return response;
    const result = resultOf(response);
    if (result["nextCursor"] !== undefined) return response;
    scope.isOver = false;
    return runTracked(scope, () => this.#listAll(scope, result), this.exposeErrors);
  }

  async #listAll(scope: RequestScope, result: JsonObject): Promise<McpResponse> {
    const { registrations } = this.#parts;
    const traits = TRAITS[scope.caller.revision];
    const extra = this.#parts.extraOf(scope);
    const resources = [...(result["resources"] as readonly JsonObject[])]; // created by the core
    for (const { list, metadata } of registrations.listers) {
      const listed = await list(extra);
      for (const resource of listed.resources) {
        const definition: ListedResource = { ...metadata, ...resource };
        resources.push(projectDescribed(definition, traits));
      }
    }
    scope.isOver = true;
    // A list that was created for one client must not be cached for others.
    const cache = traits.cacheHints ? { ttlMs: 0, cacheScope: "private" } : {};
    return resultResponse(scope.message.id, JSON.stringify({ ...result, resources, ...cache }));
  }

  /** Runs a request handler of the application. */
  #runOwn(own: OwnHandler, message: Request, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    const refusal = refusalOf(message, exchange);
    if (refusal !== undefined) return refusal;
    const scope = new RequestScope(message, exchange);
    const { id, method, params } = message;
    const task = async () => {
      const request = parseRequest(own.schema, { method, ...(params === undefined ? {} : { params }) });
      const result = await own.handler(request, this.#parts.extraOf(scope));
      scope.isOver = true;
      const encoder = this.#encoders[scope.caller.revision];
      return resultResponse(id, encoder.custom(isJsonObject(result) ? result : {}));
    };
    return this.requestScopes.run(scope, () => runTracked(scope, task, this.exposeErrors));
  }

  #handleNotification(message: JsonRpcNotification, exchange: Exchange | undefined): void {
    const { hooks } = this.#parts;
    const { method, params } = message;
    const scope = new RequestScope({ ...message, id: "" }, exchange);
    const run = async () => {
      const own = hooks.notificationHandlers.get(method);
      if (own !== undefined) {
        const notification = parseWith(own.schema, { method, ...(params === undefined ? {} : { params }) });
        await own.handler(notification, this.#parts.extraOf(scope));
      } else if (method === "notifications/initialized") hooks.oninitialized?.();
      else if (!CORE_NOTIFICATIONS.includes(method)) {
        await hooks.fallbackNotificationHandler?.({ method, params });
      }
    };
    // Runs after the core has handled the notification, because a handler may rely on its effect.
    void Promise.resolve()
      .then(() => this.requestScopes.run(scope, run))
      .catch((error: unknown) => this.report(error));
  }

  /** Updates the core before a message. Reports an error instead of throwing, so that the message gets its reply. */
  #trySync(): void {
    try {
      this.#sync();
    } catch (error) {
      this.report(error);
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

  /** Replaces the drafts of the facade in the core, and keeps those that were added through `update`. */
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

/** Methods that run no application code and whose replies equal those of the official SDK. */
const CORE_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ping",
  "logging/setLevel",
  "tools/list",
  "prompts/list",
  "resources/templates/list",
]);

/** Notifications that the core handles. They never reach a fallback handler. */
const CORE_NOTIFICATIONS: readonly string[] = ["notifications/cancelled"];

/**
 * Normalizes the URI of a resource that is read, unless it is registered as written. In the stateless era, headers
 * repeat the URI, so it is not changed.
 */
function withPlainUri(
  message: Request,
  exchange: Exchange | undefined,
  registrations: Registrations,
): Request {
  const { method, params } = message;
  if (method !== "resources/read" || exchange?.connection.era !== "legacy") return message;
  const uri = params?.["uri"];
  if (typeof uri !== "string" || registrations.hasResource(uri) || !URL.canParse(uri)) return message;
  return { ...message, params: { ...params, uri: new URL(uri).href } };
}

function parseRequest(schema: unknown, message: object): unknown {
  try {
    return parseWith(schema, message);
  } catch (error) {
    throw new UnreadableRequest(error);
  }
}

/** Reads the plan of a core server, which only updates can access. */
function readPlan(core: Server): Plan {
  const plans: Plan[] = [];
  core.update((editor) => plans.push(editor.plan));
  const [plan] = plans;
  if (plan === undefined) throw new Error("Server.update did not call its argument.");
  return plan;
}
