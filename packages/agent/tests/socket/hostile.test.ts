import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../src/messages/define-message.js";
import {
  connectClient,
  connectRaw,
  rawFrame,
  type Running,
  startServer,
  upgradeRaw,
} from "../support/socket/clients.js";

const TEXT = 1;
const PING = 9;
const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });

describe("a server with hostile clients", () => {
  test("1,000 clients receive a broadcast and can all disconnect", async () => {
    const { url, server } = await startServer((builder) => builder.registerMessage(note));
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => connectClient(url)));
    expect(server.connectionCount).toBe(1_000);
    const start = performance.now();
    expect(server.broadcast({ type: "note", data: { text: "x".repeat(1_000) } })).toBe(1_000);
    await Promise.all(clients.map((client) => client.take("note")));
    expect(performance.now() - start).toBeLessThan(50_000);
    for (const client of clients) client.socket.close();
    await expect.poll(() => server.connectionCount, { timeout: 60_000 }).toBe(0);
  });

  test("a flood of invalid frames receives one error per frame, and other clients are served meanwhile", async () => {
    const running = await startServer();
    const flooder = await connectClient(running.url);
    const count = 5_000;
    for (let sent = 0; sent < count; sent++) flooder.send("junk");
    await expectHealthy(running);
    await expect
      .poll(() => flooder.received.filter(({ type }) => type === "error").length, { timeout: 60_000 })
      .toBe(count);
  });

  test("messages are not read faster than their handlers run", async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    const slow = defineMessage({
      type: "slow",
      dataSchema: z.object({ padding: z.string() }),
      handler: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        done++;
      },
    });
    const server = await startServer((builder) => builder.registerMessage(slow), { maxInFlight: 4 });
    const flooder = await connectClient(server.url);
    const count = 60;
    // Each message is larger than a single socket read, so that a pause can take effect between messages.
    const frame = JSON.stringify({ type: "slow", data: { padding: "x".repeat(100_000) } });
    for (let sent = 0; sent < count; sent++) flooder.send(frame);
    await expectHealthy(server);
    await expect.poll(() => done, { timeout: 60_000 }).toBe(count);
    expect(most).toBeLessThanOrEqual(5);
  });

  test("a message over maxPayload closes its connection with 1009", async () => {
    const running = await startServer(undefined, { maxPayload: 1_000 });
    const client = await connectClient(running.url);
    expect(await client.complaintAbout("x".repeat(1_000))).toContain("The frame must be a JSON object");
    client.send("x".repeat(1_001));
    expect((await client.closed).code).toBe(1009);
    await expectHealthy(running);
  });

  test("a message with too many fragments closes its connection", async () => {
    const running = await startServer();
    const client = await connectClient(running.url);
    for (let sent = 0; sent < 5_000; sent++) client.socket.send("x", { fin: false });
    expect((await client.closed).code).toBeGreaterThan(1000);
    await expectHealthy(running);
  });

  test("text that is not UTF-8 closes its connection with 1007", async () => {
    const running = await startServer();
    const socket = await upgradeRaw(running.port);
    const bytes = readAll(socket);
    socket.write(rawFrame(TEXT, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])));
    expect(closeCodeIn(await bytes)).toBe(1007);
    await expectHealthy(running);
  });

  test.each([
    ["an unmasked frame", Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ["a reserved bit", Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
    ["an unknown opcode", rawFrame(3, Buffer.from("x"))],
    ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n")],
    ["compression that was not negotiated", Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x78])],
  ])("%s closes its connection with 1002", async (_name, bytes) => {
    const running = await startServer();
    const socket = await upgradeRaw(running.port);
    const received = readAll(socket);
    socket.write(bytes);
    expect(closeCodeIn(await received)).toBe(1002);
    await expectHealthy(running);
  });

  test("compression is never negotiated", async () => {
    const { url } = await startServer();
    expect((await connectClient(url, { perMessageDeflate: true })).socket.extensions).toBe("");
  });

  test("a frame length of 8 exabytes allocates no memory", async () => {
    const running = await startServer();
    const socket = await upgradeRaw(running.port);
    const received = readAll(socket);
    socket.write(Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
    expect(closeCodeIn(await received)).toBe(1009);
    await expectHealthy(running);
  });

  test("a message in too many small chunks closes its connection with 1008", async () => {
    const running = await startServer();
    const socket = await upgradeRaw(running.port);
    const received = readAll(socket);
    await writeBytes(socket, rawFrame(TEXT, Buffer.from("x".repeat(12_000))));
    expect(closeCodeIn(await received)).toBe(1008);
    await expectHealthy(running);
  });

  test("the limit of chunks grows with maxPayload", async () => {
    const running = await startServer(undefined, { maxPayload: 4 * 1_048_576 });
    const socket = await upgradeRaw(running.port);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    await writeBytes(socket, rawFrame(TEXT, Buffer.from("x".repeat(12_000))));
    await expect.poll(() => text, { timeout: 20_000 }).toContain("The frame must be a JSON object");
  });

  test("a client that stops reading is disconnected, and other clients receive everything", async () => {
    const maxQueuedBytes = 200_000;
    const running = await startServer((builder) => builder.registerMessage(note), { maxQueuedBytes });
    const reader = await connectClient(running.url);
    const slow = await upgradeRaw(running.port);
    slow.pause();
    const chunk = { type: "note", data: { text: "x".repeat(100_000) } };
    let rounds = 0;
    for (; running.server.connectionCount === 2 && rounds < 500; rounds++) {
      running.server.broadcast(chunk);
      await reader.take("note");
    }
    expect(running.server.connectionCount).toBe(1);
    expect(rounds).toBeLessThan(500);
    expect(running.lines.join()).toContain("was closed: the client stopped reading");
    running.server.broadcast(chunk);
    await reader.take("note");
  });

  test("a flood of pings is answered with the latest pongs, so unread ones take no memory", async () => {
    const running = await startServer();
    const socket = await upgradeRaw(running.port);
    const count = 20_000;
    const pings = Array.from({ length: count }, () => rawFrame(PING, Buffer.alloc(125)));
    socket.write(Buffer.concat([...pings, rawFrame(PING, Buffer.from("the last one"))]));
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    await expect.poll(() => received.includes("the last one"), { timeout: 60_000 }).toBe(true);
    expect(received.byteLength).toBeLessThan(count * 12);
    await expectHealthy(running);
  });

  test("a pong contains the data of its ping", async () => {
    const { url } = await startServer();
    const client = await connectClient(url);
    client.socket.ping("are you there");
    const [data] = (await once(client.socket, "pong")) as [Buffer];
    expect(data.toString()).toBe("are you there");
  });

  test("a handshake that never arrives times out", async () => {
    const { port } = await startServer(undefined, { handshakeTimeout: 100 });
    const socket = await connectRaw(port);
    socket.write("GET / HTTP/1.1\r\nHost: ");
    expect(Buffer.from(await readAll(socket)).toString()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("clients that disconnect at random moments leave nothing behind", async () => {
    const running = await startServer((builder) => builder.registerMessage(note));
    const sockets = await Promise.all(Array.from({ length: 50 }, () => upgradeRaw(running.port)));
    for (const [index, socket] of sockets.entries()) {
      socket.write(rawFrame(TEXT, Buffer.from('{"type":"note","data":{"text":"x"}}')).subarray(0, index));
      socket.resetAndDestroy();
    }
    running.server.broadcast({ type: "note", data: { text: "anyone?" } });
    await expect.poll(() => running.server.connectionCount).toBe(0);
    await expectHealthy(running);
  });

  test("log lines are short and do not contain client text", async () => {
    const running = await startServer(undefined, { maxPayload: 100 });
    const client = await connectClient(running.url);
    client.send(`secret${"x".repeat(500)}`);
    await client.closed;
    expect(running.lines).toHaveLength(1);
    expect(running.lines[0]).not.toContain("secret");
    expect(running.lines[0]?.length).toBeLessThan(300);
  });
});

/** Writes one byte in each turn of the event loop, so that the server reads them one by one. */
async function writeBytes(socket: Socket, bytes: Uint8Array): Promise<void> {
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length && socket.writable; at++) {
    socket.write(bytes.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Checks that another client is served normally. */
async function expectHealthy({ url }: Running): Promise<void> {
  const client = await connectClient(url);
  await client.take("connected");
  expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBe(
    'Task "t" does not exist.',
  );
  client.socket.close();
}

async function readAll(socket: Socket): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await Promise.race([once(socket, "end"), once(socket, "close")]);
  return Buffer.concat(chunks);
}

/** Returns the code of the close frame at the end of the received bytes. */
function closeCodeIn(bytes: Uint8Array): number | undefined {
  const at = bytes.lastIndexOf(0x88);
  return at === -1 ? undefined : Buffer.from(bytes).readUInt16BE(at + 2);
}
