/**
 * @fileoverview The server: a stable handle on an immutable snapshot, and the one function every wire calls.
 * @module core/server
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { withPorts } from "@tenon/internal/ports";
import type { Implementation, JsonRpcMessage } from "../protocol/index.js";
import { ChangeFeed, type ChangeListener } from "./wire/changes.js";
import { Closing } from "./wire/closing.js";
import type { Connection } from "./wire/connection.js";
import { dispatch } from "./methods/dispatch.js";
import type { Exchange } from "./wire/exchange.js";
import type { HostedServer, ToolMap } from "./wire/hosted-server.js";
import type { ResourceHandler, SlottedResource, SlottedTool, ToolHandler } from "./definitions/handlers.js";
import type { Services } from "./call/incoming.js";
import { Load } from "./wire/load.js";
import { findByUri } from "./methods/read-resource.js";
import { attachConnection } from "./methods/subscriptions.js";
import type { ServerOptions } from "./definitions/options.js";
import { type Plan, PlanEditor } from "./definitions/plan.js";
import type { McpResponse } from "./wire/response.js";
import { describeServer, type ServerDescription } from "./snapshot/server-description.js";
import { createSnapshot, type Snapshot } from "./snapshot/snapshot.js";
import { createSealer } from "./call/state.js";
import { isShown, type TagFilter } from "./snapshot/tag-filter.js";

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

  /** @internal made by the builder, and by `view` */
  constructor(plan: Plan, services: Services) {
    this.#services = services;
    this.#snapshot = createSnapshot(plan);
  }

  /** What the server says of itself. */
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
    return dispatch(this.#snapshot, this.#services, message, context, exchange);
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
    for (const { view, filter } of this.#views) view.#replace(filterPlan(snapshot, filter));
  }
}

/** Makes what lives as long as the server, and is shared by its views. */
export function createServices(options: ServerOptions): Services {
  const ports = withPorts(options.ports);
  const { log } = options;
  return {
    ports,
    sealer: createSealer(ports, options.state),
    changes: new ChangeFeed(),
    log: log && ((entry) => quietly(() => log(entry))),
    logLevel: options.logLevel ?? "info",
    exposeErrors: options.exposeErrors ?? false,
    unknownToolCode: options.unknownToolCode,
    load: new Load(options),
    closing: new Closing(),
  };
}

/** A sink that throws, now or later, must not cost a reply or the process. */
function quietly(task: () => unknown): void {
  try {
    const done = task();
    if (isPromise(done)) void done.then(undefined, () => undefined);
  } catch {
    // There is nobody left to tell.
  }
}

function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((item, index) => item === after[index]);
}

function filterPlan({ plan, tools }: Snapshot, filter: TagFilter): Plan {
  return { ...plan, tools: plan.tools.filter(({ name }) => isShown(tools.get(name)?.tags ?? [], filter)) };
}
