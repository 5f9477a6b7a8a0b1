import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { showValue } from "@tenon/internal/kind-of";
import type { ConnectionRequest, IdentifiedUser } from "../../src/users/user.js";
import {
  connectClient,
  rawFrame,
  refusalOf,
  type TestClient,
  upgradeRaw,
} from "../support/socket/test-client.js";
import { authenticated, identifyByTable, startListener, TOKENS } from "../support/users/listeners.js";

const users = { identify: identifyByTable };
const ORIGIN = "http://localhost:5173";
const NOT_VALID = { code: 4401, reason: "The token is not valid." };
const REQUIRED = { code: 4401, reason: "A token is required. Send it in an `authenticate` message first." };

/** Expects that the client was told the reason, received nothing else, and was disconnected. */
async function expectRejected(client: TestClient, end: { readonly code: number; readonly reason: string }) {
  expect(await client.closed).toEqual(end);
  expect(client.received.map(({ type, data }) => [type, data["message"]])).toEqual([["error", end.reason]]);
}

function bearer(token: string) {
  return { headers: { Authorization: `Bearer ${token}` } };
}

function authenticate(token: string) {
  return { type: "authenticate", data: { token } };
}

const LIST = { type: "listTasks", data: {} };

describe("a token in the Authorization header", () => {
  test("identifies the user", async () => {
    const { url, opened } = await startListener({ users });
    const ada = await connectClient(url, bearer("token-of-ada"));
    expect((await ada.take("connected")).data).toEqual({ userId: "ada" });
    const bob = await connectClient(url, bearer("token-of-bob"));
    expect((await bob.take("connected")).data).toEqual({ userId: "bob", canWrite: false });
    expect(opened).toEqual([{ id: "ada" }, { id: "bob", canWrite: false }]);
  });

  test("is verified before messages that the client sends at once", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const identify = (token: string) => held.then(() => identifyByTable(token));
    const { url, listener, handled } = await startListener({ users: { identify }, maxInFlight: 2 });
    const client = await connectClient(url, bearer("token-of-ada"));
    for (let count = 0; count < 10; count++) client.send(LIST);
    await wait(50);
    expect([handled, listener.connectionCount]).toEqual([[], 0]);
    release();
    await client.take("connected");
    for (let count = 0; count < 10; count++) {
      expect((await client.take("ack")).data).toEqual({ of: "listTasks", userId: "ada" });
    }
  });

  test.each(["Bearer wrong", "Bearer", "Bearer a b", "Bearer token-of-ada, Bearer token-of-ada"])(
    "closes the connection if it is not valid: %s",
    async (authorization) => {
      const { url, opened, closed } = await startListener({ users });
      await expectRejected(
        await connectClient(url, { headers: { Authorization: authorization } }),
        NOT_VALID,
      );
      expect([opened, closed]).toEqual([[], []]);
    },
  );

  test("is not read from other schemes, which are meant for a proxy", async () => {
    const { url } = await startListener({ users });
    const client = await connectClient(url, { headers: { Authorization: "Basic YTpi" } });
    client.send(authenticate("token-of-ada"));
    expect((await client.take("connected")).data["userId"]).toBe("ada");
  });
});

