import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder } from "../../src/builder.js";
import { defineMessage } from "../../src/messages/define-message.js";
import { connectClient, connectRaw, refusalOf, startServer, upgradeRaw } from "../support/socket/clients.js";

const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });

describe("the server lifecycle", () => {
  test("A44, A18: start listens on the configured port, on the loopback interface", async () => {
    const { port, server } = await startServer();
    await server.stop();
    const configured = await startServer((builder) => builder.port(port), { port });
    expect(configured.url).toBe(`ws://127.0.0.1:${port}`);
    expect(configured).toMatchObject({ host: "127.0.0.1", port });
    await configured.server.stop();
    const built = new AgentServerBuilder().port(port).build();
    expect(await built.start()).toEqual({ host: "127.0.0.1", port, url: `ws://127.0.0.1:${port}` });
    await built.stop();
  });

  test("a server starts once, stops any number of times, and can start again", async () => {
    const { server } = await startServer();
    await expect(server.start({ port: 0 })).rejects.toThrow(
      "The server is already running. Call `stop()` before you call `start()` again.",
    );
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    const { url } = await server.start({ port: 0 });
    await (await connectClient(url)).take("connected");
  });

  test("a port that is in use causes an error and leaves the server unchanged", async () => {
    const { port } = await startServer();
    const other = new AgentServerBuilder().port(port).build();
    await expect(other.start()).rejects.toMatchObject({
      code: "EADDRINUSE",
      message: expect.stringMatching(/^Port \d+ is in use\./),
    });
    await other.start({ port: 0 });
    await other.stop();
  });

  test("stop during start waits for the start", async () => {
    const server = new AgentServerBuilder().build();
    const starting = server.start({ port: 0 });
    await server.stop();
    const { url } = await starting;
    await expect(connectClient(url)).rejects.toThrow("ECONNREFUSED");
  });

  test("stop without start does nothing", async () => {
    const server = new AgentServerBuilder().build();
    await server.stop();
    expect(server.connectionCount).toBe(0);
    expect(server.broadcast({ type: "alert", data: { message: "x", severity: "info", updateTime: 0 } })).toBe(
      0,
    );
  });

  test("clients receive a close frame", async () => {
    const { url, server } = await startServer();
    const clients = [await connectClient(url), await connectClient(url)];
    await server.stop();
    for (const client of clients) {
      expect(await client.closed).toEqual({ code: 1001, reason: "The server is stopping." });
    }
    expect(server.connectionCount).toBe(0);
  });

  test("messages in flight can complete and reply, and new messages are rejected", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const work = defineMessage({
      type: "work",
      dataSchema: z.object({}),
      handler: async (_data, reply) => {
        begun();
        await held;
        reply({ type: "note", data: { text: "done" } });
      },
    });
    const { url, server } = await startServer((builder) =>
      builder.registerMessage(work).registerMessage(note),
    );
    const client = await connectClient(url);
    client.send({ type: "work", data: {} });
    await hasBegun;
    const stopping = server.stop();
    await expect(connectClient(url)).rejects.toThrow();
    expect(await client.complaintAbout({ type: "work", data: {} })).toBe("The server is stopping.");
    release();
    expect((await client.take("note")).data).toEqual({ text: "done" });
    expect((await client.closed).code).toBe(1001);
    await stopping;
  });

  test("hanging handlers and clients delay a stop by at most stopTimeout", async () => {
    const hang = defineMessage({
      type: "hang",
      dataSchema: z.object({}),
      handler: () => new Promise<void>(() => undefined),
    });
    const { url, port, server } = await startServer((builder) => builder.registerMessage(hang), {
      stopTimeout: 200,
    });
    const client = await connectClient(url);
    client.send({ type: "hang", data: {} });
    const silent = await upgradeRaw(port);
    const unfinished = await connectRaw(port);
    unfinished.write("GET / HTTP/1.1\r\n");
    const idle = await connectRaw(port);
    await client.take("connected");
    const start = performance.now();
    const gone = Promise.all([silent, unfinished, idle].map((socket) => once(socket, "close")));
    for (const socket of [silent, unfinished, idle]) socket.resume();
    await server.stop();
    expect(performance.now() - start).toBeGreaterThanOrEqual(150);
    expect(performance.now() - start).toBeLessThan(20_000);
    await gone;
  });
});

describe("broadcast", () => {
  test("reaches every client and returns the number of clients", async () => {
    const { url, server } = await startServer((builder) => builder.registerMessage(note));
    const clients = [await connectClient(url), await connectClient(url), await connectClient(url)];
    await Promise.all(clients.map((client) => client.take("connected")));
    expect(server.broadcast({ type: "note", data: { text: "to all — ✓" } })).toBe(3);
    for (const client of clients) {
      expect(await client.take("note")).toEqual({ type: "note", data: { text: "to all — ✓" } });
    }
  });

  test("throws for an unregistered message", async () => {
    const { server } = await startServer();
    expect(() => server.broadcast({ type: "note", data: {} })).toThrow(
      "Message type 'note' is not registered. Register it with `registerMessage`.",
    );
  });

  test("does nothing after the server has stopped", async () => {
    const { url, server } = await startServer((builder) => builder.registerMessage(note));
    await connectClient(url);
    await server.stop();
    expect(server.broadcast({ type: "note", data: { text: "x" } })).toBe(0);
    await expect(refusalOf(url)).rejects.toThrow();
  });
});

describe("the heartbeat", () => {
  test("keeps clients that respond", async () => {
    const { url, server } = await startServer((builder) => builder.heartbeatInterval(500));
    const client = await connectClient(url);
    let pings = 0;
    client.socket.on("ping", () => pings++);
    await expect.poll(() => pings, { timeout: 60_000 }).toBeGreaterThan(4);
    expect(server.connectionCount).toBe(1);
  });

  test("drops clients that do not respond", async () => {
    const { port, server, lines } = await startServer((builder) => builder.heartbeatInterval(50));
    const silent = await upgradeRaw(port);
    silent.resume();
    expect(server.connectionCount).toBe(1);
    await once(silent, "close");
    await expect.poll(() => server.connectionCount).toBe(0);
    expect(lines.join()).toMatch(/agent: connection \S+ was closed: the client did not respond to a ping/);
  });

  test("counts any message as a response", async () => {
    const { url, server } = await startServer((builder) => builder.heartbeatInterval(200));
    const client = await connectClient(url, { autoPong: false });
    for (let count = 0; count < 15; count++) {
      expect(await client.complaintAbout({ type: "resume", data: { taskId: "t" } })).toBeDefined();
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(server.connectionCount).toBe(1);
    expect((await client.closed).code).toBe(1006);
  });

  test("waits for clients that the server has paused reading from", async () => {
    const work = defineMessage({
      type: "work",
      dataSchema: z.object({}),
      handler: async (_data, reply) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        reply({ type: "note", data: { text: "done" } });
      },
    });
    const { url } = await startServer(
      (builder) => builder.heartbeatInterval(100).registerMessage(work).registerMessage(note),
      { maxInFlight: 1 },
    );
    const client = await connectClient(url);
    client.send({ type: "work", data: {} });
    expect((await client.take("note")).data).toEqual({ text: "done" });
  });
});
