/**
 * @fileoverview Tenon's fetch face behind the bridge that raw-fetch stands behind.
 * @module bench/servers/tenon-fetch
 */
import { toFetch } from "../../packages/tenon/dist/transport/fetch/index.js";
import type { Adapter } from "./contract.js";
import { bridge, listen } from "./node-http.js";
import { legacyOption, tenonServer } from "./tenon.js";

/** The adapter. */
export const adapter: Adapter = {
  http: (setup) => listen(bridge(toFetch(tenonServer(setup), legacyOption(setup)))),
};
