/**
 * @fileoverview mcp-lite without `Request` and `Response`: a bound of what its own code could reach, which no server
 * can offer.
 * @module bench/servers/mcp-lite-bound
 */
import type { Adapter } from "./contract.js";
import { lightestBridge } from "./light-bridge.js";
import { liteHandler } from "./mcp-lite.js";
import { listen } from "./node-http.js";

/** The adapter. */
export const adapter: Adapter = {
  http: (setup) => listen(lightestBridge(liteHandler(setup))),
};
