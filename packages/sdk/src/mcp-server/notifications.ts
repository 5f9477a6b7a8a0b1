/**
 * @fileoverview Passes the client's notifications to the application's handlers.
 * @module sdk/mcp-server/notifications
 */
import type { Exchange } from "tenon";
import type { JsonRpcNotification } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { deliverProgress } from "./requests/progress.js";
import type { Dialect } from "./dialect.js";
import { parseWith } from "./registrations/schemas.js";
import type { Hooks } from "./requests/hooks.js";
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
  // Runs after the core has handled the notification, because a handler may depend on its effect.
  void Promise.resolve()
    .then(() => host.requestScopes.run(scope, () => runHandler(message, scope, host)))
    .catch((error: unknown) => host.report(error, message.method));
}

async function runHandler(
  { method, params }: JsonRpcNotification,
  scope: RequestScope,
  { hooks, dialect }: NotificationHost,
): Promise<void> {
  const own = hooks.notificationHandlers.get(method);
  if (own !== undefined) {
    const notification = parseWith(own.schema, { method, ...(params === undefined ? {} : { params }) });
    await own.handler(notification, dialect.argumentOf(scope));
  } else if (method === "notifications/initialized") hooks.oninitialized?.();
  else if (method === "notifications/progress") {
    const isKnown = isJsonObject(params) && deliverProgress(scope.exchange?.connection, params);
    if (!isKnown) throw new Error("Received a progress notification for an unknown token");
  } else if (method !== "notifications/cancelled") {
    await hooks.fallbackNotificationHandler?.({ method, params });
  }
}
