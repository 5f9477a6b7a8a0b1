/**
 * @fileoverview Connects a Tenon server to an official SDK transport.
 * @module sdk/adapters/connect
 */
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom } from "@tenon/internal/options/option-rows";
import type { ToolMap } from "tenon";
import { Connection, type HostedServer } from "tenon/host";
import type { JsonRpcMessage, RequestId } from "tenon/protocol";
import { createSdkExchange } from "./sdk-exchange.js";
import type { SdkMessageExtra, SdkTransport } from "./sdk-shapes.js";

const CONNECT_OPTIONS = /* @__PURE__ */ defineOptions("connect", {
  /** Application context for every request. */
  context: custom<unknown>(),
  /** Called with errors that occur while sending. */
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
  const connection = new Connection();
  const send = async (message: unknown, relatedRequestId?: RequestId) => {
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
  const receive = async (message: JsonRpcMessage, extra: SdkMessageExtra | undefined) => {
    const exchange = createSdkExchange({ connection, message, extra, send });
    // Safe: `undefined` only if the server declares no context.
    const response = await server.handle(message, options.context as Context, exchange);
    const reply = response.isEmpty() ? undefined : (JSON.parse(response.toText()) as unknown);
    if (reply !== undefined) await send(reply);
  };
  const before = transport.onclose;
  transport.onmessage = (message: JsonRpcMessage, extra?: SdkMessageExtra) => {
    // In-memory transports deliver synchronously. Handling each message in a microtask lets a call that is still
    // starting finish its setup first.
    void Promise.resolve().then(() => receive(message, extra));
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
