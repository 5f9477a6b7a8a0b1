/**
 * @fileoverview Delivers the client's progress notifications to the request that they belong to.
 * @module sdk/mcp-server/requests/progress
 */
import type { Connection } from "tenon/host";
import { isRequestId, type RequestId } from "tenon/protocol";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";

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

/** Parameters of a progress notification. */
export interface ProgressParams extends Progress {
  readonly _meta?: unknown;
  readonly progressToken: RequestId;
}

/** Returns the parameters that the protocol defines, in the order of the official SDK. @throws if one is not valid */
export function readProgress(params: unknown): ProgressParams {
  const { _meta, progress, total, message, progressToken } = isJsonObject(params)
    ? params
    : ({} as JsonObject);
  const isValid =
    typeof progress === "number" &&
    (total === undefined || typeof total === "number") &&
    (message === undefined || typeof message === "string") &&
    isRequestId(progressToken);
  if (!isValid) {
    throw new TypeError(
      "Invalid notifications/progress: `progress` and `total` must be numbers, `message` a string, and " +
        "`progressToken` a string or an integer.",
    );
  }
  return { ...withoutUndefined({ _meta, progress, total, message }), progressToken };
}

/** Passes progress to its listener. Returns false if the token is unknown. */
export function deliverProgress(connection: Connection | undefined, params: ProgressParams): boolean {
  const { progressToken, ...progress } = params;
  const listener = connection && LISTENERS.get(connection)?.get(progressToken);
  listener?.(progress);
  return listener !== undefined;
}
