/**
 * @fileoverview Creates the exchange for a message received from an official SDK transport.
 * @module sdk/adapters/sdk-exchange
 */
import type { Auth, Exchange } from "tenon";
import type { Connection } from "tenon/host";
import { isRequestId, isRevisionOf, type RequestId } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { SdkMessageExtra } from "./sdk-shapes.js";

/** A received message, its connection, and a function that replies on the same transport. */
interface SdkDelivery {
  readonly connection: Connection;
  readonly message: unknown;
  readonly extra: SdkMessageExtra | undefined;
  /** Sends a message. With `relatedRequestId`, the transport uses that request's stream. */
  readonly send: (message: unknown, relatedRequestId?: RequestId) => Promise<void>;
}

/** Creates the exchange for a message. Notifications and requests sent through it use the message's ID as `relatedRequestId`. */
export function createSdkExchange({ connection, message, extra, send }: SdkDelivery): Exchange {
  const given = isJsonObject(message) ? message["id"] : undefined;
  const id = isRequestId(given) ? given : undefined;
  const authInfo = extra?.authInfo;
  useVersionHeader(connection, extra);
  return {
    connection,
    ...(authInfo === undefined ? {} : { auth: toAuth(authInfo) }),
    notify: (notification) => send(notification, id),
    async request(question, signal) {
      const { message: request, answer } = connection.ask(question, signal);
      await send(request, id);
      return answer;
    },
  };
}

/** Converts the authorization of an official SDK transport to an authenticated caller. */
export function toAuth({ clientId, scopes }: NonNullable<SdkMessageExtra["authInfo"]>): Auth {
  return { principal: clientId, scopes };
}

/**
 * Sets the revision of a connection from the version header. On a stateless transport, the server that handles a request
 * has not seen the client's `initialize` request.
 */
function useVersionHeader(connection: Connection, extra: SdkMessageExtra | undefined): void {
  if (connection.clientInfo !== undefined || connection.era === "modern") return;
  const version = readHeader(extra, "mcp-protocol-version");
  if (isRevisionOf("legacy", version)) connection.revision = version;
}

/** Returns a header of the HTTP request that a message arrived with. Version 2 of the SDK passes the request itself. */
function readHeader({ request, requestInfo }: SdkMessageExtra = {}, name: string): string | undefined {
  if (request !== undefined) return request.headers.get(name) ?? undefined;
  const headers = isJsonObject(requestInfo) ? requestInfo["headers"] : undefined;
  const value = isJsonObject(headers) ? headers[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
