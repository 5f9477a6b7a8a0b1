/**
 * @fileoverview A server of the official SDK behind our wires, in the legacy eras: to it we are a transport, to the wire
 * it is a server.
 * @module kit/sdk-server
 */
import type { Exchange } from "tenon";
import { errorResponse, emptyResponse, resultResponse } from "tenon/host";
import { type McpResponse } from "tenon";
import type { HostedServer } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
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
import type { SdkMessageExtra, SdkServer, SdkTransport } from "./sdk-shapes.js";

/** Connects a server of the official SDK to a wire of ours; it serves one session. */
export async function openSdkServer(server: SdkServer, sessionId?: string): Promise<SdkSession> {
  const wire = new SdkSession(server, sessionId);
  await server.connect(wire.transport as never); // of the shape that every version asks for
  return wire;
}

interface Pending {
  readonly exchange: Exchange | undefined;
  settle(response: McpResponse): void;
}

/** One session of such a server. */
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

  /** Hands a message to the server; the reply is what it sends under the same id. */
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

  /** What the server sends unasked goes to `notify`. */
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

  /** The server has closed itself, or was closed: whoever waits for a reply hears of it. */
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.onclose?.();
    // Where it is the wire that ended, nobody waits.
    if (this.#notify === undefined) return;
    for (const [id, pending] of this.#pending) pending.settle(closedResponse(id));
  }

  #request(message: JsonRpcRequest & { readonly id: RequestId }, exchange: Exchange | undefined) {
    const { id, method, params } = message;
    const connection = exchange?.connection;
    const refuse = (error: "INVALID_REQUEST" | "INVALID_PARAMS" | "TOO_MANY_CALLS", text: string) =>
      errorResponse(id, { error, message: text });
    if (this.#closed) return closedResponse(id);
    if (this.#pending.has(id)) return refuse("INVALID_REQUEST", "a call with this id is under way");
    if (!isReadable(params))
      return refuse("INVALID_PARAMS", "params, its _meta or progressToken is malformed");
    if (connection?.isFull() === true) return refuse("TOO_MANY_CALLS", "too many calls are under way");
    return new Promise<McpResponse>((resolve) => {
      const settle = (response: McpResponse) => {
        this.#pending.delete(id);
        connection?.end(id);
        resolve(response);
      };
      this.#pending.set(id, { exchange, settle });
      connection?.begin(id, () => settle(emptyResponse));
      // Of more members than it knows the SDK does not answer.
      this.#take({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, exchange);
    });
  }

  #take(message: unknown, exchange: Exchange | undefined): void {
    const { auth } = exchange ?? {};
    const extra: SdkMessageExtra =
      auth === undefined ? {} : { authInfo: { clientId: auth.principal, scopes: auth.scopes, token: "" } };
    this.transport.onmessage?.(message as never, extra as never);
  }

  /** The SDK does not answer a request that was cancelled. */
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
    // A request of the server travels like a notification: as it is, with an id of the server's own.
    const notification = message as unknown as JsonRpcNotification;
    await (exchange?.notify === undefined ? this.#notify?.(notification) : exchange.notify(notification));
  }
}

/** Whether the SDK can read the parameters: a request whose it cannot is dropped there, and never answered. */
function isReadable(params: unknown): boolean {
  if (params === undefined) return true;
  if (!isJsonObject(params)) return false;
  const { _meta: meta } = params;
  if (meta === undefined) return true;
  return isJsonObject(meta) && (meta["progressToken"] === undefined || isRequestId(meta["progressToken"]));
}

function closedResponse(id: RequestId): McpResponse {
  return errorResponse(id, { error: "SERVICE_UNAVAILABLE", message: "the server has closed this session" });
}

/** The SDK's reply as one of ours. What `initialize` agreed on is noted on the connection. */
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
