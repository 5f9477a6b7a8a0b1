/**
 * @fileoverview The servers behind an endpoint: one that every session shares, or one for each session.
 * @module transport/http/server-source
 */
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** The servers behind an endpoint. */
export interface ServerSource<Context> {
  /** Answers stateless requests; absent if each session has a server of its own. */
  readonly shared: HostedServer<Context> | undefined;
  /** Opens a server for one more session. @throws McpError with a message for the client, if there can be no more */
  open(sessionId: string): MaybePromise<HostedServer<Context>>;
}

/** Returns a source itself, or makes one of a server that every session shares. */
export function toSource<Context, Tools extends ToolMap>(
  origin: ServerLike<Context, Tools> | ServerSource<Context>,
): ServerSource<Context> {
  return "shared" in origin ? origin : sharedSource(toServer(origin));
}

/** Makes a source of one server that every session shares. */
export function sharedSource<Context>(server: HostedServer<Context>): ServerSource<Context> {
  return { shared: server, open: () => server };
}
