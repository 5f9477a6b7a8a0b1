/**
 * @fileoverview Baseline of fetch adapters: the response of raw-zod as a function from `Request` to `Response`.
 * @module bench/servers/raw-fetch
 */
import type { Adapter } from "./contract.js";
import { bridge, listen } from "./node-http.js";
import { RAW_SESSION } from "./raw.js";
import { zodAnswerer } from "./raw-zod.js";

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http(setup) {
    const answer = zodAnswerer(setup);
    const headers = {
      "content-type": "application/json",
      ...(setup.mode === "session" ? { "mcp-session-id": RAW_SESSION } : {}),
    };
    const handler = async (request: Request) => {
      const text = answer(await request.text());
      return text === "" ? new Response(null, { status: 202 }) : new Response(text, { status: 200, headers });
    };
    return listen(bridge(handler));
  },
};
