/**
 * @fileoverview A wire to a server in this very process.
 * @module cli/client/memory-wire
 */
import { isJsonObject } from "../../internal/json.js";
import { type ServerOrigin, toServerSource } from "../../kit/server-factory.js";
import { openMemoryWire as openPair } from "../../transport/memory/pair.js";
import { CLIENT_LIMITS, type Wire, type WireEvents } from "./wire.js";

/** Connects to a server that was loaded from a file. */
export async function openMemoryWire(origin: ServerOrigin<unknown>, events: WireEvents): Promise<Wire> {
  const pair = openPair(await toServerSource(origin).open("memory"), {
    context: undefined,
    limits: CLIENT_LIMITS,
    onFrame(frame) {
      const message: unknown = JSON.parse(frame); // of a server in this process
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
