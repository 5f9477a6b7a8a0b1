/**
 * @fileoverview Runs an official SDK server on Tenon's transports, in the legacy eras. This module acts as a
 * transport for that server, and as a server for Tenon's transport.
 * @module sdk/adapters/sdk-server
 */
import type { Exchange, McpResponse } from "tenon";
import { emptyResponse, errorResponse, type HostedServer, resultResponse } from "tenon/host";
import {
  describeInvalidMessage,
  isRequestId,
  isRevisionOf,
  type JsonRpcNotification,
  type JsonRpcRequest,
  messageKind,
  type RequestId,
  salvageId,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { SdkMessageExtra, SdkServer, SdkTransport } from "./sdk-shapes.js";

/** Opens a session on an official SDK server. Such a server serves one session. */
export async function openSdkServer(server: SdkServer, sessionId?: string): Promise<SdkSession> {
  const session = new SdkSession(server, sessionId);
  await server.connect(session.transport as never); // every version of the SDK accepts this shape
  return session;
}

interface Pending {
  readonly exchange: Exchange | undefined;
  settle(response: McpResponse): void;
}

/** One session on an official SDK server. */
export class SdkSession implements HostedServer<unknown> {
  readonly transport: SdkTransport;
  readonly #server: SdkServer;
  readonly #pending = new Map<RequestId, Pending>();
  #notify: Exchange["notify"];
  #closed = false;

  constructor(server: SdkServer, sessionId: string | undefined) {
    this.#server = server;
    this.transport = {
      start: () => Promise.resolve(),
      send: (message, options) => this.#send(message, options?.relatedRequestId),
      close: () => {
        this.#end();
        return Promise.resolve();
      },
      ...(sessionId === undefined ? {} : { sessionId }),
    };
  }

  /** Passes a message to the server and resolves with the reply that it sends under the same id. */
  handle(message: unknown, _context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    switch (messageKind(message)) {
      case "request":
        return this.#request(message as JsonRpcRequest & { readonly id: RequestId }, exchange);
      case "notification":
        this.#take(message, exchange);
        this.#forgetCancelled(message as JsonRpcNotification);
        return emptyResponse;
      case "response":
        this.#take(message, exchange);
        return emptyResponse;
      case "invalid":
        return errorResponse(salvageId(message), {
          error: "INVALID_REQUEST",
          message: describeInvalidMessage(message),
        });
    }
  }

  /** Passes messages that belong to no request to `notify`. */
  attach(_connection: unknown, notify: NonNullable<Exchange["notify"]>): () => void {
    this.#notify = notify;
    return () => {
      this.#notify = undefined;
      this.close();
    };
  }

  /** Closes the session's server. */
  close(): void {
    void Promise.resolve(this.#server.close()).catch(() => undefined); // the session ends either way
  }

  /** Answers pending requests after the server was closed. */
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.onclose?.();
    // If the transport closed first, no caller waits for a reply.
    if (this.#notify === undefined) return;
    for (const [id, pending] of this.#pending) pending.settle(closedResponse(id));
  }

  #request(message: JsonRpcRequest & { readonly id: RequestId }, exchange: Exchange | undefined) {
    const { id, method, params } = message;
    const connection = exchange?.connection;
    const refuse = (error: "INVALID_REQUEST" | "INVALID_PARAMS" | "TOO_MANY_CALLS", text: string) =>
      errorResponse(id, { error, message: text });
    if (this.#closed) return closedResponse(id);
    if (this.#pending.has(id)) return refuse("INVALID_REQUEST", "A call with this id is already in flight.");
    if (!isReadable(params))
      return refuse(
        "INVALID_PARAMS",
        "Malformed params: `params`, `_meta` or `progressToken` has the wrong type.",
      );
    if (connection?.isFull() === true)
      return refuse("TOO_MANY_CALLS", "Too many calls are in flight on this connection.");
    return new Promise<McpResponse>((resolve) => {
      const settle = (response: McpResponse) => {
        this.#pending.delete(id);
        connection?.end(id);
        resolve(response);
      };
      this.#pending.set(id, { exchange, settle });
      connection?.begin(id, () => settle(emptyResponse));
      // The SDK does not answer a request with unknown members.
      this.#take({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, exchange);
    });
  }

  #take(message: unknown, exchange: Exchange | undefined): void {
    const { auth } = exchange ?? {};
    const extra: SdkMessageExtra =
      auth === undefined ? {} : { authInfo: { clientId: auth.principal, scopes: auth.scopes, token: "" } };
    this.transport.onmessage?.(message as never, extra as never);
  }

  /** Settles a cancelled request, because the SDK does not answer it. */
  #forgetCancelled({ method, params }: JsonRpcNotification): void {
    const id = method === "notifications/cancelled" ? params?.["requestId"] : undefined;
    if (isRequestId(id)) this.#pending.get(id)?.settle(emptyResponse);
  }

  async #send(message: unknown, related: RequestId | undefined): Promise<void> {
    if (!isJsonObject(message)) return;
    const { id } = message;
    if (messageKind(message) === "response" && isRequestId(id)) {
      this.#pending.get(id)?.settle(toResponse(id, message, this.#pending.get(id)?.exchange));
      return;
    }
    const exchange = related === undefined ? undefined : this.#pending.get(related)?.exchange;
    // Requests of the server are sent unchanged, like notifications, with the server's own id.
    const notification = message as unknown as JsonRpcNotification;
    await (exchange?.notify === undefined ? this.#notify?.(notification) : exchange.notify(notification));
  }
}

/** Checks that the SDK can parse the parameters. It drops other requests without an answer. */
function isReadable(params: unknown): boolean {
  if (params === undefined) return true;
  if (!isJsonObject(params)) return false;
  const { _meta: meta } = params;
  if (meta === undefined) return true;
  return isJsonObject(meta) && (meta["progressToken"] === undefined || isRequestId(meta["progressToken"]));
}

function closedResponse(id: RequestId): McpResponse {
  return errorResponse(id, { error: "SERVICE_UNAVAILABLE", message: "The server has closed this session." });
}

/** Converts a reply of the SDK, and stores the negotiated revision of `initialize` on the connection. */
function toResponse(id: RequestId, message: JsonObject, exchange: Exchange | undefined): McpResponse {
  const { result, error } = message;
  if (isJsonObject(error)) {
    const { code, message: text, data } = error;
    return errorResponse(id, { error: "INTERNAL_ERROR", message: String(text), code: Number(code), data });
  }
  const revision = isJsonObject(result) ? result["protocolVersion"] : undefined;
  if (exchange !== undefined && isRevisionOf("legacy", revision)) {
    exchange.connection.era = "legacy";
    exchange.connection.revision = revision;
  }
  return resultResponse(id, JSON.stringify(result));
}