describe("a token in a cookie", () => {
  const withCookie = { users: { ...users, cookie: "agent" } };

  test.each(["agent=token-of-ada", 'a=b; agent="token-of-ada"; c=d', "c=agent=x;agent=token-of-ada "])(
    "identifies the user of an allowed page: %s",
    async (cookie) => {
      const { url } = await startListener(withCookie);
      const client = await connectClient(url, { origin: ORIGIN, headers: { cookie } });
      expect((await client.take("connected")).data).toEqual({ userId: "ada" });
    },
  );

  test("is rejected without an Origin header", async () => {
    const { url, opened } = await startListener(withCookie);
    expect(await refusalOf(url, { headers: { cookie: "agent=token-of-ada" } })).toEqual([
      403,
      "A token in a cookie requires an `Origin` header. Send the token in a header instead.",
    ]);
    expect(opened).toEqual([]);
  });

  test("is rejected from a page of a different site", async () => {
    const { url, opened } = await startListener(withCookie);
    const origin = "https://evil.example";
    const [status] = await refusalOf(url, { origin, headers: { cookie: "agent=token-of-ada" } });
    expect([status, opened]).toEqual([403, []]);
  });

  test.each([
    "agent=wrong",
    "agent=",
    "agent=token-of-ada; agent=token-of-bob",
    "agent=token-of-ada; agent=token-of-ada",
  ])("closes the connection if it is not valid, or if there are two: %s", async (cookie) => {
    const { url } = await startListener(withCookie);
    await expectRejected(await connectClient(url, { origin: ORIGIN, headers: { cookie } }), NOT_VALID);
  });

  test.each(["Agent=token-of-ada", "agent2=token-of-ada", "xagent=token-of-ada"])(
    "is not read from a different cookie: %s",
    async (cookie) => {
      const { url, opened } = await startListener(withCookie);
      const client = await connectClient(url, { origin: ORIGIN, headers: { cookie } });
      client.send(LIST);
      await expectRejected(client, REQUIRED);
      expect(opened).toEqual([]);
    },
  );

  test("is ignored unless the option is set", async () => {
    const { url } = await startListener({ users });
    const client = await connectClient(url, { origin: ORIGIN, headers: { cookie: "agent=token-of-ada" } });
    client.send(LIST);
    await expectRejected(client, REQUIRED);
  });

  test("loses against a token in the header, even if that one is not valid", async () => {
    const { url } = await startListener(withCookie);
    const headers = (token: string) => ({ ...bearer(token).headers, cookie: "agent=token-of-ada" });
    const bob = await connectClient(url, { origin: ORIGIN, headers: headers("token-of-bob") });
    expect((await bob.take("connected")).data["userId"]).toBe("bob");
    const wrong = await connectClient(url, { origin: ORIGIN, headers: headers("wrong") });
    await expectRejected(wrong, NOT_VALID);
    const plain = await connectClient(url, { headers: headers("token-of-bob") });
    expect((await plain.take("connected")).data["userId"]).toBe("bob");
  });
});

