import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../src/messages/define-message.js";
import { connectClient, startServer, upgradeRaw } from "../support/socket/clients.js";

const MEGABYTE = 1_048_576;

/** Header of a masked text frame of one megabyte, which is the largest message. */
const HEADER = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]);
const MOST = Buffer.concat([HEADER, Buffer.alloc(MEGABYTE - 1_000, "x")]);
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

test("messages that never end are limited for all connections together", async () => {
  const warnings: string[] = [];
  const quiet = () => undefined;
  const logger = {
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (text: string) => void warnings.push(text),
  };
  const running = await startServer(undefined, { logger });
  const honest = await connectClient(running.url);
  let closed = 0;
  for (let sent = 0; sent < 80; sent++) {
    const socket = await upgradeRaw(running.port);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined).on("close", () => closed++);
    // Control frames do not reset the count.
    socket.write(PING);
    if (!socket.write(MOST))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }
  await expect.poll(() => running.server.connectionCount, { timeout: 30_000 }).toBeLessThanOrEqual(65);
  expect(running.server.connectionCount).toBeGreaterThan(50);
  await expect.poll(() => closed, { timeout: 30_000 }).toBeGreaterThanOrEqual(16);
  expect(warnings.join()).toContain(
    "was closed: all clients together have sent too many incomplete messages, and this one has sent most.",
  );
  expect(await honest.complaintAbout("junk")).toContain("The frame must be a JSON object");
});

test("complete messages do not count, however many there are", async () => {
  const running = await startServer();
  const client = await connectClient(running.url);
  for (let sent = 0; sent < 70; sent++)
    expect(await client.complaintAbout("x".repeat(MEGABYTE))).toContain("The frame must be a JSON object");
  expect(running.server.connectionCount).toBe(1);
});

test("large messages in flight are limited for all connections together, and small ones are still handled", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const started: number[] = [];
  const slow = defineMessage({
    type: "slow",
    dataSchema: z.object({ padding: z.string() }),
    handler: async ({ padding }) => {
      started.push(padding.length);
      await released;
    },
  });
  const running = await startServer((builder) => builder.registerMessage(slow));
  const clients = await Promise.all(Array.from({ length: 5 }, () => connectClient(running.url)));
  const send = (length: number) => ({ type: "slow", data: { padding: "x".repeat(length) } });
  for (const client of clients) for (let sent = 0; sent < 10; sent++) client.send(send(1_000_000));
  const rejected = () => clients.flatMap(({ received }) => received.filter(({ type }) => type === "error"));
  await expect.poll(() => started.length + rejected().length, { timeout: 30_000 }).toBe(50);
  expect(started).toHaveLength(33);
  expect(JSON.stringify(rejected()[0])).toContain(
    "The server is handling too many large messages. Send the message again later.",
  );
  clients[0]?.send(send(10));
  await expect.poll(() => started.at(-1), { timeout: 30_000 }).toBe(10);
  release();
  // The memory is free again.
  await expect
    .poll(() => (clients[1]?.send(send(1_000_001)), started.includes(1_000_001)), { timeout: 30_000 })
    .toBe(true);
});
