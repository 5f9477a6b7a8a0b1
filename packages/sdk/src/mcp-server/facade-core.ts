/**
 * @fileoverview The server behind the facade: ours, with what the official SDK's server does besides.
 * @module app/mcp-server/facade-core
 */
import type { ChangeFeed } from "tenon/host";
import type { Connection } from "tenon/host";
import { defineServer } from "tenon";
import type { Exchange } from "tenon";
import type { ServerOptions } from "tenon";
import type { Plan } from "tenon/host";
import type { PlanEditor } from "tenon";
import { errorResponse, resultResponse } from "tenon/host";
import { type McpResponse } from "tenon";
import { createServices } from "tenon/host";
import { CoreServer as Server } from "tenon/host";
import type { ServerDescription } from "tenon";
import type { TagFilter } from "tenon";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  byRevision,
  createEncoder,
  type JsonRpcMessage,
  type JsonRpcNotification,
  messageKind,
  projectDescribed,
  type ResultEncoder,
  type Revision,
  TRAITS,
} from "tenon/protocol";
import { inSdkWords, type Lookup } from "./requests/answers.js";
import type { Hooks, OwnHandler } from "./requests/hooks.js";
import { refusalOf, runTracked, UnreadableRequest } from "./requests/own-methods.js";
import { parseWith } from "./registrations/schemas.js";
import { type Draft, type Kind, NOUNS } from "./registrations/registry.js";
import type { ListedResource, ListResourcesCallback, McpExtra, ResourceMetadata } from "./requests/types.js";
import { type Request, RequestScope, RequestScopes } from "./requests/request-scope.js";

/** What is registered on the facade. */
export interface Registrations extends Lookup {
  /** What is shown. */
  readonly drafts: Drafts;
  /** The callbacks that list families of resources. */
  readonly listers: readonly { readonly list: ListResourcesCallback; readonly metadata: ResourceMetadata }[];
}

type Drafts = Pick<Plan, "tools" | "resources" | "templates" | "prompts">;

/** A connection that can be sent to at any time. */
export interface Attached {
  readonly connection: Connection;
  readonly notify: NonNullable<Exchange["notify"]>;
}

/** What the core needs of the facade around it. */
interface Facade {
  readonly hooks: Hooks;
  readonly registered: Registrations;
  extraOf(visit: RequestScope): McpExtra;
}

/** Our server with the ways of the official SDK's. */
export class FacadeCore extends Server {
  readonly visits = new RequestScopes();
  readonly attached = new Set<Attached>();
  readonly exposes: boolean;
  readonly #changes: ChangeFeed;
  readonly #facade: Facade;
  readonly #encoders: Readonly<Record<Revision, ResultEncoder>>;
  #shown: ReadonlySet<unknown> = new Set();
  #plan: Plan;
  #isStale = false;

  constructor(options: ServerOptions, facade: Facade) {
    const services = createServices(options);
    const plan = emptyPlan(options);
    super(plan, services);
    this.#changes = services.changes;
    this.#facade = facade;
    this.#plan = plan;
    this.#encoders = byRevision((revision) => createEncoder(revision, plan.info));
    this.exposes = options.exposeErrors ?? false;
  }