describe("a token in the first message", () => {
  test("identifies the user, and messages may follow at once", async () => {
    const { url, handled } = await startListener({ users });
    const client = await connectClient(url, { origin: ORIGIN });
    client.send(authenticate("token-of-ada"));
    client.send(LIST);
    client.send(LIST);
    expect((await client.take("connected")).data).toEqual({ userId: "ada" });
    await client.take("ack");
    await client.take("ack");
    expect(handled).toEqual(["listTasks", "listTasks"]);
  });

  test("works if it arrives in the same packet as later messages", async () => {
    const { port, handled } = await startListener({ users });
    const socket = await upgradeRaw(port);
    const texts = [authenticate("token-of-ada"), LIST, LIST].map((message) => JSON.stringify(message));
    socket.write(Buffer.concat(texts.map((text) => rawFrame(1, Buffer.from(text)))));
    await expect.poll(() => handled).toEqual(["listTasks", "listTasks"]);
  });

  test.each([
    LIST,
    { type: "loadTask", data: { taskId: "t" } },
    { type: "authenticate", data: {} },
    { type: "authenticate", data: { token: "" } },
    { type: "authenticate", data: { token: "x".repeat(16_385) } },
    { type: "unknown", data: {} },
    "not json",
  ])("is required: %j", async (message) => {
    const { url, handled, opened } = await startListener({ users });
    const client = await connectClient(url);
    client.send(message);
    client.send(authenticate("token-of-ada"));
    await expectRejected(client, REQUIRED);
    expect([handled, opened]).toEqual([[], []]);
  });

  test("closes the connection if it is not valid, without later messages being handled", async () => {
    const { url, handled, lines, listener } = await startListener({ users });
    const client = await connectClient(url);
    client.send(authenticate("wrong-token"));
    client.send(authenticate("token-of-ada"));
    client.send(LIST);
    await expectRejected(client, NOT_VALID);
    expect([handled, listener.connectionCount]).toEqual([[], 0]);
    expect(lines.join()).toMatch(/agent: connection \S+ was rejected: The token is not valid\./);
    expect(lines.join()).not.toMatch(/wrong-token|token-of-ada/);
  });

  test("cannot change the user of a connection", async () => {
    const { url, handled } = await startListener({ users });
    for (const options of [bearer("token-of-ada"), undefined]) {
      const client =
        options === undefined ? await authenticated(url, "token-of-ada") : await connectClient(url, options);
      expect(await client.complaintAbout(authenticate("token-of-bob"))).toBe(
        "The connection is already authenticated. To use a different token, connect again.",
      );
      client.send(LIST);
      expect((await client.take("ack")).data).toEqual({ of: "listTasks", userId: "ada" });
    }
    expect(handled).toEqual(["listTasks", "listTasks"]);
  });

  test("is not needed on a server without users", async () => {
    const { url, handled } = await startListener({});
    const client = await connectClient(url);
    expect(await client.complaintAbout(authenticate("token-of-ada"))).toBe(
      "This server does not use tokens, so `authenticate` is not needed.",
    );
    expect(handled).toEqual([]);
  });

  test("must arrive before the timeout", async () => {
    const { url, listener } = await startListener({ users, handshakeTimeout: 200 });
    const client = await connectClient(url);
    await expectRejected(client, {
      code: 4401,
      reason: "A token is required. The client did not send one in time.",
    });
    const known = await authenticated(url, "token-of-ada");
    await wait(400);
    known.send(LIST);
    await known.take("ack");
    expect(listener.connectionCount).toBe(1);
  });
});

