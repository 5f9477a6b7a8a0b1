/**
 * @fileoverview The server, a stable handle on an immutable snapshot, and the builder that makes it. One file holds both
 * because `Server.builder()` refers to the builder, and `build()` to the server.
 * @module core/server
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Implementation, JsonRpcMessage, McpToolDefinition } from "../protocol/index.js";
import type { OutputOf, Schema } from "../schema/schema.js";
import type { Middleware } from "./call/middleware.js";
import type { ChangeListener } from "./wire/changes.js";
import type { Connection } from "./wire/connection.js";
import { Dispatcher } from "./methods/dispatch.js";
import type { Exchange } from "./wire/exchange.js";
import type { HostedServer, ToolMap } from "./wire/hosted-server.js";
import type { ResourceHandler, SlottedResource, SlottedTool, ToolHandler } from "./definitions/handlers.js";
import type { Services } from "./call/incoming.js";
import { findByUri } from "./methods/read-resource.js";
import { attachConnection } from "./methods/subscriptions.js";
import type { ServerOptions } from "./definitions/options.js";
import type { Extension } from "./definitions/extension.js";
import type { DefinitionSource, Resource, Tool } from "./definitions/json-definitions.js";
import { createPlan, type DefinitionOptions, type Plan, PlanEditor } from "./definitions/plan.js";
import type { PromptArguments, PromptSpec } from "./definitions/prompt.js";
import type { ResourceSpec, ResourceTemplateSpec } from "./definitions/resource.js";
import type { ToolInput, ToolSource, ToolSpec } from "./definitions/tool.js";
import { createServices } from "./services.js";
import type { McpResponse } from "./wire/response.js";
import { describeServer, type ServerDescription } from "./snapshot/server-description.js";
import { createSnapshot, type Snapshot } from "./snapshot/snapshot.js";
import { isShown, type TagFilter } from "./snapshot/tag-filter.js";

/** The types of one tool, for clients that know it. */
export interface ToolTypes<In, Out> {
  readonly input: ToolInput<In>;
  readonly output: Out extends Schema ? OutputOf<Out> : unknown;
}

/** No tools yet. */
export type NoTools = Record<never, never>;

/** A built server. */
export class Server<Context = unknown, Tools extends ToolMap = ToolMap> implements HostedServer<
  Context,
  Tools
