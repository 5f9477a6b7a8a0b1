import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { createMemoryStore } from "tenon/stores";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connectV1 } from "../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../tools/official-clients/v2-client.js";

/** Time in milliseconds after which a stream is cut, and before the client connects again. */
const CUT_MS = 60;
const RETRY_MS = 30;

interface Breaks {
  readonly breaks: number;
  readonly isShared: boolean;
  /** Returns true for a request whose stream is cut. */
  readonly isCut: (request: IncomingMessage) => boolean;
}

/** Serves a slow tool. Cuts the first streams of one kind. After the last cut, the tool ends and its list changes. */
async function serveWithBreaks({ breaks, isShared, isCut }: Breaks) {
  const state = { left: breaks, isOver: false };
  const builder = defineServer({ name: "slow", version: "1.0.0" }).tool("slow", {
    handler: async (_, call) => {
      // The first event opens the stream.
      await call.log("info", "started");
      while (state.left > 0) await sleep(10);
      await sleep(CUT_MS);
      state.isOver = true;
      return "done";
    },
  });
  const server = builder.build();
  const store = isShared ? { store: createMemoryStore() } : {};
  const handler = toNodeHandler(server, { retryMs: RETRY_MS, ...store });
  const http = createServer((request, response) => {
    handler(request, response);
    const cut = async () => {
      while (!response.headersSent && !response.destroyed) await sleep(10);
      await sleep(CUT_MS);
      if (state.left === 0 || response.writableEnded || !isCut(request)) return;
      state.left--;
      request.socket.destroy();
      if (state.left === 0) void server.notifyListChanged("tools");
    };
    void cut();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    await handler.close(0);
    http.close();
    http.closeAllConnections();
  });
  const { port } = http.address() as AddressInfo; // listening on a port
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), state };
}

/** Returns true for the stream of a call, or one that resumes it. */
function isOfCall({ method, headers }: IncomingMessage): boolean {
  const { "last-event-id": resumed } = headers;
  return method === "POST" || (resumed !== undefined && !String(resumed).startsWith("main"));
}

/** Returns true for the session's stream. */
function isMain(request: IncomingMessage): boolean {
  return request.method === "GET" && !isOfCall(request);
}

const CLIENTS = {
  v1: (url: URL) => connectV1(new StreamableHTTPClientTransport(url)),
  v2: (url: URL) => connectV2("unset", new TransportV2(url)),
};

describe.each([
  ["v1", "in memory", false],
  ["v1", "in a store", true],
  ["v2", "in memory", false],
  ["v2", "in a store", true],
] as const)("the %s client, with sessions %s", (version, _place, isShared) => {
  const connect = async (url: URL) => {
    const client = await CLIENTS[version](url);
    onTestFinished(() => client.close());
    return client;
  };

  test.each([2, 3])(
    "gets the result of a call after %i breaks without an event in between",
    async (breaks) => {
      const { url, state } = await serveWithBreaks({ breaks, isShared, isCut: isOfCall });
      const client = await connect(url);
      expect(await client.callTool("slow")).toMatchObject({ content: [{ text: "done" }] });
      expect(state).toEqual({ left: 0, isOver: true });
    },
  );

  test("gets a change once after 3 breaks of the session's stream without an event in between", async () => {
    const { url } = await serveWithBreaks({ breaks: 3, isShared, isCut: isMain });
    const client = await connect(url);
    const changes = () => client.notifications.filter(({ method }) => method === LIST_CHANGED);
    await vi.waitFor(() => expect(changes()).toHaveLength(1), { timeout: 30_000, interval: 10 });
    // A second copy would arrive during the call.
    await client.callTool("slow");
    expect(changes()).toHaveLength(1);
  });
});

const LIST_CHANGED = "notifications/tools/list_changed";
