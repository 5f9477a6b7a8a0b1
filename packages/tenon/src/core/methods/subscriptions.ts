/**
 * @fileoverview Subscriptions of the legacy eras, and the notifications that both eras use. In the legacy eras, list
 * changes are also sent without a subscription.
 * @module tenon/core/methods/subscriptions
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcNotification } from "../../protocol/index.js";
import type { Change, ChangeFeed, NotifyChange } from "../wire/changes.js";
import type { Connection } from "../wire/connection.js";
import { type Incoming, refuse, refuseWith } from "../call/incoming.js";
import { isAllowed } from "../wire/access.js";
import { type McpResponse, resultResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { findByUri } from "./read-resource.js";

/** Subscribes a legacy connection to updates of a resource. */
export function subscribe(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { exchange, id, encoder } = incoming;
  const uri = incoming.params?.["uri"];
  if (typeof uri !== "string")
    return refuse(incoming, "INVALID_PARAMS", "invalid params: uri must be a string");
  if (exchange === undefined || !exchange.connection.pushes) {
    return refuse(incoming, "METHOD_NOT_FOUND", NO_SUBSCRIPTIONS);
  }
  const found = uri.length > MAX_URI ? undefined : findByUri(snapshot, uri);
  if (found === undefined || !isAllowed(found.entry, exchange.auth)) {
    const data = { uri: uri.slice(0, 128) };
    return refuseWith(incoming, { error: "RESOURCE_NOT_FOUND", message: "resource not found", data });
  }
  const { connection } = exchange;
  const respond = (isKept: boolean) => {
    if (isKept) return resultResponse(id, encoder.empty);
    const limit = `${connection.maxSubscriptions} resources, ${connection.maxSubscribedLength} characters of URIs`;
    const reason = `Too many subscriptions on this connection (limit: ${limit}). Unsubscribe from a resource first.`;
    return refuse(incoming, "TOO_MANY_CALLS", reason);
  };
  const isAdded = connection.subscribe(uri, exchange.auth?.scopes);
  if (!isAdded || !connection.isShared) return respond(isAdded);
  const refuseUnsaved = () => refuse(incoming, "SERVICE_UNAVAILABLE", NOT_SAVED);
  return connection.keepSubscription(uri).then(respond, refuseUnsaved);
}

/** Unsubscribes a legacy connection from a resource. Succeeds even without a subscription. */
export function unsubscribe(incoming: Incoming): McpResponse {
  const uri = incoming.params?.["uri"];
  if (typeof uri !== "string")
    return refuse(incoming, "INVALID_PARAMS", "invalid params: uri must be a string");
  incoming.exchange?.connection.unsubscribe(uri);
  return resultResponse(incoming.id, incoming.encoder.empty);
}

/**
 * Sends change notifications to a legacy connection until the returned function is called. A shared session reads the
 * changes of all nodes from their log instead.
 */
export function attachConnection(
  changes: ChangeFeed,
  connection: Connection,
  notify: NotifyChange,
): () => void {
  if (connection.isShared) return () => undefined;
  return changes.subscribe((change) => {
    if (!receivesChange(connection, change)) return;
    const { method, params } = describeChange(change);
    void notifySafely((notification) => notify(notification, scopesOf(change)), method, params);
  });
}

/** Returns the scopes that a client needs to be notified of a change. */
export function scopesOf(change: Change): readonly string[] {
  return change.kind === "resource" ? (change.scopes ?? []) : [];
}

/** Returns true if a legacy connection is notified of a change. */
export function receivesChange(connection: Connection, change: Change): boolean {
  if (connection.era !== "legacy" || !connection.pushes) return false;
  return change.kind !== "resource" || connection.isSubscribed(change.uri, change.scopes);
}

/** Error message for a connection that cannot have subscriptions. */
export const NO_SUBSCRIPTIONS =
  "This connection does not support subscriptions, because the server cannot send notifications over it.";

const NOT_SAVED = "The subscription could not be stored. Try again later.";

/** Maximum length of the URI of a subscription. */
export const MAX_URI = 8_192;

type Notify = (notification: JsonRpcNotification) => MaybePromise<void> | undefined;

/** Returns the notification about a change. */
export function describeChange(change: Change): { readonly method: string; readonly params: JsonObject } {
  return change.kind === "resource"
    ? { method: "notifications/resources/updated", params: { uri: change.uri } }
    : { method: `notifications/${change.kind}/list_changed`, params: {} };
}

/** Sends a notification. Ignores failures. */
export async function notifySafely(notify: Notify, method: string, params: JsonObject) {
  try {
    await notify({ jsonrpc: "2.0", method, params });
  } catch {
    // Ignore the error: a transport that cannot send closes the connection itself.
  }
}
