/**
 * @fileoverview The facade on a transport of the official SDK, of either generation.
 * @module app/mcp-server/transport-link
 */
import { Connection } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import { isRequestId, type JsonRpcMessage, type RequestId } from "tenon/protocol";
import type { SdkTransport } from "../adapters/sdk-shapes.js";
import type { FacadeCore } from "./facade-core.js";
import type { FacadeExchange, SdkFacts } from "./requests/request-scope.js";

/** What the application hears of a transport. */
interface LinkListener {
  onclose(): void;
  onerror(error: unknown): void;
}

/** Connects a transport, until it closes. Listeners that it has already hear everything first. */
export async function openLink(
  core: FacadeCore,
  transport: SdkTransport,
  listener: LinkListener,
): Promise<void> {
  const connection = new Connection();
  const { onclose, onerror } = transport;
  // Methods of any version: each is called with the messages that it sent itself.
  const onmessage = transport.onmessage as ((message: unknown, extra: unknown) => void) | undefined;
  const send = async (message: unknown, relatedRequestId?: RequestId) => {
    try {
      await transport.send(message, relatedRequestId === undefined ? undefined : { relatedRequestId });
    } catch (error) {
      listener.onerror(error);
    }
  };
  const detach = core.attach(connection, (notification) => send(notification));
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
  const take = async (message: JsonRpcMessage, facts: SdkFacts) => {
    const exchange = exchangeFor(connection, message, facts, send);
    const response = await core.handle(message, undefined, exchange);
    if (!response.isEmpty()) await send(JSON.parse(response.toText()));
  };
  transport.onmessage = (message: JsonRpcMessage, extra?: SdkFacts) => {
    onmessage?.(message, extra);
    const { sessionId } = transport;
    // Transports in memory deliver at once: what a client says while its call begins must not overtake that.
    void Promise.resolve()
      .then(() => take(message, { ...extra, ...(sessionId === undefined ? {} : { sessionId }) }))
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

function exchangeFor(
  connection: Connection,
  message: unknown,
  sdk: SdkFacts,
  send: (message: unknown, relatedRequestId?: RequestId) => Promise<void>,
): FacadeExchange {
  const given = isJsonObject(message) ? message["id"] : undefined;
  const id = isRequestId(given) ? given : undefined;
  const { authInfo } = sdk;
  return {
    connection,
    sdk,
    ...(authInfo === undefined ? {} : { auth: { principal: authInfo.clientId, scopes: authInfo.scopes } }),
    notify: (notification) => send(notification, id),
    async request(question, signal) {
      const { message: asked, answer } = connection.ask(question, signal);
      await send(asked, id);
      return answer;
    },
  };
}
