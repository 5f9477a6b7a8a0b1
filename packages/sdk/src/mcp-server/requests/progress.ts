/**
 * @fileoverview Delivers the client's progress notifications to the request that they belong to.
 * @module sdk/mcp-server/requests/progress
 */
import type { Connection } from "tenon/host";
import { isRequestId, type RequestId } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";

/** Progress of a request, as the client reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

type Listener = (progress: Progress) => void;

/** Listeners by connection, so that a client can report only the progress of its own requests. */
const LISTENERS = new WeakMap<Connection, Map<RequestId, Listener>>();
let lastToken = 0;

/** Registers a listener. The token goes into the request's `_meta`. */
export function listenForProgress(
  connection: Connection,
  listener: Listener,
): { readonly token: number; stop(): void } {
  const token = ++lastToken;
  const listeners = LISTENERS.get(connection) ?? new Map<RequestId, Listener>();
  LISTENERS.set(connection, listeners.set(token, listener));
  return { token, stop: () => void listeners.delete(token) };
}

/** Passes the parameters of a progress notification to its listener. Returns false if the token is unknown. */
export function deliverProgress(connection: Connection | undefined, params: JsonObject): boolean {
  const { progressToken, ...progress } = params;
  if (connection === undefined || !isRequestId(progressToken)) return false;
  const listener = LISTENERS.get(connection)?.get(progressToken);
  listener?.(progress as unknown as Progress); // Not validated, as in the official SDK's server
  return listener !== undefined;
}
