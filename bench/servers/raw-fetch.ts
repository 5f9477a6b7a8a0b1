/**
 * @fileoverview Baseline of fetch adapters: the response of raw-zod as a function from `Request` to `Response`, in the
 * cheapest ordinary form: `request.json()`, a text body, and plain header objects.
 * @module bench/servers/raw-fetch
 */
import type { Adapter, RawMessage, Setup } from "./contract.js";
import { bridge, type FetchFunction, listen } from "./node-http.js";
import { RAW_SESSION } from "./raw.js";
import { zodResults } from "./raw-zod.js";

function rawFetch(setup: Setup): FetchFunction {
  const resultOf = zodResults(setup);
  const isModern = setup.mode === "modern";
  const isSession = setup.mode === "session";
  return async (request) => {
    const message = (await request.json()) as RawMessage;
    const { id } = message;
    if (id === undefined) return new Response(null, { status: 202 });
    if (isModern && !matchesWebHeaders(request.headers, message)) return new Response(null, { status: 400 });
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(message) });
    // A new object for each response: @hono/node-server 1 adds the length to it.
    const headers = isSession
      ? { "content-type": "application/json", "mcp-session-id": RAW_SESSION }
      : { "content-type": "application/json" };
    return new Response(text, { status: 200, headers });
  };
}

/** Compares the headers of a modern request with its body, as raw-zod does. */
function matchesWebHeaders(headers: Headers, { method, params }: RawMessage): boolean {
  return (
    headers.get("mcp-protocol-version") === params?._meta?.["io.modelcontextprotocol/protocolVersion"] &&
    headers.get("mcp-method") === method &&
    headers.get("mcp-name") === params?.name
  );
}

/** Adapter of the baseline. */
export const adapter: Adapter = {
  http: (setup) => listen(bridge(rawFetch(setup))),
  fetch: rawFetch,
};
