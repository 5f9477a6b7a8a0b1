/**
 * @fileoverview Notifications from the client, which handlers of the application receive, and notifications to the client
 * that are combined.
 * @module sdk/server/notifications
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";
import { isRequestId, type JsonRpcNotification, type RequestId } from "tenon/protocol";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import type { Progress } from "../types.js";
import type { Dialect, Hooks } from "./dialect.js";
import { parseWith } from "./registrations/schemas.js";
import { textOf } from "@tenon/internal/thrown";
import { RequestScope, type RequestScopes } from "./requests/request-scope.js";

/** Parts of a server that handle notifications. */
interface NotificationHost {
  readonly hooks: Hooks;
  readonly dialect: Dialect;
  readonly requestScopes: RequestScopes;
  report(error: unknown, operation: string): void;
}

/** Runs the handler of a notification. Errors are reported, because a notification has no response. */
export function handleNotification(
  message: JsonRpcNotification,
  exchange: Exchange | undefined,
  host: NotificationHost,
): void {
  const scope = new RequestScope({ ...message, id: "" }, exchange);
  // A notification has no response, so messages that its handler sends go over the connection.
  scope.isOver = true;
  const fail = (error: unknown) => {
    const text = `Uncaught error in notification handler: ${textOf(error)}`;
    const isHeard = host.hooks.onerror !== undefined;
    host.report(isHeard ? new Error(text, { cause: error }) : error, message.method);
  };
  // Runs after the core has handled the notification, because a handler may depend on its effect.
  queueMicrotask(() => {
    try {
      const running = host.requestScopes.run(scope, () => runHandler(message, scope, host));
      void Promise.resolve(running).catch(fail);
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * Creates the error for a client's message that nothing waits for. As in the official SDK, `onerror` receives the message.
 * A log does not, because the message may be a late answer of the user.
 */
export function toUnexpected(text: string, message: object, { onerror }: Pick<Hooks, "onerror">): Error {
  return new Error(onerror === undefined ? text : `${text}: ${toJson(message)}`);
}

/** Converts a message to JSON. A message that is nested too deeply for `JSON.stringify` is not shown. */
function toJson(message: object): string {
  try {
    return JSON.stringify(message);
  } catch {
    return "(nested too deeply)";
  }
}

/** Runs the handler. It is not an async function, so that errors are reported as early as on the official SDK. */
function runHandler(
  { method, params }: JsonRpcNotification,
  scope: RequestScope,
  host: NotificationHost,
): unknown {
  const { hooks, dialect } = host;
  const own = hooks.notificationHandlers.get(method);
  if (own !== undefined) {
    const notification = parseWith(own.schema, { method, ...(params === undefined ? {} : { params }) });
    return own.handler(notification, dialect.argumentOf(scope));
  }
  if (method === "notifications/initialized") return hooks.oninitialized?.();
  if (method === "notifications/cancelled") return undefined;
  if (method !== "notifications/progress") return hooks.fallbackNotificationHandler?.({ method, params });
  const progress = readProgress(params);
  if (deliverProgress(scope.exchange?.connection, progress)) return undefined;
  const text = "Received a progress notification for an unknown token";
  return host.report(toUnexpected(text, { method, params: progress }, hooks), method);
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

type Notify = NonNullable<Exchange["notify"]>;

/**
 * Returns a function that sends notifications as the official SDK does: empty parameters are omitted, and notifications
 * of the given methods are sent once per tick, unless they have parameters.
 */
export function debounced(notify: Notify, methods: readonly string[]): Notify {
  const pending = new Set<string>();
  return ({ params, ...notification }) => {
    const { method } = notification;
    if (params !== undefined && Object.keys(params).length > 0) return notify({ ...notification, params });
    if (!methods.includes(method)) return notify(notification);
    if (pending.has(method)) return undefined;
    pending.add(method);
    queueMicrotask(() => {
      pending.delete(method);
      void notify(notification);
    });
    return undefined;
  };
}
