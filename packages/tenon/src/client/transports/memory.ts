/**
 * @fileoverview Client transport to a server in the same process.
 * @module tenon/client/transports/memory
 */
import { isJsonObject } from "@tenon/internal/json";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { type MemoryTransportOptions, openClientTransport } from "../../transport/memory/memory-transport.js";
import type { OpenTransport } from "./transport.js";

/** Creates a function that connects to a server in memory. */
export function toMemory<Context>(
  server: HostedServer<Context>,
  options: Pick<MemoryTransportOptions<Context>, "context" | "auth">,
): OpenTransport {
  return ({ onMessage }) => {
    const { transport, handle } = openClientTransport(server, {
      ...options,
      onFrame(frame) {
        const message: unknown = JSON.parse(frame); // trusted: the server runs in this process
        for (const one of Array.isArray(message) ? message : [message])
          if (isJsonObject(one)) void onMessage(one);
      },
    });
    return {
      isHttp: false,
      send: (message) => transport.send(JSON.stringify(message)),
      handle,
      close() {
        transport.close();
        return Promise.resolve();
      },
    };
  };
}
