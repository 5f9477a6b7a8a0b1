/**
 * @fileoverview The official SDK's low-level `Server`, implemented on Tenon's core.
 * @module sdk/mcp-server/low-level/low-level-server
 */
import type { Implementation } from "tenon/protocol";
import { type ListKind, type LogMessage, NO_REGISTRATIONS } from "../base-server.js";
import { describeUndeclared } from "../capabilities.js";
import type { FacadeServer } from "../facade-server.js";
import { type McpServerOptions, splitOptions, toServerInfo } from "../options.js";
import type { RequestScope } from "../requests/request-scope.js";
import type { McpExtra, NotifyOptions, OutgoingNotification } from "../requests/types.js";
import { ServerFace } from "../server-face.js";
import { createLowLevelDialect } from "./low-level-dialect.js";

/** Options for `Server`: those of `McpServer`, except for the ones about tools. */
export type LowLevelServerOptions = Omit<McpServerOptions, "maxToolInputElements">;

/**
 * Drop-in replacement for the official SDK's low-level `Server`. It declares exactly the given capabilities, and the
 * application handles every method with `setRequestHandler`. Most servers are easier to write with `McpServer`.
 *
 * @example
 * const server = new Server({ name: "hello", version: "1.0.0" }, { capabilities: { tools: {} } });
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
 * await server.connect(new StdioServerTransport());
 */
export class LowLevelServer extends ServerFace {
  readonly #removed = new Set<string>();
  readonly #handlesLogLevel: boolean;

  constructor(serverInfo: Implementation, options: LowLevelServerOptions = {}) {
    const { settings, capabilities, tasks, messages } = splitOptions(options, "Server");
    super(
      { ...settings, ...toServerInfo(serverInfo) },
      {
        capabilities,
        registrations: NO_REGISTRATIONS,
        tasks,
        messages,
        createDialect: (face) => createLowLevelDialect(face as LowLevelServer), // Safe: it is this server
      },
    );
    this.#handlesLogLevel = Boolean(this.capabilities["logging"]);
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer {
    return this.hosted;
  }

  /** @internal returns true if the server handles a method without a handler of the application */
  isBuiltIn(method: string): boolean {
    if (this.#removed.has(method)) return false;
    return BUILT_IN.has(method) || (method === "logging/setLevel" && this.#handlesLogLevel);
  }

  /** @internal creates a handler's `extra` argument */
  override extraOf(scope: RequestScope): McpExtra {
    const extra = super.extraOf(scope);
    const send = extra.sendNotification.bind(extra);
    return Object.assign(extra, {
      sendNotification: async (notification: OutgoingNotification) => {
        this.#assertCanNotify(notification.method);
        await send(notification);
      },
    });
  }

  /** Asserts that the server declares the capability that a method belongs to. */
  protected override assertHandlerAllowed(method: string): void {
    const isTask = TASK_METHODS.has(method) && !this.capabilities["tasks"];
    if (isTask) throw new Error(`Server does not support tasks capability (required for ${method})`);
    this.#assertDeclared(method);
  }

  /** Removes a method's handler, including a built-in one. */
  override removeRequestHandler(method: string): void {
    this.#removed.add(method);
    super.removeRequestHandler(method);
  }

  /** Asserts that a method does not have a handler yet. @throws if it has one */
  override assertCanSetRequestHandler(method: string): void {
    if (this.isBuiltIn(method) && !MODERN.has(method)) {
      throw new Error(`A request handler for ${method} already exists, which would be overridden`);
    }
    super.assertCanSetRequestHandler(method);
  }

  /** Sends a notification. @throws if the server or the client does not declare the capability for it */
  override async notification(notification: OutgoingNotification, options?: NotifyOptions): Promise<void> {
    this.#assertCanNotify(notification.method);
    await super.notification(notification, options);
  }

  /** Sends a log message. Does nothing if the server does not declare `logging`. */
  override async sendLoggingMessage(params: LogMessage, sessionId?: string): Promise<void> {
    if (this.capabilities["logging"]) await super.sendLoggingMessage(params, sessionId);
  }

  override async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    this.#assertCanNotify("notifications/resources/updated");
    await super.sendResourceUpdated(params);
  }

  protected override async sendListChanged(kind: ListKind): Promise<void> {
    this.#assertCanNotify(`notifications/${kind}/list_changed`);
    await super.sendListChanged(kind);
  }

  #assertCanNotify(method: string): void {
    this.#assertDeclared(method);
    if (method === "notifications/elicitation/complete") this.messenger.assertUrlClient();
  }

  #assertDeclared(method: string): void {
    const problem = describeUndeclared(method, this.capabilities);
    if (problem !== undefined) throw new Error(problem);
  }
}

/** Methods of the stateless revision that every server handles. The official SDK does not have them. */
const MODERN: ReadonlySet<string> = /* @__PURE__ */ new Set(["server/discover", "subscriptions/listen"]);

/** Methods that every server handles. */
const BUILT_IN: ReadonlySet<string> = /* @__PURE__ */ new Set(["initialize", "ping", ...MODERN]);

const TASK_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/cancel",
]);
