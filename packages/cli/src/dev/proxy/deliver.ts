/**
 * @fileoverview Sends a server's notifications and requests to the client that they are for.
 * @module cli/dev/proxy/deliver
 */
import { isRequestId, type JsonRpcMessage, type JsonRpcNotification } from "tenon/protocol";
import type { Generation } from "../generation/generation.js";
import { cancelledId, isAcknowledgement, isListChange } from "./changes.js";
import { type ClientConnection, isRequest, type Notify } from "./client-connection.js";
import type { OpenCall } from "./open-call.js";

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
