/**
 * @fileoverview Servers that an application's factory creates: one for each HTTP request or stdio connection.
 * @module sdk/v2/serving/created-server
 */
import type { Exchange, LogSink, McpResponse } from "tenon";
import { errorResponse } from "tenon/host";
import { readEnvelope } from "tenon/protocol";
import { kindOf } from "@tenon/internal/kind-of";
import { toAuth } from "../../adapters/connect.js";
import type { SdkMessageExtra } from "../../adapters/sdk-shapes.js";
import type { DropInExchange, Request } from "../../server/requests/request-scope.js";
import type { TransportFacts } from "../server/context.js";
import { McpServer } from "../server/mcp-server.js";
import { Server } from "../server/server.js";
import type { AuthInfo } from "../types.js";

/** Data about a connection or request, for the factory. */
export interface McpRequestContext {
  /** `modern` for the stateless revision, `legacy` for earlier ones. */
  readonly era: "legacy" | "modern";
  /** Authorization that the application passed to `fetch`. */
  readonly authInfo?: AuthInfo;
  /** The HTTP request. Missing over stdio. */
  readonly requestInfo?: globalThis.Request;
}

/** Creates a server. Called for each HTTP request, and once or twice for each stdio connection. */
export type McpServerFactory = (ctx: McpRequestContext) => McpServer | Server | Promise<McpServer | Server>;

/** A server from the factory. */
export interface CreatedServer {
  readonly server: Server;
  readonly mcpServer: McpServer | undefined;
}

/** Creates a server. @param sink log of the server @throws if the factory returns something else */
export async function createFrom(
  factory: McpServerFactory,
  ctx: McpRequestContext,
  sink: LogSink | undefined,
): Promise<CreatedServer> {
  const made: unknown = await factory(ctx);
  const mcpServer = made instanceof McpServer ? made : undefined;
  const server = mcpServer?.server ?? made;
  if (!(server instanceof Server)) {
    throw new TypeError(
      `The factory must return an \`McpServer\` or a \`Server\` from "@tenon/sdk/v2"; got ${kindOf(made)}. ` +
        "Change the import of the server too.",
    );
  }
  if (sink !== undefined) server.hosted.useLog(sink);
  return { server, mcpServer };
}

/** Tells a server that its connection or request has ended. */
export function endServer(created: CreatedServer | undefined, onerror: (error: Error) => void): void {
  try {
    created?.server.onclose?.();
  } catch (error) {
    onerror(toError(error));
  }
}

/**
 * Ends a server and closes it, because an application may have its own `close`. As in the official SDK, that is called
 * only over stdio and in legacy revisions. A server that also serves another client stays open.
 */
export function closeServer(created: CreatedServer | undefined, onerror: (error: Error) => void): void {
  if (created === undefined) return;
  const { server, mcpServer = server } = created;
  const close = async () => {
    if (!server.isServing) await mcpServer.close();
  };
  close().catch((error: unknown) => onerror(toError(error)));
  endServer(created, onerror);
}

/** Returns an exchange with the data for `ctx.http`. */
export function withFacts(
  exchange: Exchange,
  facts: TransportFacts,
  options: { readonly dropsNotifications?: boolean } = {},
): DropInExchange {
  const { connection, header, messageLength, request, hangUp, notify } = exchange;
  const { dropsNotifications = false } = options;
  const { authInfo } = facts;
  // The transport does not authenticate: the application has done so, and passed the caller to `fetch`.
  const auth = exchange.auth ?? (authInfo && toAuth(authInfo));
  return {
    connection,
    auth,
    messageLength,
    get signal() {
      return exchange.signal;
    },
    get isGone() {
      return exchange.isGone;
    },
    ...(header === undefined ? {} : { header: (name) => exchange.header?.(name) }),
    ...(notify === undefined || dropsNotifications
      ? {}
      : { notify: (notification) => exchange.notify?.(notification) }),
    ...(request === undefined ? {} : { request: (asked, signal) => request.call(exchange, asked, signal) }),
    ...(hangUp === undefined ? {} : { hangUp: () => exchange.hangUp?.() }),
    sdk: facts as SdkMessageExtra, // Safe: the context reads the members of version 2
  };
}

/** Converts a thrown value to an error, for `onerror`. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const REMOVED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "tasks/list",
  "tasks/result",
]);

/** Returns the error for a stateless request whose method only legacy revisions have. */
export function refuseRemoved(request: Request): McpResponse | undefined {
  const { id, method } = request;
  if (!REMOVED.has(method) || "error" in readEnvelope(request)) return undefined;
  return errorResponse(id, { error: "METHOD_NOT_FOUND", message: "Method not found", era: "modern" });
}
