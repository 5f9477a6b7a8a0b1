/**
 * @fileoverview The server and its builder. They share a file because each refers to the other: `Server.builder()`
 * creates a builder, and `build()` creates a server.
 * @module tenon/core/server
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { parseOptions } from "@tenon/internal/options/define-options";
import type { Implementation, JsonRpcMessage, McpToolDefinition } from "../protocol/index.js";
import type { Schema } from "../schema/schema.js";
import type { Middleware } from "./call/middleware.js";
import type { ChangeListener, NotifyChange } from "./wire/changes.js";
import type { ClusterLink, RecordSealer } from "./wire/cluster-link.js";
import type { Connection } from "./wire/connection.js";
import { Dispatcher } from "./methods/dispatch.js";
import type { Exchange } from "./wire/exchange.js";
import type { HostedServer, ServerOperations, ToolMap } from "./wire/hosted-server.js";
import {
  attachResourceHandler,
  attachToolHandler,
  type HandleToolOptions,
  type NotAFunction,
  type ResourceFunction,
  type ResourceHandler,
  type SlottedResource,
  type SlottedTool,
  type ToolFunction,
  type ToolHandler,
  withNewSlots,
} from "./definitions/handlers.js";
import type { Services } from "./call/incoming.js";
import { findByUri } from "./methods/read-resource.js";
import { attachConnection } from "./methods/subscriptions.js";
import { SERVER_OPTIONS, type ServerOptions, type ServerSettings } from "./definitions/options.js";
import { Attachments } from "./definitions/attached-extension.js";
import type { Extension } from "./definitions/extension.js";
import type { DefinitionSource, Resource, Tool } from "./definitions/json-definitions.js";
import { createPlan, type DefinitionOptions, editPlan, type Plan, PlanEditor } from "./definitions/plan.js";
import type { PromptArguments, PromptSpec } from "./definitions/prompt.js";
import type { ResourceSpec, ResourceTemplateSpec } from "./definitions/resource.js";
import type { ToolSource, ToolSpec } from "./definitions/tool.js";
import { readOperations } from "./operations.js";
import { createServices, toQuietSink } from "./services.js";
import type { AddedTool, NoTools, WithTools } from "./tool-types.js";
import type { LogSink } from "./wire/log.js";
import type { McpResponse } from "./wire/response.js";
import { changedLists } from "./snapshot/changed-lists.js";
import { describeServer, type ServerDescription } from "./snapshot/server-description.js";
import { createSnapshot, type Snapshot } from "./snapshot/snapshot.js";
import { filterPlan, type TagFilter } from "./snapshot/tag-filter.js";

/** Server with an immutable snapshot of its definitions. An update replaces the snapshot. */
export class Server<Context = unknown, Tools extends ToolMap = ToolMap> implements HostedServer<
  Context,
  Tools
