/**
 * @fileoverview Runs an official SDK server on Tenon's transports, for the legacy protocol revisions. Each session
 * is a transport for the SDK server, and a server for Tenon's transport.
 * @module sdk/adapters/sdk-server
 */
import type { Exchange, LogSink, McpResponse } from "tenon";
import { busyResponse, emptyResponse, errorResponse, type HostedServer, resultResponse } from "tenon/host";
import {
  describeInvalidMessage,
  type ErrorName,
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
import { read } from "@tenon/internal/security/safe-text";
import type { SdkMessageExtra, SdkServer, SdkTransport } from "./sdk-shapes.js";

/** Opens a session on an official SDK server. Each SDK server supports only one session. */
export async function openSdkServer(server: SdkServer, sessionId?: string): Promise<SdkSession> {
  const session = new SdkSession(server, sessionId);
  await server.connect(session.transport as never); // Safe: every SDK version accepts this shape
  return session;
}

interface Pending {
  readonly exchange: Exchange | undefined;
  settle(response: McpResponse): void;
}

/** The only session on an official SDK server. Closing it also closes the server. */
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

  /** Passes a message to the server. Resolves with the server's reply to that message's ID. */
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

  /** Sends messages unrelated to a request through `notify`, until the returned function is called. */
  attach(_connection: unknown, notify: NonNullable<Exchange["notify"]>): () => void {
    this.#notify = notify;
    return () => {
      this.#notify = undefined;
      this.close();
    };
  }

  /** Sends the errors that the SDK server reports to a log sink, unless the application listens to them itself. */
  useLog(sink: LogSink): void {
    const inner = read(this.#server, "server");
    const target = (isReporting(inner) ? inner : this.#server) as Reporting; // Safe: any SDK server may have `onerror`
    if (target.onerror !== undefined) return;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an event target
    target.onerror = (error, origin) => {
      const { operation = "server", name = "official SDK" } = origin ?? {};
      try {
        sink({ level: "error", event: "handler-failed", operation, name, error });
      } catch {
        // Ignore errors in the sink: they cannot be logged.
      }
    };
  }

  /** Closes the SDK server. Ignores errors, because the session ends in any case. */
  close(): void {
    void Promise.resolve(this.#server.close()).catch(() => undefined);
  }

  /** Responds to pending requests after the server has closed. */
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.transport.onclose?.();
    // If the transport closed first, no caller is waiting for a reply.
    if (this.#notify === undefined) return;
    for (const [id, pending] of this.#pending) pending.settle(closedResponse(id));
  }

  #request(message: JsonRpcRequest & { readonly id: RequestId }, exchange: Exchange | undefined) {
    const { id, method, params } = message;
    const connection = exchange?.connection;
    const refuse = (error: ErrorName, text: string) => errorResponse(id, { error, message: text });
    if (this.#closed) return closedResponse(id);
    if (this.#pending.has(id))
      return refuse("INVALID_REQUEST", "A call with this ID is already in flight. Use a new ID.");
    if (!isReadable(params))
      return refuse(
        "INVALID_PARAMS",
        "`params` and `params._meta` must be objects, and `progressToken` must be a string or a safe integer.",
      );
    const busy = connection && busyResponse(connection, id);
    if (busy !== undefined) return busy;
    return new Promise<McpResponse>((resolve) => {
      const settle = (response: McpResponse) => {
        this.#pending.delete(id);
        connection?.end(id);
        resolve(response);
      };
      this.#pending.set(id, { exchange, settle });
      connection?.begin(id, () => settle(emptyResponse));
      // The SDK ignores requests that have unknown members, so only the known ones are copied.
      this.#take({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, exchange);
    });
  }

  #take(message: unknown, exchange: Exchange | undefined): void {
    const { auth } = exchange ?? {};
    const extra: SdkMessageExtra =
      auth === undefined ? {} : { authInfo: { clientId: auth.principal, scopes: auth.scopes, token: "" } };
    this.transport.onmessage?.(message as never, extra as never);
  }

  /** Settles a cancelled request. The SDK does not respond to cancelled requests. */
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
    // Safe: requests from the server are sent like notifications, and keep the ID that the server chose.
    const notification = message as unknown as JsonRpcNotification;
    await (exchange?.notify === undefined ? this.#notify?.(notification) : exchange.notify(notification));
  }
}

/** An SDK server's error listener. Tool modules also tell it which operation failed. */
interface Reporting {
  onerror?: ((error: unknown, origin?: { operation?: string; name?: string }) => void) | undefined;
}

/** Recognizes the low-level server inside an `McpServer`. */
function isReporting(value: unknown): value is Reporting {
  return typeof value === "object" && value !== null;
}

/** Returns true if the SDK can parse the parameters. The SDK silently drops requests that it cannot parse. */
function isReadable(params: unknown): boolean {
  if (params === undefined) return true;
  if (!isJsonObject(params)) return false;
  const { _meta: meta } = params;
  if (meta === undefined) return true;
  return isJsonObject(meta) && (meta["progressToken"] === undefined || isRequestId(meta["progressToken"]));
}

const CLOSED = "The server has closed this session. Open a new session.";

function closedResponse(id: RequestId): McpResponse {
  return errorResponse(id, { error: "SERVICE_UNAVAILABLE", message: CLOSED });
}

/** Converts the SDK's reply. For `initialize`, it also stores the negotiated revision on the connection. */
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