describe("verification", () => {
  test("that does not end is given up after the timeout, and the client can try again", async () => {
    const identify = () => new Promise<undefined>(() => undefined);
    const { url, listener } = await startListener({ users: { identify }, handshakeTimeout: 200 });
    const client = await connectClient(url, bearer("token-of-ada"));
    client.send(LIST);
    await expectRejected(client, {
      code: 1013,
      reason: "The token cannot be verified right now. Try again later.",
    });
    await listener.close();
  });

  test("that throws a long text does not log the start of the token", async () => {
    const identify = (token: string) => {
      throw new Error(`${"x".repeat(7_900)} ${token}`);
    };
    const { url, lines } = await startListener({ users: { identify } });
    const client = await connectClient(url);
    client.send(authenticate("secret-".repeat(100)));
    await expectRejected(client, NOT_VALID);
    expect(lines.join("\n")).toContain("xxx");
    expect(lines.join("\n")).not.toContain("secret-secret");
  });

  test("that throws rejects the token, and the log does not contain it", async () => {
    const identify = (token: string) => {
      throw new Error(`Cannot decode ${token}`);
    };
    const { url, lines } = await startListener({ users: { identify } });
    const client = await connectClient(url);
    client.send(authenticate("a-secret-token"));
    await expectRejected(client, NOT_VALID);
    expect(lines.join("\n")).toMatch(/agent: could not identify a user: Error: Cannot decode \[token\]/);
    expect(lines.join("\n")).not.toContain("a-secret-token");
  });

  test.each<[unknown, string | undefined]>([
    ["o'brien@example.com", "o'brien@example.com"],
    ['名前 ü 😀 "quoted" \\ / ../..', '名前 ü 😀 "quoted" \\ / ../..'],
    ["__proto__", "__proto__"],
    ["x".repeat(1_600), "x".repeat(1_600)],
    ["x".repeat(1_601), undefined],
    ["", undefined],
    ["line\nbreak", undefined],
    ["nul\0", undefined],
    ["\u202eada", undefined],
    ["zero\u200bwidth", undefined],
    ["\ud800", undefined],
    ["a\u2028b", undefined],
    [7, undefined],
    [undefined, undefined],
  ])("accepts a user ID only if it is printable: %j", async (id, expected) => {
    // Tests what happens if the application's types are wrong.
    const identify = () => ({ id }) as IdentifiedUser;
    const { url, lines, opened } = await startListener({ users: { identify } });
    const client = await connectClient(url, bearer("t"));
    if (expected !== undefined) {
      expect((await client.take("connected")).data["userId"]).toBe(expected);
    } else {
      await expectRejected(client, NOT_VALID);
      expect(lines.join("\n")).toContain("the user's ID must be 1 to 1600 printable characters.");
      expect(opened).toEqual([]);
    }
  });

  test("rejects a user whose role is not clear", async () => {
    const identify = () => ({ id: "ada", canWrite: "no" }) as unknown as IdentifiedUser;
    const { url, lines } = await startListener({ users: { identify } });
    await expectRejected(await connectClient(url, bearer("t")), NOT_VALID);
    expect(lines.join("\n")).toContain('`canWrite` must be true or false; got "no".');
  });

  test("receives the request", async () => {
    const requests: ConnectionRequest[] = [];
    const identify = (token: string, request: ConnectionRequest) => {
      requests.push(request);
      return identifyByTable(token);
    };
    const { url } = await startListener({ users: { identify } });
    const client = await connectClient(`${url}/chat?x=1`, { origin: ORIGIN });
    client.send(authenticate("token-of-ada"));
    await client.take("connected");
    expect(requests).toMatchObject([
      { url: "/chat?x=1", remoteAddress: "127.0.0.1", headers: { origin: ORIGIN } },
    ]);
  });
});

describe("the end of a token", () => {
  test("closes the connection when the token expires", async () => {
    const identify = () => ({ id: "ada", validUntil: Date.now() + 400 });
    const { url, closed } = await startListener({ users: { identify } });
    const client = await authenticated(url, "t");
    client.send(LIST);
    await client.take("ack");
    await expectRejected(client, {
      code: 4401,
      reason: "The token is no longer valid. Connect again with a new one.",
    });
    await expect.poll(() => closed).toEqual([{ id: "ada" }]);
  });

  test("closes all connections of a token that is revoked, without a warning", async () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown) => void warnings.push(warning);
    process.on("warning", onWarning);
    const revocation = new AbortController();
    const identify = () => ({ id: "ada", revoked: revocation.signal, validUntil: Date.now() + 9e12 });
    const { url } = await startListener({ users: { identify } });
    const clients = await Promise.all(Array.from({ length: 15 }, () => authenticated(url, "t")));
    revocation.abort();
    for (const client of clients) expect((await client.closed).code).toBe(4401);
    await expectRejected(await connectClient(url, bearer("t")), NOT_VALID);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  test.each([0, NaN, -Infinity])("rejects a token that has expired already: %d", async (validUntil) => {
    const { url, opened } = await startListener({ users: { identify: () => ({ id: "ada", validUntil }) } });
    await expectRejected(await connectClient(url, bearer("t")), NOT_VALID);
    expect(opened).toEqual([]);
  });
});

