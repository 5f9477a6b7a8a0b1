import { describe, expect, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import { type EventReader, readEvents } from "../../../../../tests/support/http-events.js";
import { post, read, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { logged, startNodes, type TestNode, text } from "../../support/session/shared/nodes.js";

const GET = { method: "GET", headers: { accept: "text/event-stream" } };

/** Opens an event stream, and returns it with the path for messages. */
const open = async ({
  endpoint,
}: TestNode): Promise<{ readonly events: EventReader; readonly path: string }> => {
  const events = readEvents(await endpoint.fetch(GET, "/sse"));
  const { data = "" } = (await events.next()) ?? {};
  return { events, path: data };
};

/** Sends a message to a node. */
const send = async ({ endpoint }: TestNode, path: string, message: unknown) =>
  (await endpoint.fetch(post(message), path)).status;

describe("the HTTP+SSE transport on several nodes", () => {
  test("accepts messages on any node, and replies on the stream of the first", async () => {
    const store = createMemoryStore();
    const [a, b] = await startNodes({ store, http: { legacySse: true } });
    const { events, path } = await open(a);
    const capabilities = { elicitation: {} };
    expect(await send(b, path, initializeBody("2025-06-18", capabilities))).toBe(202);
    expect(await events.message()).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
    expect(await send(a, path, request("tools/call", { name: "count", arguments: { to: 2 } }, 2))).toBe(202);
    expect([await events.message(), await events.message(), await events.message()]).toEqual([
      logged(1),
      logged(2),
      { jsonrpc: "2.0", id: 2, result: text("done") },
    ]);
    // A question of one node is answered on the other, because both know the capabilities of the client.
    expect(await send(b, path, request("tools/call", { name: "ask", arguments: {} }, 3))).toBe(202);
    const { id } = await events.message();
    const answer = { action: "accept", content: { name: "Ada" } };
    expect(await send(a, path, { jsonrpc: "2.0", id, result: answer })).toBe(202);
    expect(await events.message()).toMatchObject({ id: 3, result: text("Hello Ada") });
    void b.server.notifyListChanged("tools");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    await events.cut();
  });

  test("ends the session on every node when the client disconnects", async () => {
    const [a, b] = await startNodes({ http: { legacySse: true } });
    const { events, path } = await open(a);
    await send(b, path, initializeBody("2024-11-05"));
    await events.message();
    await send(b, path, request("tools/call", { name: "quiet", arguments: {} }, 2));
    await until(() => b.seen.started === 1, "the call");
    await events.cut();
    await until(() => b.seen.aborted === 1, "the cancellation");
    for (const node of [a, b])
      expect(await read(await node.endpoint.fetch(post(request("ping")), path))).toMatchObject({
        status: 404,
      });
  });
});
