/**
 * @fileoverview In-memory transport. Frames are text, as on any other transport, and arrive in a later microtask. The
 * client also sends small requests as objects.
 * @module tenon/transport/memory/memory-transport
 */
import { Connection, type ConnectionOptions } from "../../core/wire/connection.js";
import type { Auth, Exchange } from "../../core/wire/exchange.js";
import { receive, replyText } from "../../core/wire/receive.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import type { McpResponse } from "../../core/wire/response.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcRequest, MessageLimits } from "../../protocol/index.js";

/** In-memory transport options. */
export interface MemoryTransportOptions<Context> {
  readonly context: Context;
  readonly auth?: Auth | undefined;
  readonly connection?: ConnectionOptions;
  readonly limits?: MessageLimits;
  /** Called with every frame that the server sends. */
  readonly onFrame: (frame: string) => void;
}

/** Open in-memory transport. */
export interface MemoryTransport {
  readonly connection: Connection;
  /** Sends a frame to the server. Resolves when the reply has been sent. */
  send(frame: string): Promise<void>;
  /** Closes the transport and cancels calls in flight. */
  close(): void;
}

/** In-memory transport of the client. */
export interface DirectTransport {
  readonly transport: MemoryTransport;
  /**
   * Handles a request without text in between. The server owns the request, so the caller must not keep a reference to
   * any part of it. The message limits are not checked.
   */
  readonly handle: (request: JsonRpcRequest) => MaybePromise<McpResponse>;
}

/** Connects to a server in memory, without a client. */
export function openMemoryTransport<Context>(
  server: Pick<HostedServer<Context>, "handle" | "attach">,
  options: MemoryTransportOptions<Context>,
): MemoryTransport {
  return openClientTransport(server, options).transport;
}

/** Connects to a server in memory, for the client. */
export function openClientTransport<Context>(
  server: Pick<HostedServer<Context>, "handle" | "attach">,
  options: MemoryTransportOptions<Context>,
): DirectTransport {
  const connection = new Connection(options.connection);
  let open = true;
  const write = (frame: string) => {
    if (open && frame !== "") options.onFrame(frame);
  };
  const exchange: Exchange = {
    connection,
    auth: options.auth,
    notify: (notification) => write(JSON.stringify(notification)),
    request(request, signal) {
      const { message, answer } = connection.ask(request, signal);
      write(JSON.stringify(message));
      return answer;
    },
  };
  const delivery = { context: options.context, exchange, limits: options.limits };
  const detach = server.attach(connection, (notification) => write(JSON.stringify(notification)));
  const transport: MemoryTransport = {
    connection,
    async send(frame) {
      if (!open) throw new Error("The transport is closed. Open a new one with `openMemoryTransport`.");
      await Promise.resolve();
      write(replyText(await receive(server, frame, delivery)));
    },
    close() {
      if (!open) return;
      open = false;
      detach();
      connection.close();
    },
  };
  return { transport, handle: (request) => server.handle(request, options.context, exchange) };
}
