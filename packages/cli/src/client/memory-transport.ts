/**
 * @fileoverview Transport to a server in the same process.
 * @module cli/client/memory-transport
 */
import { isJsonObject } from "@tenon/internal/json";
import { toServerSource } from "@tenon/sdk/adapters";
import { openMemoryTransport as openPair } from "tenon/testing";
import type { LogSink } from "tenon";
import type { LoadedServer } from "../load/load-server.js";
import { CLIENT_LIMITS, type Transport, type TransportEvents } from "./transport.js";

/** Opens a transport to a server that was loaded from a file. `log` receives its failures, unless it has a log. */
export async function openMemoryTransport(
  { origin, context }: LoadedServer,
  log: LogSink,
  events: TransportEvents,
): Promise<Transport> {
  const server = await toServerSource(origin).open("memory");
  server.useLog?.(log);
  const pair = openPair(server, {
    context,
    limits: CLIENT_LIMITS,
    onFrame(frame) {
      const message: unknown = JSON.parse(frame); // trusted: the server runs in this process
      for (const one of Array.isArray(message) ? message : [message]) {
        if (isJsonObject(one)) events.onMessage(one);
      }
    },
  });
  return {
    isHttp: false,
    send: (message) => pair.send(JSON.stringify(message)),
    async close() {
      pair.close();
    },
  };
}
