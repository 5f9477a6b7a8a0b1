import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { connectHostile, reply, serveHostile } from "../support/client/hostile-peers.js";

const text = (bytes: number) => "x".repeat(bytes);

test("the keys of a task's questions, which a client keeps until the task ends, are limited in length", async () => {
  let rounds = 0;
  const client = await connectHostile(
    (received) => {
      const task = { taskId: "t", status: "input_required", pollIntervalMs: 1 };
      if (received.method === "tools/call") reply(received, { ...task, resultType: "task" });
      else if (received.method === "tasks/get")
        reply(received, {
          ...task,
          inputRequests: { [`${rounds++}${text(300_000)}`]: { method: "elicitation/create", params: {} } },
        });
      else reply(received, {});
    },
    { input: () => ({ action: "decline" }) },
  );
  await expect(client.callTool("a")).rejects.toMatchObject({
    name: "ConnectionError",
    code: "protocol",
    message: "The keys of the task's questions are too long (limit: 1000000 characters).",
  });
  expect(rounds).toBe(4);
});

test("the description of a server, which a client keeps until it is closed, is limited in size", async () => {
  const connect = async (bytes: number) => {
    const handshake = { supportedVersions: ["2026-07-28"], capabilities: {}, instructions: text(bytes) };
    const client = await createClient(await serveHostile(() => undefined, handshake));
    await client.close();
  };
  await connect(1_000_000);
  await expect(connect(1_100_000)).rejects.toMatchObject({
    name: "ConnectionError",
    code: "protocol",
    message: "The server's description of itself is too large (limit: 1048576 bytes).",
  });
});
