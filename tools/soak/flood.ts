/**
 * @fileoverview Server of the soak test that floods its clients with notifications instead of a response, and clients that
 * give up. Both run in one process, so that it measures what the clients leave behind.
 * @module tools/soak/flood
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createClient } from "tenon/client";
import { runClients } from "./load.js";
import type { LoadPlan } from "./protocol.js";
import type { Tally } from "./tally.js";

const HANDSHAKE = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  serverInfo: { name: "flood", version: "1.0.0" },
};

const NOTIFICATION = { method: "notifications/message", params: { level: "info", data: "x".repeat(10_000) } };

const toText = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });

/** Starts the server. Returns its URL. */
export async function startFlood(): Promise<string> {
  const http = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { id, method } = JSON.parse(body || "{}") as { readonly id?: unknown; readonly method?: unknown };
      if (method === "tools/list") return void flood(response);
      const isHandshake = method === "server/discover";
      response.writeHead(isHandshake ? 200 : 202, { "content-type": "application/json" });
      response.end(isHandshake ? toText({ id, result: HANDSHAKE }) : undefined);
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // Safe: it listens on a port
}

/** Sends notifications until the client has disconnected. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const closed = once(response, "close");
  while (!response.destroyed) {
    const isFull = !response.write(`data: ${toText(NOTIFICATION)}\n\n`);
    if (isFull) await Promise.race([once(response, "drain"), closed]);
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Connects clients that are flooded until their time is over, and that close their connection then. */
export async function loadFlooded(plan: LoadPlan, url: string, tally: Tally): Promise<void> {
  await runClients(
    { ...plan, clients: 1 },
    () => tally.count("flooded clients") > 0,
    async (random) => {
      // On a busy machine, the time may be over before the handshake.
      const client = await createClient(url, { timeoutMs: random.between(500, 2_000) }).catch(
        () => undefined,
      );
      if (client === undefined) return;
      const outcome = await client.listTools().catch((error: unknown) => error);
      if (!(outcome instanceof Error)) tally.fail("flood: the list was complete");
      await client.close();
      tally.add("flooded clients");
    },
  );
}
