import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import { type FetchHandler, toFetch } from "tenon/fetch";
import { clientOn } from "../support/contract/transport-client.js";
import { describeTransport } from "../support/contract/transport-contract.js";
import { openFetch, openNodeHttp } from "../support/contract/transport-http-wires.js";
import { openReference } from "../support/contract/transport-reference.js";
import { createContractServer } from "../support/contract/transport-server.js";
import { readEvents } from "../support/contract/transport-sse.js";
import { openChild, openStreams } from "../support/contract/transport-stdio-wires.js";

describeTransport("in memory", openReference);
describeTransport("stdio on streams", clientOn(openStreams));
describeTransport("stdio in a child process", clientOn(openChild));
describeTransport("HTTP on node:http", clientOn(openNodeHttp(true)));
describeTransport("HTTP on node:http with streamed bodies", clientOn(openNodeHttp(false)));
describeTransport("HTTP as fetch", clientOn(openFetch));

describe("an event stream", () => {
  test.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)(
    "in %s has a message in every event, because clients do not support empty events",
    async (revision) => {
      const handler = toFetch(createContractServer());
      const opened = await post(handler, initialize(revision));
      const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      const counting = call("count", { _meta: { progressToken: 1 } });
      const events: string[] = [];
      for await (const { data } of readEvents(await post(handler, counting, { headers }))) events.push(data);
      expect(events.map((data) => data !== "" && (JSON.parse(data) as JsonObject)["method"])).toEqual([
        "notifications/progress",
        "notifications/progress",
        "notifications/progress",
        undefined,
      ]);
      await handler.close(0);
    },
  );

  test("from a fetch handler errors when the request's signal aborts, as with fetch itself", async () => {
    const handler = toFetch(createContractServer());
    const controller = new AbortController();
    const _meta = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {}, progressToken: 1 };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "wait" };
    const waiting = call("wait", { arguments: { text: "for ever" }, _meta });
    const response = await post(handler, waiting, { headers, signal: controller.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const next = reader?.read().then(
      () => "ended",
      () => "broken off",
    );
    controller.abort();
    expect(await Promise.race([next, delay(1_000, "still open")])).toBe("broken off");
    await handler.close(0);
  });
});

function initialize(protocolVersion: string): JsonObject {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "0" } };
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

function call(name: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: {}, ...params } };
}

function post(
  handler: FetchHandler,
  message: JsonObject,
  { headers, signal }: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(message),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}
