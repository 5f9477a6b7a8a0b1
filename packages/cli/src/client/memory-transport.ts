/**
 * @fileoverview Transport to a server in the same process.
 * @module cli/client/memory-transport
 */
import { isJsonObject } from "@tenon/internal/json";
import { type ServerOrigin, toServerSource } from "@tenon/sdk";
import { openMemoryTransport as openPair } from "tenon/testing";
import { CLIENT_LIMITS, type Transport, type TransportEvents } from "./transport.js";

/** Opens a transport to a server that was loaded from a file. */
export async function openMemoryTransport(
  origin: ServerOrigin<unknown>,
  events: TransportEvents,
): Promise<Transport> {
  const pair = openPair(await toServerSource(origin).open("memory"), {
    context: undefined,
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