  /** Compiles a draft, for what is wrong with it. What others have put on this server keeps its name. */
  vet(kind: Kind, draft: Draft): void {
    const { name } = draft;
    const foreign = this.#plan[kind].some((other) => other.name === name && !this.#shown.has(other));
    if (foreign) throw new Error(`${NOUNS[kind]} ${name} is already registered`);
    if (typeof name !== "string" || name === "" || name.length > 128 || /\p{Cc}/u.test(name)) {
      throw new Error("A name must have 1 to 128 characters, none of them a control character");
    }
    draft.compile(this.#plan.settings);
  }

  /** Notes that something else is to be shown. Without anyone who listens, that waits until it is asked for. */
  refresh(): void {
    this.#isStale = true;
    if (this.#changes.size > 0) this.#sync();
  }

  /** Tells every client that a list has changed. */
  publish(kind: "tools" | "resources" | "prompts"): void {
    this.#changes.publish({ kind });
  }

  override describe(): ServerDescription {
    this.#sync();
    return super.describe();
  }

  override update(change: (editor: PlanEditor) => unknown): this {
    this.#sync();
    return this.#apply(change);
  }

  override view(filter: TagFilter): Server {
    this.#sync();
    return super.view(filter);
  }

  override attach(connection: Connection, notify: NonNullable<Exchange["notify"]>): () => void {
    this.#catchUp();
    const one: Attached = { connection, notify };
    this.attached.add(one);
    const detach = super.attach(connection, notify);
    return () => {
      this.attached.delete(one);
      detach();
    };
  }

  override handle(message: JsonRpcMessage, context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    this.#catchUp();
    switch (messageKind(message)) {
      case "request":
        return this.#answer(message as Request, context, exchange);
      case "notification":
        this.#hear(message as JsonRpcNotification, exchange);
        return super.handle(message, context, exchange);
      default:
        return super.handle(message, context, exchange);
    }
  }

  #answer(message: Request, context: unknown, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    const { hooks, registered } = this.#facade;
    const own = hooks.requestHandlers.get(message.method);
    if (own !== undefined) return this.#runOwn(own, message, exchange);
    if (PLAIN.has(message.method)) return super.handle(message, context, exchange);
    const asked = withPlainUri(message, exchange, registered);
    const visit = new RequestScope(asked, exchange);
    return this.visits.run(visit, () =>
      andThen(super.handle(asked, context, exchange), (response) => this.#finish(visit, response)),
    );
  }

  #finish(visit: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    visit.isOver = true;
    const { message, exchange } = visit;
    const { fallbackRequestHandler: handler } = this.#facade.hooks;
    // The last net, as in the core: a defect of ours is an internal error, not a lost reply.
    try {
      if (response.error === "METHOD_NOT_FOUND" && handler !== undefined) {
        return this.#runOwn({ schema: undefined, handler }, message, exchange);
      }
      const encoderOf = () => this.#encoders[visit.caller.revision];
      const answer = inSdkWords(visit, response, encoderOf, this.#facade.registered);
      return answer.error === undefined ? this.#complete(visit, answer) : answer;
    } catch (error) {
      this.report(error);
      return errorResponse(message.id, {
        error: "INTERNAL_ERROR",
        message: "Internal error",
        era: visit.era,
      });
    }
  }

  /** What the core cannot know at build: capabilities that were only declared, and lists that are made when asked for. */
  #complete(visit: RequestScope, response: McpResponse): MaybePromise<McpResponse> {
    const { method } = visit.message;
    const { hooks, registered } = this.#facade;
    if (method === "initialize" || method === "server/discover") {
      return Object.keys(hooks.capabilities).length === 0
        ? response
        : declare(visit, response, hooks.capabilities);
    }
    if (method !== "resources/list" || registered.listers.length === 0) return response;
    const result = resultOf(response);
    if (result["nextCursor"] !== undefined) return response;
    visit.isOver = false;
    return runTracked(visit, () => this.#listAll(visit, result), this.exposes);
  }

  async #listAll(visit: RequestScope, result: JsonObject): Promise<McpResponse> {
    const { registered } = this.#facade;
    const traits = TRAITS[visit.caller.revision];
    const extra = this.#facade.extraOf(visit);
    const resources = [...(result["resources"] as readonly JsonObject[])]; // the core's own list
    for (const { list, metadata } of registered.listers) {
      const listed = await list(extra);
      for (const one of listed.resources) {
        const definition: ListedResource = { ...metadata, ...one };
        resources.push(projectDescribed(definition, traits));
      }
    }
    visit.isOver = true;
    // What is made for one client on request is kept by nobody.
    const cache = traits.stateless ? { ttlMs: 0, cacheScope: "private" } : {};
    return resultResponse(visit.message.id, JSON.stringify({ ...result, resources, ...cache }));
  }

  #runOwn(own: OwnHandler, message: Request, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    const refusal = refusalOf(message, exchange);
    if (refusal !== undefined) return refusal;
    const visit = new RequestScope(message, exchange);
    const { id, method, params } = message;
    const task = async () => {
      const request = read(own.schema, { method, ...(params === undefined ? {} : { params }) });
      const result = await own.handler(request, this.#facade.extraOf(visit));
      visit.isOver = true;
      const encoder = this.#encoders[visit.caller.revision];
      return resultResponse(id, encoder.custom(isJsonObject(result) ? result : {}));
    };
    return this.visits.run(visit, () => runTracked(visit, task, this.exposes));
  }

  #hear(message: JsonRpcNotification, exchange: Exchange | undefined): void {
    const { hooks } = this.#facade;
    const { method, params } = message;
    const visit = new RequestScope({ ...message, id: "" }, exchange);
    const hear = async () => {
      const own = hooks.notificationHandlers.get(method);
      if (own !== undefined) {
        const read = parseWith(own.schema, { method, ...(params === undefined ? {} : { params }) });
        await own.handler(read, this.#facade.extraOf(visit));
      } else if (method === "notifications/initialized") hooks.oninitialized?.();
      else if (!HEARD_BY_CORE.includes(method)) await hooks.fallbackNotificationHandler?.({ method, params });
    };
    // Not before the core has taken it: what comes next may rely on it.
    void Promise.resolve()
      .then(() => this.visits.run(visit, hear))
      .catch((error: unknown) => this.report(error));
  }

  /** Tells the application's listener of an error that has nobody else to go to. */
  report(error: unknown): void {
    try {
      this.#facade.hooks.onerror?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // There is nobody left to tell.
    }
  }

  /** The same for a message: whatever is wrong with a registration, it gets its answer. */
  #catchUp(): void {
    try {
      this.#sync();
    } catch (error) {
      this.report(error);
    }
  }

