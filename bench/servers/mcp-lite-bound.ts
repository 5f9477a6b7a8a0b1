/**
 * @fileoverview mcp-lite without real `Request` and `Response` objects: an upper bound for its own code, which no real
 * server can reach.
 * @module bench/servers/mcp-lite-bound
 */
import type { Adapter } from "./contract.js";
import { lightestBridge } from "./light-bridge.js";
import { liteHandler } from "./mcp-lite.js";
import { listen } from "./node-http.js";

/** Adapter of mcp-lite with imitated requests and responses. */
export const adapter: Adapter = {
  http: (setup) => listen(lightestBridge(liteHandler(setup))),
};
