/**
 * @fileoverview Creates the exchange for a message received from an official SDK transport.
 * @module sdk/adapters/sdk-exchange
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";
import { isRequestId, type RequestId } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { SdkMessageExtra } from "./sdk-shapes.js";

/** A received message, its connection, and a function that replies on the same transport. */
interface SdkDelivery {
  readonly connection: Connection;
  readonly message: unknown;
  readonly extra: Pick<SdkMessageExtra, "authInfo"> | undefined;
  /** Sends a message. With `relatedRequestId`, the transport uses that request's stream. */
  readonly send: (message: unknown, relatedRequestId?: RequestId) => Promise<void>;
}

/** Creates the exchange for a message. Notifications and requests sent through it use the message's ID as `relatedRequestId`. */
export function createSdkExchange({ connection, message, extra, send }: SdkDelivery): Exchange {
  const given = isJsonObject(message) ? message["id"] : undefined;
  const id = isRequestId(given) ? given : undefined;
  const authInfo = extra?.authInfo;
  return {
    connection,
    ...(authInfo === undefined ? {} : { auth: { principal: authInfo.clientId, scopes: authInfo.scopes } }),
    notify: (notification) => send(notification, id),
    async request(question, signal) {
      const { message: request, answer } = connection.ask(question, signal);
      await send(request, id);
      return answer;
    },
  };
}
