/**
 * @fileoverview Connects a Tenon server to an official SDK transport.
 * @module sdk/adapters/connect
 */
import type { Auth, Exchange, ToolMap } from "tenon";
import { Connection, type ConnectionOptions, type HostedServer } from "tenon/host";
import { isRequestId, isRevisionOf, type JsonRpcMessage, messageKind, type RequestId } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom } from "@tenon/internal/options/option-rows";
import type { SdkExchange, SdkMessageExtra, SdkTransport } from "./sdk-shapes.js";

const CONNECT_OPTIONS = /* @__PURE__ */ defineOptions("connect", {
  /** Application context for every request. */
  context: custom<unknown>(),
  /** Called with errors of the transport, such as those that occur while sending. */
  onError: callback<(error: unknown) => void>({ aliases: ["onerror"] }),
});

/** Options for `connect`. */
export interface ConnectOptions<Context = unknown> extends OptionsOf<typeof CONNECT_OPTIONS> {
  readonly context?: Context;
}

/** Connection opened by `connect`. */
export interface SdkConnection {
  /** Cancels all calls in flight, then closes the transport. */
  close(): Promise<void>;
}

/**
 * Connects a server to an official SDK transport and starts the transport.
 *
 * @example await connect(server, new StdioServerTransport());
 * @throws if an option is unknown, or the transport cannot start
 */
export async function connect<Context, Tools extends ToolMap>(
  server: HostedServer<Context, Tools>,
  transport: SdkTransport,
  options: ConnectOptions<Context> = {},
): Promise<SdkConnection> {
  assertOptions(CONNECT_OPTIONS, options);
  const context = options.context as Context; // Safe: `undefined` only if the server declares no context
  const end = await linkTransport(server, transport, {
    context,
    onerror: (error) => options.onError?.(error),
  });
  return {
    async close() {
      end();
      await transport.close();
    },
  };
}

/** Settings of a link, and callbacks for a transport's close and error events. */
interface Link<Context> {
  readonly context: Context;
  /** Options of the connection, such as the only era that it serves. */
  readonly connection?: ConnectionOptions;
  onclose?(): void;
  /** @param unsent kind of the message that could not be sent, if any */
  onerror(error: unknown, unsent?: "notification" | "response" | "invalid"): void;
}

/**
 * Connects a transport to the server until it closes, and starts it. Listeners already set on the transport are called
 * first. Returns a function that disconnects the transport.
 */
export async function linkTransport<Context>(
  server: HostedServer<Context>,
  transport: SdkTransport,
  link: Link<Context>,
): Promise<() => void> {
  const connection = new Connection(link.connection);
  const { onclose, onerror } = transport;
  // Safe: the existing listener was set for this transport, so it accepts what the transport delivers, in any SDK
  // version.
  const onmessage = transport.onmessage as ((message: unknown, extra: unknown) => void) | undefined;
  const send = async (message: unknown, relatedRequestId?: RequestId) => {
    try {
      await transport.send(message, relatedRequestId === undefined ? undefined : { relatedRequestId });
    } catch (error) {
      // The code that sent a request receives the error. Nothing waits for the other messages.
      const kind = messageKind(message);
      if (kind === "request") throw error;
      link.onerror(error, kind);
    }
  };
  const detach = server.attach(connection, (notification) => send(notification));
  const end = () => {
    detach();
    connection.close();
  };
  transport.onclose = () => {
    onclose?.();
    end();
    link.onclose?.();
  };
  transport.onerror = (error) => {
    onerror?.(error);
    link.onerror(error);
  };
  const receive = async (message: JsonRpcMessage, extra: SdkMessageExtra) => {
    const exchange = createExchange({ connection, message, extra, send });
    const response = await server.handle(message, link.context, exchange);
    if ("method" in message && message.method === "initialize" && response.error === undefined) {
      transport.setProtocolVersion?.(connection.revision);
    }
    if (!response.isEmpty()) await send(JSON.parse(response.toText()));
  };
  transport.onmessage = (message: JsonRpcMessage, extra?: SdkMessageExtra) => {
    onmessage?.(message, extra);
    const { sessionId } = transport;
    // In-memory transports deliver synchronously. Handling each message in a microtask lets a call that is still
    // starting finish its setup first.
    void Promise.resolve()
      .then(() => receive(message, { ...extra, ...(sessionId === undefined ? {} : { sessionId }) }))
      .catch((error: unknown) => link.onerror(error));
  };
  try {
    await transport.start();
  } catch (error) {
    detach();
    link.onclose?.();
    throw error;
  }
  return end;
}

/** A received message, its connection, and a function that replies on the same transport. */
interface SdkDelivery {
  readonly connection: Connection;
  readonly message: unknown;
  readonly extra: SdkMessageExtra;
  /** Sends a message. With `relatedRequestId`, the transport uses that request's stream. */
  readonly send: (message: unknown, relatedRequestId?: RequestId) => Promise<void>;
}

/** Creates the exchange for a message. Messages sent through it use the message's ID as `relatedRequestId`. */
function createExchange({ connection, message, extra, send }: SdkDelivery): SdkExchange & Exchange {
  const given = isJsonObject(message) ? message["id"] : undefined;
  const id = isRequestId(given) ? given : undefined;
  const { authInfo } = extra;
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
    sdk: extra,
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
function useVersionHeader(connection: Connection, extra: SdkMessageExtra): void {
  if (connection.clientInfo !== undefined || connection.era === "modern") return;
  const version = readHeader(extra, "mcp-protocol-version");
  if (isRevisionOf("legacy", version)) connection.revision = version;
}

/** Returns a header of the HTTP request that a message arrived with. Version 2 of the SDK passes the request itself. */
function readHeader({ request, requestInfo }: SdkMessageExtra, name: string): string | undefined {
  if (request !== undefined) return request.headers.get(name) ?? undefined;
  const headers = isJsonObject(requestInfo) ? requestInfo["headers"] : undefined;
  const value = isJsonObject(headers) ? headers[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
