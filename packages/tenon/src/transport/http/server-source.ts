/**
 * @fileoverview Where an endpoint's servers come from: one that everybody shares, or one for each session.
 * @module transport/http/server-source
 */
import type { HostedServer } from "../../core/wire/hosted-server.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** The servers behind an endpoint. */
export interface ServerSource<Context> {
  /** Answers stateless requests; absent where each session has a server of its own. */
  readonly shared: HostedServer<Context> | undefined;
  /** The server for one more session. @throws an `McpError` with words for the client, where there can be no more */
  open(sessionId: string): MaybePromise<HostedServer<Context>>;
}

/** One server for everybody. */
export function sharedSource<Context>(server: HostedServer<Context>): ServerSource<Context> {
  return { shared: server, open: () => server };
}
