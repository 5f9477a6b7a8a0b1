/**
 * @fileoverview Our server on a transport of the official SDK: it runs wherever such a transport exists.
 * @module kit/connect
 */
import { Connection } from "tenon/host";
import type { Exchange } from "tenon";
import type { Server, ToolMap } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import type { JsonRpcMessage } from "tenon/protocol";
import type { SdkMessageExtra, SdkTransport } from "./sdk-shapes.js";

/** An open connection. */
export interface SdkConnection {
  /** Ends it: calls under way are cancelled, and the transport is closed. */
  close(): Promise<void>;
}

/**
 * Connects a server to a transport of the official SDK.
 *
 * @example await connect(server, new StdioServerTransport());
 */
export async function connect<Context, Tools extends ToolMap>(
  server: Server<Context, Tools>,
  transport: SdkTransport,
  options: { readonly context?: Context; readonly onError?: (error: unknown) => void } = {},
): Promise<SdkConnection> {
  const connection = new Connection();
  const send = async (message: unknown, relatedRequestId?: string | number) => {
    try {
      await transport.send(message, relatedRequestId === undefined ? undefined : { relatedRequestId });
    } catch (error) {
      options.onError?.(error);
    }
  };
  const detach = server.attach(connection, (notification) => send(notification));
  const end = () => {
    detach();
    connection.close();
  };
  const take = async (message: JsonRpcMessage, extra: SdkMessageExtra | undefined) => {
    const exchange = exchangeFor(connection, message, extra, send);
    const response = await server.handle(message, options.context as Context, exchange); // the caller's own choice
    const reply = response.isEmpty() ? undefined : (JSON.parse(response.toText()) as unknown);
    if (reply !== undefined) await send(reply);
  };
  const before = transport.onclose;
  transport.onmessage = (message: JsonRpcMessage, extra?: SdkMessageExtra) => {
    // Transports in memory deliver at once: what a client says while its call begins must not overtake that.
    void Promise.resolve().then(() => take(message, extra));
  };
  transport.onclose = () => {
    end();
    before?.();
  };
  await transport.start();
  return {
    async close() {
      end();
      await transport.close();
    },
  };
}

function exchangeFor(
  connection: Connection,
  message: unknown,
  extra: SdkMessageExtra | undefined,
  send: (message: unknown, relatedRequestId?: string | number) => Promise<void>,
): Exchange {
  const id = isJsonObject(message) ? (message["id"] as string | number | undefined) : undefined;
  const authInfo = extra?.authInfo;
  return {
    connection,
    ...(authInfo === undefined ? {} : { auth: { principal: authInfo.clientId, scopes: authInfo.scopes } }),
    notify: (notification) => send(notification, id),
    async request(question, signal) {
      const { message: asked, answer } = connection.ask(question, signal);
      await send(asked, id);
      return answer;
    },
  };
}
