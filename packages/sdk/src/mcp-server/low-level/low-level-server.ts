/**
 * @fileoverview The official SDK's low-level `Server`, implemented on Tenon's core.
 * @module sdk/mcp-server/low-level/low-level-server
 */
import type { Implementation } from "tenon/protocol";
import { type ListKind, NO_REGISTRATIONS } from "../base-server.js";
import type { FacadeServer } from "../facade-server.js";
import { type McpServerOptions, splitOptions, toServerInfo } from "../options.js";
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

  constructor(serverInfo: Implementation, options: LowLevelServerOptions = {}) {
    const { settings, capabilities, tasks, messages } = splitOptions(options, "Server");
    super(
      { ...settings, ...toServerInfo(serverInfo) },
      {
        capabilities,
        registrations: NO_REGISTRATIONS,
        tasks,
        messages,
        createDialect: createLowLevelDialect,
      },
    );
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer {
    return this.hosted;
  }

  /** @internal returns true if the server handles a method without a handler of the application */
  override isBuiltIn(method: string): boolean {
    return BUILT_IN.has(method) && !this.#removed.has(method) && super.isBuiltIn(method);
  }

  /** Asserts that the server declares the capability that a method belongs to. */
  protected override assertHandlerAllowed(method: string): void {
    const isTask = TASK_METHODS.has(method) && !this.capabilities["tasks"];
    if (isTask) throw new Error(`Server does not support tasks capability (required for ${method})`);
    this.assertDeclared(method);
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

  override async sendResourceUpdated(params: { readonly uri: string }): Promise<void> {
    this.assertCanNotify("notifications/resources/updated");
    await super.sendResourceUpdated(params);
  }

  protected override async sendListChanged(kind: ListKind): Promise<void> {
    this.assertCanNotify(`notifications/${kind}/list_changed`);
    await super.sendListChanged(kind);
  }

  /** Asserts that a notification may be sent. @throws if the server or the client does not declare its capability */
  protected override assertCanNotify(method: string): void {
    this.assertDeclared(method);
    super.assertCanNotify(method);
  }
}

/** Methods of the stateless revision that every server handles. The official SDK does not have them. */
const MODERN: ReadonlySet<string> = /* @__PURE__ */ new Set(["server/discover", "subscriptions/listen"]);

/** Methods that a low-level server may handle. */
const BUILT_IN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  ...MODERN,
]);

const TASK_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/cancel",
]);
