import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../src/messages/define-message.js";
import { startServer } from "../support/socket/clients.js";
import { connectClient, rawFrame, type TestClient, upgradeRaw } from "../support/socket/test-client.js";
import { authenticated, identifyByTable, startListener } from "../support/users/listeners.js";

const LIST = { type: "listTasks", data: {} };
const users = { identify: identifyByTable };

function toRaw(message: object): Buffer {
  return rawFrame(1, Buffer.from(JSON.stringify(message)));
}

/** Waits until the server has read everything that was sent before. */
async function passTime(client: TestClient): Promise<void> {
  for (let round = 0; round < 5; round++) {
    client.send(LIST);
    await client.take("ack");
  }
}

describe("a client whose token has ended", () => {
  test.each(["revoked", "expired"])("cannot write before it closes its connection: %s", async (kind) => {
    const revocation = new AbortController();
    const identify = (token: string) => {
      if (token === "other") return { id: "other" };
      return kind === "revoked"
        ? { id: "ada", revoked: revocation.signal }
        : { id: "ada", validUntil: Date.now() + 300 };
    };
    const { url, port, handled } = await startListener({ users: { identify } });
    const other = await authenticated(url, "other");
    // A client that never responds to a close frame.
    const socket = await upgradeRaw(port);
    let received = "";
    socket.on("data", (data: Buffer) => (received += data.toString("latin1")));
    socket.write(toRaw({ type: "authenticate", data: { token: "t" } }));
    await expect.poll(() => received).toContain("connected");
    revocation.abort();
    await expect.poll(() => received, { timeout: 5_000 }).toContain("\x88");
    socket.write(toRaw({ type: "interrupt", data: { taskId: "t" } }));
    await passTime(other);
    expect([socket.destroyed, handled.includes("interrupt")]).toEqual([false, false]);
  });

  test("cannot write with a message that was being checked", async () => {
    const revocation = new AbortController();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const handled: unknown[] = [];
    let checks = 0;
    const slow = defineMessage({
      type: "slow",
      dataSchema: z.object({ text: z.string() }).refine(async () => {
        checks++;
        await held;
        return true;
      }),
      handler: (data) => void handled.push(data),
    });
    const identify = (token: string) =>
      token === "t" ? { id: "ada", revoked: revocation.signal } : { id: token };
    const { url, server } = await startServer((builder) => builder.registerMessage(slow), {
      users: { identify },
    });
    const client = await authenticated(url, "t");
    client.send({ type: "slow", data: { text: "one" } });
    client.send({ type: "slow", data: { text: "two" } });
    await expect.poll(() => checks).toBe(1);
    revocation.abort();
    expect((await client.closed).code).toBe(4401);
    release();
    await server.stop();
    expect([checks, handled]).toEqual([1, []]);
  });

  test("differs from one that disconnects, whose last messages are handled", async () => {
    const handled: unknown[] = [];
    const slow = defineMessage({
      type: "slow",
      dataSchema: z.object({ text: z.string() }).refine(async () => {
        await expect.poll(() => isGone).toBe(true);
        return true;
      }),
      handler: (data) => void handled.push(data),
    });
    let isGone = false;
    const { url, server } = await startServer((builder) => builder.registerMessage(slow), { users });
    const client = await authenticated(url, "token-of-ada");
    client.send({ type: "slow", data: { text: "last" } });
    client.socket.close();
    await client.closed;
    await expect.poll(() => server.connectionCount).toBe(0);
    isGone = true;
    await expect.poll(() => handled).toEqual([{ text: "last" }]);
  });
});

describe("a client that has not authenticated", () => {
  test("cannot run the schemas of registered messages", async () => {
    let checks = 0;
    const note = defineMessage({
      type: "note",
      dataSchema: z.object({ text: z.string() }).refine(() => ++checks > 0),
    });
    const { url } = await startServer((builder) => builder.registerMessage(note), { users });
    const message = { type: "note", data: { text: "x" } };
    const client = await connectClient(url);
    client.send(message);
    expect(await client.closed).toMatchObject({ code: 4401 });
    expect(checks).toBe(0);
    const ada = await authenticated(url, "token-of-ada");
    ada.send(message);
    await expect.poll(() => checks).toBe(1);
  });
});

describe("many silent clients", () => {
  const REASON = "Too many clients have not sent a token. Try again later.";
  const bearer = { headers: { Authorization: "Bearer token-of-ada" } };

  test("do not lock out others: the oldest one is closed", async () => {
    const { url, listener } = await startListener({ users, maxPending: 3 });
    const flood = [await connectClient(url), await connectClient(url), await connectClient(url)];
    const ada = await connectClient(url, bearer);
    expect((await ada.take("connected")).data["userId"]).toBe("ada");
    expect(await flood[0]?.closed).toEqual({ code: 1013, reason: REASON });
    // One place is free again, because Ada is known.
    await connectClient(url);
    const bob = await authenticated(url, "token-of-bob");
    expect(await flood[1]?.closed).toEqual({ code: 1013, reason: REASON });
    flood[2]?.send({ type: "authenticate", data: { token: "token-of-ada" } });
    await flood[2]?.take("connected");
    bob.send(LIST);
    await bob.take("ack");
    expect(listener.connectionCount).toBe(3);
  });

  test("do not lock out others at the limit of all connections, even if they ignore the close frame", async () => {
    const { url, port, listener } = await startListener({ users, maxPending: 2 }, { maxConnections: 4 });
    for (let count = 0; count < 12; count++) await upgradeRaw(port);
    const ada = await connectClient(url, bearer);
    await ada.take("connected");
    await authenticated(url, "token-of-bob");
    expect(listener.connectionCount).toBe(2);
  });
});
