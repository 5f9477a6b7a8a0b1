import { once } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../src/messages/define-message.js";
import { createScriptedModel } from "../../src/models/scripted-model.js";
import type { StartOptions } from "../../src/socket/options.js";
import { connectClient, type Running, startServer, type TestClient } from "../support/socket/clients.js";

const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });

/** Size of a conversation. It is larger than the buffers of the operating system. */
const SIZE = 10_000_000;
const TEXT = "é".repeat(SIZE / 10);
const FILE = { mediaType: "image/png", data: "A".repeat(SIZE * 0.8) };

/** Starts a server with large conversations, whose IDs are "0", "1", … */
async function startWithConversations(count: number, options: StartOptions): Promise<Running> {
  const running = await startServer(
    (builder) => builder.model(createScriptedModel(["Done."])).registerMessage(note),
    options,
  );
  for (let index = 0; index < count; index++) {
    await running.server.run({ message: `${index} ${TEXT}`, files: [FILE] }, { taskId: String(index) });
  }
  return running;
}

/** Connects a client that loads a conversation and does not read. */
async function connectSlow({ url }: Running, taskId: string): Promise<TestClient> {
  const client = await connectClient(url);
  client.socket.pause();
  client.send({ type: "loadTask", data: { taskId } });
  return client;
}

async function load(client: TestClient, taskId: string): Promise<string> {
  client.send({ type: "loadTask", data: { taskId } });
  const { data } = await client.take("taskHistory");
  const [first] = data["messages"] as readonly { readonly data: { readonly message: string } }[];
  return first?.data.message ?? "";
}

test("a large message arrives in one piece, messages after it keep their order, and pings are answered", async () => {
  const running = await startWithConversations(1, {});
  const client = await connectClient(running.url);
  client.socket.pause();
  client.send({ type: "loadTask", data: { taskId: "0" } });
  const reader = await connectClient(running.url);
  expect(await load(reader, "0")).toContain("0 é");
  const texts = Array.from({ length: 10 }, (_, index) => `note ${index}`);
  for (const text of texts) running.server.broadcast({ type: "note", data: { text } });
  client.socket.ping("during the message");
  const pong = once(client.socket, "pong");
  client.socket.resume();
  const { data } = await client.take("taskHistory");
  expect(data["messages"]).toMatchObject([{ data: { message: `0 ${TEXT}`, files: [FILE] } }, {}]);
  await pong;
  for (const text of texts) expect((await client.take("note")).data).toEqual({ text });
});

test("a client that does not read is told why when it reads again", async () => {
  const running = await startWithConversations(1, { maxQueuedBytes: 100_000 });
  const slow = await connectSlow(running, "0");
  const text = "x".repeat(60_000);
  await expect
    .poll(() => {
      running.server.broadcast({ type: "note", data: { text } });
      return running.server.connectionCount;
    })
    .toBe(0);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: "The client reads too slowly. Connect again." });
  expect(running.lines.join()).toContain("was closed: the client stopped reading");
});

test("queues of all clients have a limit together, and the client that does not read makes room", async () => {
  const running = await startWithConversations(2, { maxTotalQueuedBytes: 1.5 * SIZE });
  const slow = await connectSlow(running, "0");
  const reader = await connectClient(running.url);
  await reader.take("connected");
  // The server has handled the first request.
  expect(await load(reader, "0")).toContain("0 é");
  expect(running.server.connectionCount).toBe(2);
  expect(await load(reader, "1")).toContain("1 é");
  expect(running.server.connectionCount).toBe(1);
  slow.socket.resume();
  expect((await slow.closed).code).toBe(1013);
});

test("clients that load the same conversation share its memory", async () => {
  const running = await startWithConversations(1, { maxTotalQueuedBytes: 1.5 * SIZE });
  const slow = await Promise.all(Array.from({ length: 5 }, () => connectSlow(running, "0")));
  const reader = await connectClient(running.url);
  expect(await load(reader, "0")).toContain("0 é");
  expect(running.server.connectionCount).toBe(slow.length + 1);
  // All of them receive it.
  for (const { socket } of slow) socket.resume();
  await Promise.all(slow.map((client) => client.take("taskHistory")));
});

test("a message that exceeds the limit of all clients alone is sent", async () => {
  const running = await startWithConversations(1, { maxTotalQueuedBytes: 1_000 });
  const reader = await connectClient(running.url);
  expect(await load(reader, "0")).toContain("0 é");
});
