/**
 * @fileoverview Interface through which the development page records the calls of all clients.
 * @module cli/dev/proxy/call-recorder
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Connection } from "tenon/host";
import { type Era, type JsonRpcMessage, META, MODERN_REVISIONS, type Revision } from "tenon/protocol";
import type { ClientRequest, RequestHeaders, ServerReply } from "../messages/messages.js";
import type { ClientConnection } from "./client-connection.js";

/** Header by which the page marks the requests of its own clients. The server never receives it. */
export const PAGE_HEADER = "x-tenon-page";

/** Client that has sent a call. */
export interface CallingClient {
  /** Name that the client declares. */
  readonly name: string | undefined;
  /** ID of the session, or number of the connection. */
  readonly session: string | undefined;
  readonly era: Era;
  readonly revision: Revision | undefined;
}

/** Call that a client has sent. */
export interface ReceivedCall {
  readonly message: ClientRequest;
  /** Headers of the request. Absent over stdio. */
  readonly headers: RequestHeaders;
  readonly client: CallingClient;
  /** Size of the message in bytes, if it is known. */
  readonly size: number | undefined;
}

/** Records calls. */
export interface CallRecorder {
  /** Starts to record a call. Returns `undefined` for a call that is not recorded. */
  start(call: ReceivedCall): CallObserver | undefined;
}

/** Receives the messages and the end of a call. */
export interface CallObserver {
  /** Called with each message from the server during the call, and with the client's responses to its requests. */
  onMessage(message: JsonRpcMessage, direction: "sent" | "received"): void;
  onEnd(reply: ServerReply): void;
}

/** Describes the client of a request. */
export function describeClient(
  { method, params }: ClientRequest,
  connection: Connection,
  { client, headers }: { readonly client: ClientConnection | undefined; readonly headers: RequestHeaders },
): CallingClient {
  const meta = isJsonObject(params?.["_meta"]) ? params["_meta"] : {};
  const version = MODERN_REVISIONS.find((one) => one === meta[META.protocolVersion]);
  const session = headers?.["mcp-session-id"] ?? (client === undefined ? undefined : String(client.id));
  if (version !== undefined)
    return { name: nameOf(meta[META.clientInfo]), session, era: "modern", revision: version };
  const own = method === "initialize" ? nameOf(params?.["clientInfo"]) : client?.name;
  const { era = "legacy", revision } = connection;
  return { name: own, session, era, revision: method === "initialize" ? undefined : revision };
}

/** Returns the headers without the page's own one. */
export function withoutPageHeader(headers: RequestHeaders): RequestHeaders {
  if (headers?.[PAGE_HEADER] === undefined) return headers;
  const { [PAGE_HEADER]: _, ...others } = headers;
  return others;
}

function nameOf(info: unknown): string | undefined {
  const { name }: JsonObject = isJsonObject(info) ? info : {};
  return typeof name === "string" ? name : undefined;
}
