/**
 * @fileoverview The contract between a server and the transports that host it.
 * @module core/wire/hosted-server
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcMessage } from "../../protocol/index.js";
import type { Connection } from "./connection.js";
import type { Exchange } from "./exchange.js";
import type { McpResponse } from "./response.js";

/** Tool types of a server by name, for typed clients. */
export type ToolMap = Record<string, { readonly input: unknown; readonly output: unknown }>;

/** Server as seen by a transport. */
export interface HostedServer<Context, Tools extends ToolMap = ToolMap> {
  /** Types of the tools, for `createClient`. It has no value at run time. */
  readonly types?: Tools;
  /** Handles one message. Never throws and never rejects. */
  handle(message: JsonRpcMessage, context: Context, exchange?: Exchange): MaybePromise<McpResponse>;
  /** Sends changes to a connection until the returned function is called. */
  attach(connection: Connection, notify: NonNullable<Exchange["notify"]>): () => void;
  /** Ends open subscriptions, or the session if the server belongs to one. */
  close(): void;
}

/** Server, or an object that builds one, such as a builder or the `McpServer` of `@tenon/sdk`. */
export type ServerLike<Context, Tools extends ToolMap = ToolMap> =
  HostedServer<Context, Tools> | { build(): HostedServer<Context, Tools> };

/** Returns the server itself, or builds it. */
export function toServer<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
): HostedServer<Context, Tools> {
  return "build" in server ? server.build() : server;
}