> {
  /** Tool types for `createClient`. This member exists only at the type level. */
  declare readonly types: Tools;
  readonly #services: Services;
  readonly #views: { readonly view: Server<Context, Tools>; readonly filter: TagFilter }[] = [];
  readonly #attachments: Attachments;
  #snapshot: Snapshot;
  #dispatcher: Dispatcher;

  /** @internal created by the builder and by `view` */
  constructor(plan: Plan, services: Services, attachments = new Attachments()) {
    this.#services = services;
    this.#attachments = attachments;
    attachments.connect({
      name: plan.info.name,
      services,
      findTool: (name) => this.#snapshot.tools.get(name),
      encoderOf: (revision) => this.#snapshot.encoderOf(revision),
    });
    this.#snapshot = createSnapshot(plan, attachments, services.handlerObserver);
    this.#dispatcher = new Dispatcher(this.#snapshot, services);
  }

  /** Creates a builder with a default name and version. Set them with `serverInfo`. */
  static builder<Context = unknown>(): ServerBuilder<Context> {
    return new ServerBuilder<Context>();
  }

  /** Name, version, and other information that clients receive when they connect. */
  get info(): Implementation {
    return this.#snapshot.plan.info;
  }

  /** @internal current definitions, and what was prepared from them */
  protected get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Describes the current definitions as frozen data. */
  describe(): ServerDescription {
    return describeServer(this.#snapshot);
  }

  /**
   * Handles one message. Never throws or rejects. Returns the response synchronously if the handler is synchronous, and
   * a promise otherwise.
   * @param context application value that is passed to the handler unchanged
   * @param exchange connection and functions from the transport; omit it to handle a message without a connection
   */
  handle(message: JsonRpcMessage, context: Context, exchange?: Exchange): MaybePromise<McpResponse> {
    return this.#dispatcher.dispatch(message, context, exchange);
  }

  /**
   * Attaches the handler for a declared tool. A function receives the arguments and the call. An object's `call` method
   * receives the arguments and the context.
   * @throws if the tool does not have a JSON definition, or has a `task` option and the server has no `tasks()`
   */
  handleTool(name: string, handler: ToolFunction<Context>, options?: HandleToolOptions<Context>): this;
  handleTool(
    name: string,
    handler: ToolHandler<Context> & NotAFunction,
    options?: HandleToolOptions<Context>,
  ): this;
  handleTool(
    name: string,
    handler: ToolHandler<Context> | ToolFunction<Context>,
    options?: HandleToolOptions<Context>,
  ): this {
    const { plan } = this.#snapshot;
    const draft = plan.tools.find((tool): tool is SlottedTool => tool.name === name && "slot" in tool);
    if (draft === undefined)
      throw new Error(
        `Tool "${name}" is not defined in JSON. ` +
          "Define it with `tools` or `toolsJson` before you attach a handler.",
      );
    const { slot } = draft;
    const { handler: earlier } = slot;
    const changed = attachToolHandler(draft, handler, options);
    if (changed === draft) return this;
    try {
      this.#replace({ ...plan, tools: plan.tools.map((tool) => (tool === draft ? changed : tool)) });
    } catch (error) {
      slot.handler = earlier;
      throw error;
    }
    return this;
  }

  /**
   * Attaches the handler for a declared resource. A function receives the URI and the call. An object's `call` method
   * receives the URI and the context. @throws if the resource does not have a JSON definition
   */
  handleResource(name: string, handler: ResourceFunction<Context>): this;
  handleResource(name: string, handler: ResourceHandler<Context> & NotAFunction): this;
  handleResource(name: string, handler: ResourceHandler<Context> | ResourceFunction<Context>): this {
    const draft = this.#snapshot.plan.resources.find(
      (resource): resource is SlottedResource => resource.name === name && "slot" in resource,
    );
    if (draft === undefined)
      throw new Error(
        `Resource "${name}" is not defined in JSON. ` +
          "Define it with `resources` or `resourcesJson` before you attach a handler.",
      );
    attachResourceHandler(draft, handler);
    return this;
  }

  /**
   * Changes the definitions and notifies clients of the lists that changed. If `change` throws or a definition is
   * invalid, the server keeps its current definitions. Calls in flight finish with the definitions they started with.
   */
  update(change: (editor: PlanEditor<Context>) => unknown): this {
    const before = this.#snapshot.plan;
    const after = editPlan(before, change);
    if (after === before) return this;
    this.#replace(after);
    for (const kind of changedLists(before, after)) void this.notifyListChanged(kind);
    return this;
  }

  /**
   * Notifies clients that are subscribed to a resource that it has changed. With a store, the promise resolves when the
   * change is stored for all nodes, and the response of a call in progress waits for it. @throws if the store fails for seconds
   */
  resourceUpdated(uri: string): Promise<void> {
    const { scopes = [] } = findByUri(this.#snapshot, uri)?.entry ?? {};
    const change = { kind: "resource", uri } as const;
    return this.#services.changes.publish(scopes.length > 0 ? { ...change, scopes } : change);
  }

  /** True while at least one connection or listener receives changes. */
  get isObserved(): boolean {
    return this.#services.changes.size > 0;
  }

  /** Notifies clients that a list has changed for a reason other than `update`. The promise is as above. */
  notifyListChanged(kind: "tools" | "resources" | "prompts"): Promise<void> {
    return this.#services.changes.publish({ kind });
  }

  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    return this.#services.changes.subscribe(listener);
  }

  /** Sends change notifications to a legacy connection until the returned function is called. */
  attach(connection: Connection, notify: NotifyChange): () => void {
    return attachConnection(this.#services.changes, connection, notify);
  }

  /** Sets the log sink of a server without `log`, and of its views. Transports call it. Later calls have no effect. */
  useLog(sink: LogSink): void {
    this.#services.log ??= toQuietSink(sink, this.#services.events);
  }

  /** Creates a view: a server with only the matching tools. Updates to this server also apply to the view. */
  view(filter: TagFilter): Server<Context, Tools> {
    const plan = filterPlan(this.#snapshot, filter);
    const view = new Server<Context, Tools>(plan, this.#services, this.#attachments);
    this.#views.push({ view, filter });
    return view;
  }

  /** Observes the handlers of this server and its views from now on. Only hosts for development use it. */
  observeHandlers(observer: NonNullable<Services["handlerObserver"]>): void {
    this.#services.handlerObserver = observer;
    this.#replace(this.#snapshot.plan);
  }

  /** Encrypts records that a store keeps for this server. */
  get records(): RecordSealer {
    return this.#services.records;
  }

  /** Logs a failure that no client receives, such as one of a store. */
  report(error: unknown, operation: string): void {
    this.#services.log?.({ level: "error", event: "store-failed", operation, name: this.info.name, error });
  }

  /** Functions for transports that run the server on several nodes. */
  get operations(): ServerOperations {
    return readOperations(this.#snapshot, this.#services);
  }

  /**
   * Links the server to the other nodes that serve it: changes are sent to all of them, and the encryption keys are
   * shared. Transports with a `store` call it. Later calls have no effect.
   */
  useCluster(link: ClusterLink): void {
    if (!this.#services.changes.link(link)) return;
    this.#services.keyRing.useSource(link.secrets);
    this.#attachments.useCluster(link);
  }

  /** Starts work that does not wait for a request, such as unfinished tasks. Transports call it when they start. */
  start(): void {
    this.#attachments.start();
  }

  /**
   * Ends all open subscriptions. Each client receives the final response to its `subscriptions/listen` request. Running
   * tasks get a grace period to finish; then their signals abort. Later calls that would create a task are rejected.
   */
  close(): void {
    this.#services.closing.close();
  }

  /** Resolves when work that the server still does after `close`, such as running tasks, has ended. */
  idle(): Promise<void> {
    return this.#attachments.idle();
  }

  #replace(plan: Plan): void {
    this.#snapshot = createSnapshot(plan, this.#attachments, this.#services.handlerObserver);
    this.#dispatcher = new Dispatcher(this.#snapshot, this.#services);
    for (const { view, filter } of this.#views) view.#replace(filterPlan(this.#snapshot, filter));
  }
}

/** Builds a server. Each method changes the builder and returns it. The type tracks the tools that were added. */
export class ServerBuilder<Context = unknown, Tools extends ToolMap = WithTools<NoTools, never>> {
  readonly #settings: ServerSettings;
  readonly #editor: PlanEditor<Context>;

  constructor(options: ServerOptions = { name: "mcpserver", version: "1.0.0" }) {
    this.#settings = parseOptions(SERVER_OPTIONS, options);
    this.#editor = new PlanEditor<Context>(createPlan(this.#settings));
  }

  /** Sets the name and version that clients receive. */
  serverInfo(name: string, version: string): this {
    this.#editor.set({ info: { ...this.#editor.plan.info, name, version } });
    return this;
  }

  /** Sets the instructions that tell the model how to use the server. */
  instructions(instructions: string): this {
    this.#editor.set({ instructions });
    return this;
  }

  /** Adds middleware around every operation, including those defined earlier. */
  use(...layers: readonly Middleware<Context>[]): this {
    this.#editor.use(...layers);
    return this;
  }

  /** Adds a tool. Its schemas determine the types of its arguments and result. */
  tool<
    const Name extends string,
    In extends Schema | undefined = undefined,
    Out extends Schema | undefined = undefined,
    Base extends ToolMap = Tools,
    Added = never,
  >(
    this: ServerBuilder<Context, WithTools<Base, Added>>,
    name: Name,
    spec: ToolSpec<Context, In, Out>,
  ): ServerBuilder<Context, WithTools<Base, Added | AddedTool<Name, In, Out>>> {
    this.#editor.tool(name, spec);
    // Safe: this is the same builder, typed to include the tool.
    return this as unknown as ServerBuilder<Context, WithTools<Base, Added | AddedTool<Name, In, Out>>>;
  }

  /** Adds tools from definitions or from a tool source. The builder's type does not include their names. */
  tools(
    source: ToolSource | readonly (Tool | McpToolDefinition)[],
    options?: DefinitionOptions,
  ): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.tools(source, options);
    return this;
  }

  /** Adds tools from JSON. Attach handlers with `server.handleTool`. */
  toolsJson(source: DefinitionSource, options?: DefinitionOptions): ServerBuilder<Context, Tools & ToolMap> {
    this.#editor.toolsJson(source, options);
    return this;
  }

  /** Adds a resource with a fixed URI. */
  resource(name: string, spec: ResourceSpec<Context>): this {
    this.#editor.resource(name, spec);
    return this;
  }

  /** Adds a resource template. The URI template determines the types of the handler's variables. */
  resourceTemplate<const Template extends string>(
    name: string,
    spec: ResourceTemplateSpec<Context, Template>,
  ): this {
    this.#editor.resourceTemplate(name, spec);
    return this;
  }

  /** Adds resources from definitions. Attach handlers with `server.handleResource`. */
  resources(list: readonly Resource[], options?: DefinitionOptions): this {
    this.#editor.resources(list, options);
    return this;
  }

  /** Adds resources from JSON. Attach handlers with `server.handleResource`. */
  resourcesJson(source: DefinitionSource, options?: DefinitionOptions): this {
    this.#editor.resourcesJson(source, options);
    return this;
  }

  /** Adds a prompt. Its `arguments` determine the types of the handler's arguments. */
  prompt<const Args extends PromptArguments | undefined = undefined>(
    name: string,
    spec: PromptSpec<Context, Args>,
  ): this {
    this.#editor.prompt(name, spec);
    return this;
  }

  /**
   * Passes the builder to a function and returns its result. Use it to split a server's definitions across files. If the
   * function returns the builder, the result's type has the tools that were added before and by the function.
   * @example defineServer(info).with(addNotes).with(addSearch)
   */
  with<Added extends ToolMap, Used>(
    add: (builder: ServerBuilder<Context>) => ServerBuilder<Used, Added>,
  ): ServerBuilder<Context, Tools & Added>;
  with<Result>(add: (builder: this) => Result): Result;
  with<Result>(add: (builder: this) => Result): Result {
    return add(this);
  }

  /** Adds an extension: its methods, its capability, and its middleware, which runs outside the server's own. */
  extension(extension: Extension): this {
    this.#editor.extension(extension);
    return this;
  }

  /**
   * Compiles the server. Servers that are built from one builder do not share handlers of declared tools and resources.
   * @throws if a definition is invalid; the message contains its name
   */
  build(): Server<Context, Tools> {
    const { plan } = this.#editor;
    const own = { tools: withNewSlots(plan.tools), resources: withNewSlots(plan.resources) };
    return new Server<Context, Tools>({ ...plan, ...own }, createServices(this.#settings));
  }
}
