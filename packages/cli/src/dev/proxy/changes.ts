/**
 * @fileoverview Notifications about changes that a reload has made.
 * @module cli/dev/proxy/changes
 */
import { isJsonObject } from "@tenon/internal/json";
import { type JsonRpcMessage, type JsonRpcNotification, META } from "tenon/protocol";
import type { ChangeKind } from "../lists/list-changes.js";
import type { ClientConnection } from "./client-connection.js";
import type { OpenCall } from "./open-call.js";

/** Returns the notifications for a connection: changed lists, and its subscribed resources, which may have changed. */
export function changesFor(
  client: ClientConnection,
  kinds: readonly ChangeKind[],
): readonly JsonRpcNotification[] {
  if (!client.receivesChanges) return [];
  return [
    ...kinds.map((kind) => listChanged(kind, {})),
    ...client.subscriptions.map((uri) => resourceUpdated(uri, {})),
  ];
}

/** Returns the notifications for a `subscriptions/listen` stream, which has a filter. */
export function changesForStream(
  call: OpenCall,
  kinds: readonly ChangeKind[],
): readonly JsonRpcNotification[] {
  const { filter, message } = call;
  const _meta = { [META.subscriptionId]: message.id };
  const uris: readonly unknown[] = Array.isArray(filter["resourceSubscriptions"])
    ? filter["resourceSubscriptions"]
    : [];
  return [
    ...kinds
      .filter((kind) => filter[`${kind}ListChanged`] === true)
      .map((kind) => listChanged(kind, { _meta })),
    ...uris.filter((uri) => typeof uri === "string").map((uri) => resourceUpdated(uri, { _meta })),
  ];
}

/** Returns true for a notification that a list has changed. */
export function isListChange(message: JsonRpcMessage): boolean {
  return "method" in message && /^notifications\/\w+\/list_changed$/.test(message.method);
}

/** Returns true for the acknowledgement of a `subscriptions/listen` request. */
export function isAcknowledgement(message: JsonRpcMessage): boolean {
  return "method" in message && message.method === "notifications/subscriptions/acknowledged";
}

/** Returns the ID of the request that a `notifications/cancelled` message refers to. */
export function cancelledId(message: JsonRpcMessage): unknown {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  return isJsonObject(message.params) ? message.params["requestId"] : undefined;
}

function listChanged(kind: ChangeKind, params: object): JsonRpcNotification {
  return { jsonrpc: "2.0", method: `notifications/${kind}/list_changed`, params: { ...params } };
}

function resourceUpdated(uri: string, params: object): JsonRpcNotification {
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, ...params } };
}