describe("clients that have not authenticated", () => {
  test("are limited while their tokens are verified", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const identify = (token: string) => held.then(() => identifyByTable(token));
    const { url, listener } = await startListener({ users: { identify }, maxPending: 2 });
    const ada = await connectClient(url, bearer("token-of-ada"));
    const bob = await connectClient(url, bearer("token-of-bob"));
    const limit = "Too many connections that have not authenticated (limit: 2). Try again later.";
    expect(await refusalOf(url)).toEqual([503, limit]);
    expect(await refusalOf(url, bearer("token-of-ada"))).toEqual([503, limit]);
    release();
    await Promise.all([ada.take("connected"), bob.take("connected")]);
    await authenticated(url, "token-of-ada");
    expect(listener.connectionCount).toBe(3);
  });

  test("count toward maxConnections, and do not take the place of others", async () => {
    const { url } = await startListener({ users }, { maxConnections: 2 });
    const silent = await connectClient(url);
    await authenticated(url, "token-of-ada");
    await authenticated(url, "token-of-bob");
    expect((await silent.closed).code).toBe(1013);
    expect(await refusalOf(url)).toEqual([503, "Too many connections (limit: 2). Try again later."]);
  });

  test("receive no broadcasts and no pings", async () => {
    const { url, listener } = await startListener({ users }, { heartbeatInterval: 20 });
    const pending = await connectClient(url);
    let pings = 0;
    pending.socket.on("ping", () => pings++);
    const ada = await authenticated(url, "token-of-ada");
    await once(ada.socket, "ping");
    expect(listener.broadcast(Buffer.from('{"type":"alert","data":{}}'))).toBe(1);
    await ada.take("alert");
    await wait(100);
    expect([pending.received, pings]).toEqual([[], 0]);
  });

  test("cannot send more than a token", async () => {
    const { port, handled } = await startListener({ users, maxPayload: 100_000_000 });
    const socket = await upgradeRaw(port);
    // A frame of 64 MB that never ends.
    socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]));
    let sent = 0;
    const block = Buffer.alloc(16_384, 0x20);
    socket.resume();
    while (!socket.destroyed && sent < 64_000_000) {
      socket.write(block);
      sent += block.length;
      await wait(1);
    }
    expect(sent).toBeLessThan(16_000_000);
    expect(handled).toEqual([]);
  });

  test("are disconnected when the server stops", async () => {
    const { url, listener, closed } = await startListener({ users });
    const client = await connectClient(url);
    await listener.close();
    expect((await client.closed).code).toBe(1001);
    expect(closed).toEqual([]);
  });
});

describe("invalid options for users", () => {
  const valid = { identify: identifyByTable };
  const authorization = { authenticate: () => ({}), challenge: () => ({}) };
  test.each<[unknown, string]>([
    [{}, "`users` must have either `authorization` or `identify`."],
    [null, "`users` must be an object; got null."],
    [{ ...valid, cookieName: "a" }, "`users`: unknown option `cookieName`. Did you mean `cookie`?"],
    [{ ...valid, authorization }, "`users` must have either `authorization` or `identify`."],
    [{ identify: "x" }, '`users.identify` must be a function; got "x".'],
    [{ ...valid, access: true }, "`users.access` must be a function; got true."],
    [{ ...valid, toUser: () => undefined }, "`users.toUser` requires `users.authorization`."],
    [
      { authorization: {} },
      "`users.authorization` must be an authorization, such as one from `createAuthorization` of @tenon/auth; got an object.",
    ],
    [
      { authorization: Promise.resolve(authorization) },
      "`users.authorization` must be an authorization, such as one from `createAuthorization` of @tenon/auth; got a promise. Await it first.",
    ],
    ...["", "a b", "a=b", "a;b", "é", "x".repeat(101)].map((cookie): [unknown, string] => [
      { ...valid, cookie },
      `\`users.cookie\` must be a cookie name of 1 to 100 characters, such as "__Host-agent"; got ${showValue(cookie)}.`,
    ]),
  ])("%j", async (options, message) => {
    await expect(startListener({ users: options as typeof users })).rejects.toThrow(new TypeError(message));
  });

  test("with users, a server can listen on all interfaces", async () => {
    const { port } = await startListener({ users, host: "0.0.0.0" });
    await authenticated(`ws://127.0.0.1:${port}`, Object.keys(TOKENS)[0] ?? "");
  });
});
