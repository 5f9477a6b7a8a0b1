/**
 * @fileoverview Servers behind an endpoint: one that all sessions share, or one per session.
 * @module tenon/transport/http/server-source
 */
import { type HostedServer, type ServerLike, type ToolMap, toServer } from "../../core/wire/hosted-server.js";
import type { LogSink } from "../../core/wire/log.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Provides the servers behind an endpoint. */
export interface ServerSource<Context> {
  /** Server for stateless requests. Absent if each session has its own server. */
  readonly shared: HostedServer<Context> | undefined;
  /** Opens a server for a new session. @throws {McpError} with a message for the client if no server can be opened */
  open(sessionId: string): MaybePromise<HostedServer<Context>>;
}

/** Returns a source unchanged, or creates one from a shared server. */
export function toSource<Context, Tools extends ToolMap>(
  origin: ServerLike<Context, Tools> | ServerSource<Context>,
): ServerSource<Context> {
  return "shared" in origin ? origin : sharedSource(toServer(origin));
}

/** Creates a source from one server that all sessions share. */
export function sharedSource<Context>(server: HostedServer<Context>): ServerSource<Context> {
  return { shared: server, open: () => server };
}

/**
 * Lets the servers of a source print failures to `sink`, unless they were built with their own log. Servers of single
 * sessions are also started. The endpoint starts a shared server, because it must link the server to its store first.
 */
export function startSource<Context>(source: ServerSource<Context>, sink: LogSink): ServerSource<Context> {
  const { shared } = source;
  shared?.useLog?.(sink);
  if (shared !== undefined) return source;
  return {
    shared,
    async open(sessionId) {
      const server = await source.open(sessionId);
      server.useLog?.(sink);
      server.start?.();
      return server;
    },
  };
}
