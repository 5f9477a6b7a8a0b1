/**
 * @fileoverview Connects the facade to a transport from version 1 or 2 of the official SDK.
 * @module sdk/mcp-server/transport-link
 */
import { Connection, type ConnectionOptions } from "tenon/host";
import { type JsonRpcMessage, messageKind, type RequestId } from "tenon/protocol";
import { createSdkExchange } from "../adapters/sdk-exchange.js";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import type { FacadeServer } from "./facade-server.js";
import { toText } from "./requests/errors.js";
import type { FacadeExchange, SdkFacts } from "./requests/request-scope.js";

/** Callbacks for a transport's close and error events. */
interface LinkListener {
  /** Options of the connection, such as the only era that it serves. */
  readonly connection?: ConnectionOptions;
  onclose(): void;
  onerror(error: unknown): void;
}

/**
 * Connects a transport to the server and disconnects it on close. Listeners already set on the transport are called
 * first.
 */
export async function openLink(
  server: FacadeServer,
  transport: SdkTransport,
  listener: LinkListener,
): Promise<void> {
  const connection = new Connection(listener.connection);
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
      const text = `Failed to send response: ${toText(error)}`;
      listener.onerror(kind === "response" ? new Error(text, { cause: error }) : error);
    }
  };
  const detach = server.attach(connection, (notification) => send(notification));
  transport.onclose = () => {
    onclose?.();
    detach();
    connection.close();
    listener.onclose();
  };
  transport.onerror = (error) => {
    onerror?.(error);
    listener.onerror(error);
  };
  const receive = async (message: JsonRpcMessage, facts: SdkFacts) => {
    const exchange: FacadeExchange = {
      ...createSdkExchange({ connection, message, extra: facts, send }),
      sdk: facts,
    };
    const response = await server.handle(message, undefined, exchange);
    if ("method" in message && message.method === "initialize" && response.error === undefined) {
      transport.setProtocolVersion?.(connection.revision);
    }
    if (!response.isEmpty()) await send(JSON.parse(response.toText()));
  };
  transport.onmessage = (message: JsonRpcMessage, extra?: SdkFacts) => {
    onmessage?.(message, extra);
    const { sessionId } = transport;
    // In-memory transports deliver synchronously. Handling each message in a microtask lets a call that is still
    // starting finish its setup first.
    void Promise.resolve()
      .then(() => receive(message, { ...extra, ...(sessionId === undefined ? {} : { sessionId }) }))
      .catch((error: unknown) => listener.onerror(error));
  };
  try {
    await transport.start();
  } catch (error) {
    detach();
    listener.onclose();
    throw error;
  }
}