  #apply(change: (editor: PlanEditor) => unknown): this {
    let plan = this.#plan;
    super.update((editor) => {
      change(editor);
      plan = editor.plan;
    });
    this.#plan = plan;
    return this;
  }

  /** Puts what is registered in place of what was, among what others have put on this server. */
  #sync(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { tools, resources, templates, prompts } = this.#facade.registered.drafts;
    const foreign = <One>(items: readonly One[]) => items.filter((item) => !this.#shown.has(item));
    this.#apply((editor) => {
      const { plan } = editor;
      editor.replace({
        tools: [...foreign(plan.tools), ...tools],
        resources: [...foreign(plan.resources), ...resources],
        templates: [...foreign(plan.templates), ...templates],
        prompts: [...foreign(plan.prompts), ...prompts],
      });
    });
    this.#shown = new Set<unknown>([...tools, ...resources, ...templates, ...prompts]);
  }
}

/** Methods that run nothing of the application's, and are answered in the same words everywhere. */
const PLAIN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ping",
  "logging/setLevel",
  "tools/list",
  "prompts/list",
  "resources/templates/list",
]);

const HEARD_BY_CORE: readonly string[] = ["notifications/cancelled"];

/** A resource that is read by another spelling of its URI. In the stateless era headers repeat it, and it must stand. */
function withPlainUri(message: Request, exchange: Exchange | undefined, registered: Registrations): Request {
  const { method, params } = message;
  if (method !== "resources/read" || exchange?.connection.era !== "legacy") return message;
  const uri = params?.["uri"];
  if (typeof uri !== "string" || registered.hasResource(uri) || !URL.canParse(uri)) return message;
  return { ...message, params: { ...params, uri: new URL(uri).href } };
}

function read(schema: unknown, message: object): unknown {
  try {
    return parseWith(schema, message);
  } catch (error) {
    throw new UnreadableRequest(error);
  }
}

/** The core makes plans in its builder only. */
function emptyPlan(options: ServerOptions): Plan {
  const plans: Plan[] = [];
  defineServer(options)
    .build()
    .update((editor) => plans.push(editor.plan));
  const [plan] = plans;
  if (plan === undefined) throw new Error("a builder without a plan");
  return plan;
}

function resultOf(response: McpResponse): JsonObject {
  const reply: unknown = response.isEmpty() ? undefined : JSON.parse(response.toText());
  const result = isJsonObject(reply) ? reply["result"] : undefined;
  return isJsonObject(result) ? result : {};
}

/** Adds what was declared to what is there; what is there knows better what it can do. */
function declare(visit: RequestScope, response: McpResponse, declared: JsonObject): McpResponse {
  const result = resultOf(response);
  const found = isJsonObject(result["capabilities"]) ? result["capabilities"] : {};
  const pushes = visit.exchange?.connection.pushes !== false;
  const added = Object.entries(declared)
    .filter(([name]) => !Object.hasOwn(found, name))
    .map(([name, value]) => [name, pushes || !isJsonObject(value) ? value : withoutPushes(value)] as const);
  if (added.length === 0) return response;
  const capabilities = { ...found, ...Object.fromEntries(added) };
  return resultResponse(visit.message.id, JSON.stringify({ ...result, capabilities }));
}

function withoutPushes({ listChanged: _, subscribe: __, ...rest }: JsonObject): JsonObject {
  return rest;
}