> {
  /** Carries the types of the tools, for `createClient`. */
  declare readonly types: Tools;
  readonly #services: Services;
  readonly #views: { readonly view: Server<Context, Tools>; readonly filter: TagFilter }[] = [];
  #snapshot: Snapshot;
  #dispatcher: Dispatcher;

  /** @internal made by the builder, and by `view` */
  constructor(plan: Plan, services: Services) {
    this.#services = services;
    this.#snapshot = createSnapshot(plan);
    this.#dispatcher = new Dispatcher(this.#snapshot, services);
  }

  /** Creates a builder without a name yet; `serverInfo` gives it one. */
  static builder<Context = unknown>(): ServerBuilder<Context> {
    return new ServerBuilder<Context>();
  }

  /** Name, version and other facts that clients are shown. */
  get info(): Implementation {
    return this.#snapshot.plan.info;
  }

  /** What is served now, as frozen data, for those who list or document it. */
  describe(): ServerDescription {
    return describeServer(this.#snapshot);
  }

  /**
   * Answers one message. There is always an answer: it never throws and never rejects. Await it: what is known at
   * once comes at once, the rest as a promise.
   *
   * @param context the application's own value, handed to the handler untouched
   * @param exchange the wire's side; without one the message stands alone
   */
  handle(message: JsonRpcMessage, context: Context, exchange?: Exchange): MaybePromise<McpResponse> {
    return this.#dispatcher.dispatch(message, context, exchange);
  }

  /** Gives a tool that was declared as data its handler. @throws where there is no such tool */
  handleTool(name: string, handler: ToolHandler<Context>): this {
    const draft = this.#snapshot.plan.tools.find(
      (tool): tool is SlottedTool => tool.name === name && "slot" in tool,
    );
    if (draft === undefined) throw new Error(`There is no tool "${name}" that waits for a handler`);
    draft.slot.handler = handler;
    return this;
  }

  /** Gives a resource that was declared as data its handler. @throws where there is no such resource */
  handleResource(name: string, handler: ResourceHandler<Context>): this {
    const draft = this.#snapshot.plan.resources.find(
      (resource): resource is SlottedResource => resource.name === name && "slot" in resource,
    );
    if (draft === undefined) throw new Error(`There is no resource "${name}" that waits for a handler`);
    draft.slot.handler = handler;
    return this;
  }

  /**
   * Changes what is served. The next snapshot is built as a whole and then put in place: calls under way end on the
   * old one, and clients hear of lists that changed. If the change throws, nothing changed.
   */
  update(change: (editor: PlanEditor<Context>) => unknown): this {
    const before = this.#snapshot.plan;
    const editor = new PlanEditor<Context>(before);
    change(editor);
    this.#replace(editor.plan);
    const { changes } = this.#services;
    const { plan } = this.#snapshot;
    if (!sameItems(before.tools, plan.tools)) changes.publish({ kind: "tools" });
    if (!sameItems(before.resources, plan.resources) || !sameItems(before.templates, plan.templates)) {
      changes.publish({ kind: "resources" });
    }
    if (!sameItems(before.prompts, plan.prompts)) changes.publish({ kind: "prompts" });
    return this;
  }

  /** Tells clients that asked for it that a resource has changed. */
  resourceUpdated(uri: string): void {
    const { scopes = [] } = findByUri(this.#snapshot, uri)?.entry ?? {};
    this.#services.changes.publish({ kind: "resource", uri, ...(scopes.length > 0 ? { scopes } : {}) });
  }

  /** True while a connection or listener is subscribed to changes. */
  get isObserved(): boolean {
    return this.#services.changes.size > 0;
  }

  /** Tells clients that a list has changed, for lists that depend on more than the definitions. */
  notifyListChanged(kind: "tools" | "resources" | "prompts"): void {
    this.#services.changes.publish({ kind });
  }

  /** Hears of every change, until the function returned is called. */
  onChange(listener: ChangeListener): () => void {
    return this.#services.changes.subscribe(listener);
  }

  /** Lets a wire that can send at any time tell its client of changes, until the function returned is called. */
  attach(connection: Connection, notify: NonNullable<Exchange["notify"]>): () => void {
    return attachConnection(this.#services.changes, connection, notify);
  }

  /** The same server with some tools only: the others are neither listed nor callable. It follows every update. */
  view(filter: TagFilter): Server<Context, Tools> {
    const view = new Server<Context, Tools>(filterPlan(this.#snapshot, filter), this.#services);
    this.#views.push({ view, filter });
    return view;
  }

  /** Ends every open subscription in good order. */
  close(): void {
    this.#services.closing.close();
  }

  #replace(plan: Plan): void {
    const snapshot = createSnapshot(plan);
    this.#snapshot = snapshot;
    this.#dispatcher = new Dispatcher(snapshot, this.#services);
    for (const { view, filter } of this.#views) view.#replace(filterPlan(snapshot, filter));
  }
}

/** Builds a server. Every method adds to the same builder and returns it, with the new tool in its type. */
export class ServerBuilder<Context = unknown, Tools extends ToolMap = NoTools> {
  readonly #options: ServerOptions;
  readonly #editor: PlanEditor<Context>;

  constructor(options: ServerOptions = DEFAULT_INFO) {
    this.#options = options;
    this.#editor = new PlanEditor<Context>(createPlan(options));
  }

  /** Names the server. */
  serverInfo(name: string, version: string): this {
    this.#editor.set({ info: { ...this.#editor.plan.info, name, version } });
    return this;
  }

  /** Tells the model what to know before it uses the tools. */
  instructions(instructions: string): this {
    this.#editor.set({ instructions });
    return this;
  }

  /** Adds middleware around every operation, whenever it was or will be added. */
  use(...layers: readonly Middleware<Context>[]): this {
    this.#editor.use(...layers);
    return this;
  }

  /** Adds a tool in code. Its arguments and result are typed by its schemas. */
  tool<
    const Name extends string,
    In extends Schema | undefined = undefined,
    Out extends Schema | undefined = undefined,
  >(
    name: Name,
    spec: ToolSpec<Context, In, Out>,
  ): ServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>> {
    this.#editor.tool(name, spec);
    // The same builder, which knows one tool more from here on.
    return this as unknown as ServerBuilder<Context, Tools & Record<Name, ToolTypes<In, Out>>>;
  }

  /** Adds tools from definitions, or from anything that can make them. Their names are not known by type. */
  tools(
    source: ToolSource | readonly (Tool | McpToolDefinition)[],
    options?: DefinitionOptions,
  ): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.tools(source, options);
    return this;
  }

  /** Adds tools from JSON; handlers follow with `server.handleTool`. */
  toolsJson(source: DefinitionSource, options?: DefinitionOptions): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.toolsJson(source, options);
    return this;
  }

  /** Adds a resource in code. */
  resource(name: string, spec: ResourceSpec<Context>): this {
    this.#editor.resource(name, spec);
    return this;
  }

  /** Adds a family of resources. The handler's variables are typed by the template. */
  resourceTemplate<const Template extends string>(
    name: string,
    spec: ResourceTemplateSpec<Context, Template>,
  ): this {
    this.#editor.resourceTemplate(name, spec);
    return this;
  }

  /** Adds resources from definitions; handlers follow with `server.handleResource`. */
  resources(list: readonly Resource[], options?: DefinitionOptions): this {
    this.#editor.resources(list, options);
    return this;
  }

  /** Adds resources from JSON; handlers follow with `server.handleResource`. */
  resourcesJson(source: DefinitionSource, options?: DefinitionOptions): this {
    this.#editor.resourcesJson(source, options);
    return this;
  }

  /** Adds a prompt. The handler's arguments are typed by what it declares. */
  prompt<const Args extends PromptArguments | undefined = undefined>(
    name: string,
    spec: PromptSpec<Context, Args>,
  ): this {
    this.#editor.prompt(name, spec);
    return this;
  }

  /**
   * Hands the builder to a function that adds to it: a server in several files reads in order.
   *
   * @example defineServer(info).with(addNotes).with(addSearch)
   */
  with<Result>(add: (builder: this) => Result): Result {
    return add(this);
  }

  /** Adds an extension. */
  extension(extension: Extension): this {
    this.#editor.extension(extension);
    return this;
  }

  /** Compiles everything. @throws naming the definition that is wrong, and where */
  build(): Server<Context, Tools> {
    return new Server<Context, Tools>(this.#editor.plan, createServices(this.#options));
  }
}

const DEFAULT_INFO: ServerOptions = { name: "mcpserver", version: "1.0.0" };

function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((item, index) => item === after[index]);
}

function filterPlan({ plan, tools }: Snapshot, filter: TagFilter): Plan {
  return { ...plan, tools: plan.tools.filter(({ name }) => isShown(tools.get(name)?.tags ?? [], filter)) };
}
