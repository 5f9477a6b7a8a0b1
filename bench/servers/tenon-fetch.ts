/**
 * @fileoverview Tenon's `toFetch` behind the same bridge as raw-fetch.
 * @module bench/servers/tenon-fetch
 */
import { toFetch } from "../../packages/tenon/dist/transport/fetch/index.js";
import type { Adapter, Setup } from "./contract.js";
import { bridge, listen } from "./node-http.js";
import { legacyOption, tenonServer } from "./tenon.js";

const fetchHandler = (setup: Setup) => toFetch(tenonServer(setup), legacyOption(setup));

/** Adapter of Tenon's `toFetch`. */
export const adapter: Adapter = {
  http: (setup) => listen(bridge(fetchHandler(setup))),
  fetch: fetchHandler,
};
