/**
 * @fileoverview Passes the client's notifications to the application's handlers.
 * @module sdk/mcp-server/notifications
 */
import type { Exchange } from "tenon";
import type { JsonRpcNotification } from "tenon/protocol";
import { deliverProgress, readProgress } from "./requests/progress.js";
import type { Dialect } from "./dialect.js";
import { parseWith } from "./registrations/schemas.js";
import { toText } from "./requests/errors.js";
import type { Hooks } from "./requests/hooks.js";
import { RequestScope, type RequestScopes } from "./requests/request-scope.js";

/** Parts of a server that handle notifications. */
interface NotificationHost {
  readonly hooks: Hooks;
  readonly dialect: Dialect;
  readonly requestScopes: RequestScopes;
  readonly report: (error: unknown, operation: string) => void;
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
    const text = `Uncaught error in notification handler: ${toText(error)}`;
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
  { hooks, dialect, report }: NotificationHost,
): unknown {
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
  return report(toUnexpected(text, { method, params: progress }, hooks), method);
}
