/**
 * @fileoverview Tenon's `toNodeHandler` on a plain `node:http` server, as in Express.
 * @module bench/servers/tenon-node
 */
import { toNodeHandler } from "../../packages/tenon/dist/transport/node/index.js";
import type { Adapter } from "./contract.js";
import { listen } from "./node-http.js";
import { legacyOption, tenonServer } from "./tenon.js";

/** Adapter of Tenon's `toNodeHandler`. */
export const adapter: Adapter = {
  http: (setup) => listen(toNodeHandler(tenonServer(setup), legacyOption(setup))),
};
