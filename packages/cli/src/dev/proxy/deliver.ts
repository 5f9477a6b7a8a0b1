/**
 * @fileoverview Sends a server's notifications and requests to the client that they are for, and tells clients about changed lists.
 * @module cli/dev/proxy/deliver
 */
import { isRequestId, type JsonRpcMessage, type JsonRpcNotification, META } from "tenon/protocol";
import type { Generation } from "../generation/generation.js";
import { type ClientConnection, isRequest, type Notify } from "./client-connection.js";
import type { OpenCall } from "./open-call.js";
import { isJsonObject } from "@tenon/internal/json";
import type { ChangeKind } from "../lists/list-changes.js";

/** Message of a server, and its recipient: a call, a connection, or both. */
export interface Delivery {
  readonly message: JsonRpcMessage;
  readonly call: OpenCall | undefined;
  readonly client: ClientConnection | undefined;
  readonly generation: Generation;
  /** False if the generation has been replaced. */
  readonly isCurrent: boolean;
}

/** Delivers a message. Has no effect if the client has disconnected. */
export function deliver(delivery: Delivery): void {
  const { message, call, client, generation } = delivery;
  const send = call === undefined ? client?.notify : notifierOf(call);
  if (send === undefined) return;
  call?.observer?.onMessage(message, "received");
  if (!isRequest(message)) {
    const notification = toNotification(delivery);
    if (notification !== undefined) sendSafely(send, notification);
  } else if (client !== undefined) {
    const reply = (answer: JsonRpcMessage) => {
      call?.observer?.onMessage(answer, "sent");
      generation.tell(client.id, answer);
    };
    void client.questions.ask({ generation, message, send, reply });
  }
}

/** Sends a notification. A client that cannot receive it is disconnected by its transport. */
export function sendSafely(send: Notify, message: JsonRpcNotification): void {
  void (async () => send(message))().catch(() => undefined);
}

/** Returns the function that sends messages in the stream of a call. */
export function notifierOf({ exchange }: OpenCall): Notify {
  return (message) => exchange.notify?.(message);
}

/** Adapts a notification for the client. Returns `undefined` if the client must not get it. */
function toNotification({
  message,
  call,
  client,
  generation,
  isCurrent,
}: Delivery): JsonRpcNotification | undefined {
  if (!("method" in message)) return undefined;
  // Lists of code that has been replaced do not matter anymore.
  if (isListChange(message) && !isCurrent) return undefined;
  if (call !== undefined && isAcknowledgement(message)) {
    if (call.isAcknowledged) return undefined;
    call.isAcknowledged = true;
  }
  const cancelled = cancelledId(message);
  if (!isRequestId(cancelled)) return message;
  const requestId = client?.questions.forget(generation, cancelled);
  return requestId === undefined ? undefined : { ...message, params: { ...message.params, requestId } };
}

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
function isListChange(message: JsonRpcMessage): boolean {
  return "method" in message && /^notifications\/\w+\/list_changed$/.test(message.method);
}

/** Returns true for the acknowledgement of a `subscriptions/listen` request. */
function isAcknowledgement(message: JsonRpcMessage): boolean {
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
