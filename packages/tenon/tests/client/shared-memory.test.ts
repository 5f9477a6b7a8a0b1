import { describe, expect, test, vi } from "vitest";
import type { Client } from "../../src/client/index.js";
import {
  connectHostile,
  connectProgram,
  openStream,
  type Received,
  reply,
  writeTo,
} from "../support/client/hostile-peers.js";

const MEGABYTE = 1024 * 1024;
const LIMITS = { maxTotalBytes: 8 * MEGABYTE };
const CHANGED = { method: "notifications/tools/list_changed" };

/** Fills the memory that all clients share with responses that never end. Resolves when it is full. */
async function fillTotal(): Promise<Client> {
  const hostile = await connectHostile(
    (received) => {
      received.response.setHeader("content-type", "application/json");
      return writeTo(received.response, `{"x":"${"x".repeat(MEGABYTE)}`);
    },
    { limits: LIMITS },
  );
  const refused = vi.fn();
  for (let call = 0; call < 16; call++) void hostile.callTool("a").catch(refused);
  await vi.waitFor(() => expect(String(refused.mock.calls[0])).toContain("limits.maxTotalBytes"));
  return hostile;
}

/** Serves a session that never responds to pings. `onStream` serves the stream that does not belong to a request. */
const serveSession =
  (onStream: (received: Received) => unknown) =>
  (received: Received): unknown => {
    const { request, method, response } = received;
    if (request.method === "GET") return onStream(received);
    if (method === "ping") return openStream(received);
    if (method !== "initialize") return response.writeHead(202).end();
    response.setHeader("mcp-session-id", "s");
    const serverInfo = { name: "s", version: "1" };
    return reply(received, { protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
  };

describe("a hostile server that fills the memory of all clients", () => {
  test("does not end the stream of an honest server", async () => {
    const heard = vi.fn();
    let streams = 0;
    let send = async (_size: number) => {};
    await connectHostile(
      serveSession((received) => {
        streams++;
        openStream(received);
        send = async (size) => {
          const event = `data: ${JSON.stringify({ jsonrpc: "2.0", ...CHANGED, params: { text: "x".repeat(size) } })}\n\n`;
          await writeTo(received.response, event.slice(0, -1));
          await writeTo(received.response, event.slice(-1));
        };
      }),
      { revision: "2025-11-25", limits: LIMITS, onNotification: ({ method }) => heard(method) },
    );
    await vi.waitFor(() => expect(streams).toBe(1));
    await fillTotal();
    await send(1.5e6);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(CHANGED.method));
    expect(streams).toBe(1);
  });

  test("does not end an honest program", async () => {
    const heard = vi.fn();
    const honest = await connectProgram(
      `await send({ id, result: { content: [], more: "x".repeat(3e6) } });
       await send(${JSON.stringify(CHANGED)});`,
      { limits: LIMITS, reconnect: false, onNotification: ({ method }) => heard(method) },
    );
    await fillTotal();
    expect(await honest.callTool("a")).toMatchObject({ content: [] });
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(CHANGED.method));
  });
});

test("an event that is too large fails requests in flight, and the stream starts again", async () => {
  const heard = vi.fn();
  const lastIds: unknown[] = [];
  let refuse = async () => {};
  const client = await connectHostile(
    serveSession(async (received) => {
      lastIds.push(received.request.headers["last-event-id"]);
      const send = openStream(received);
      if (lastIds.length > 1) return send(CHANGED);
      await writeTo(received.response, `id: 1\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`);
      refuse = () => writeTo(received.response, `id: 2\ndata: ${"x".repeat(2 * MEGABYTE)}\n\n`);
    }),
    {
      revision: "2025-11-25",
      limits: { maxMessageBytes: MEGABYTE },
      onNotification: ({ method }) => heard(method),
    },
  );
  await vi.waitFor(() => expect(heard).toHaveBeenCalledWith("notifications/x"));
  const failures: string[] = [];
  void client.request("ping").catch((error: unknown) => failures.push(String(error)));
  await refuse();
  await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(CHANGED.method));
  // The same event would be sent again after the ID of the last one.
  expect(lastIds).toEqual([undefined, undefined]);
  expect(failures.join()).toContain("is too large");
});
