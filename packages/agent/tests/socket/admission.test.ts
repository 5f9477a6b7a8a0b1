import { get } from "node:http";
import { text } from "node:stream/consumers";
import { printable } from "@tenon/internal/text";
import { describe, expect, test } from "vitest";
import { connectClient, connectRaw, refusalOf, startServer } from "../support/socket/clients.js";

const TOKEN = "a-token-that-nobody-guesses";
const TOKEN_REFUSED = [401, "A valid bearer token is required. Send it as `Authorization: Bearer <token>`."];

/** Returns the expected rejection of an origin. */
function originRefused(origin: string): readonly [number, string] {
  return [403, `Origin "${printable(origin)}" is not allowed. Add it to \`allowedOrigins\`.`];
}

describe("admission of connections", () => {
  test.each([
    "http://localhost",
    "http://localhost:5173",
    "https://LOCALHOST:8443",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
  ])("accepts a page on this machine: %s", async (origin) => {
    const { url } = await startServer();
    const client = await connectClient(url, { origin });
    await client.take("connected");
  });

  test.each([
    "https://evil.example",
    "http://127.9.9.9", // loopback, but not the address that the server listens on
    "null",
    "http://localhost.evil.example",
    "http://evil.example#localhost",
    "http://localhost@evil.example",
    "http://127.0.0.1.evil.example",
    "file://localhost",
    "localhost",
    "http://localhost:80/",
    "http://localhost, https://evil.example",
    "http://127.0.0.1\\@evil.example",
  ])("rejects a page on a different site: %s", async (origin) => {
    const { url, server } = await startServer();
    expect(await refusalOf(url, { origin })).toEqual(originRefused(origin));
    expect(server.connectionCount).toBe(0);
  });

  test("checks the origin header of clients with an early protocol draft", async () => {
    const { url } = await startServer();
    const headers = { "Sec-WebSocket-Origin": "https://evil.example", "Sec-WebSocket-Version": "8" };
    expect(await refusalOf(url, { headers })).toEqual(originRefused("https://evil.example"));
  });

  test("configured origins replace the loopback origins", async () => {
    const { url } = await startServer(undefined, {
      allowedOrigins: ["https://App.example", "http://a.b:81/"],
    });
    for (const origin of ["https://app.example", "http://a.b:81"]) {
      await (await connectClient(url, { origin })).take("connected");
    }
    for (const origin of [
      "http://localhost",
      "http://app.example",
      "https://app.example:444",
      "http://a.b",
    ]) {
      expect(await refusalOf(url, { origin })).toEqual(originRefused(origin));
    }
  });

  test("accepts clients with the token", async () => {
    const { url } = await startServer(undefined, { token: TOKEN });
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const client = await connectClient(url, { headers: { Authorization: `${scheme} ${TOKEN}` } });
      await client.take("connected");
    }
  });

  test.each([
    "",
    "Bearer",
    "Bearer ",
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
  ])("rejects any other authorization: %j", async (authorization) => {
    const { url, lines } = await startServer(undefined, { token: TOKEN });
    expect(await refusalOf(url, { headers: { Authorization: authorization } })).toEqual(TOKEN_REFUSED);
    expect(lines.join()).not.toContain(TOKEN);
  });

  test("accepts the token in the first message, for pages, which cannot send the header", async () => {
    const { url, server } = await startServer(undefined, { token: TOKEN });
    const client = await connectClient(url, { origin: "http://localhost" });
    expect(server.connectionCount).toBe(0);
    client.send({ type: "authenticate", data: { token: TOKEN } });
    await client.take("connected");
    expect(server.connectionCount).toBe(1);
  });

  test("rejects a different token in the first message, and a token in the URL", async () => {
    const { url, lines } = await startServer(undefined, { token: TOKEN });
    const wrong = await connectClient(url);
    wrong.send({ type: "authenticate", data: { token: `${TOKEN}x` } });
    expect(await wrong.closed).toEqual({ code: 4401, reason: "The token is not valid." });
    const inUrl = await connectClient(`${url}/?token=${TOKEN}`);
    inUrl.send({ type: "listTasks", data: {} });
    expect((await inUrl.closed).code).toBe(4401);
    expect([...wrong.received, ...inUrl.received].map(({ type }) => type)).toEqual(["error", "error"]);
    expect(lines.join()).not.toContain(TOKEN);
  });

  test("a token does not admit a foreign page", async () => {
    const { url } = await startServer(undefined, { token: TOKEN });
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const origin = "https://evil.example";
    expect(await refusalOf(url, { headers, origin })).toEqual(originRefused(origin));
  });

  test("accepts at most maxConnections clients, until one disconnects", async () => {
    const { url, server } = await startServer((builder) => builder.maxConnections(2));
    const [first] = [await connectClient(url), await connectClient(url)];
    expect(await refusalOf(url)).toEqual([503, "Too many connections (limit: 2). Try again later."]);
    first.socket.close();
    await first.closed;
    await expect.poll(() => server.connectionCount).toBe(1);
    await (await connectClient(url)).take("connected");
  });

  test("a plain HTTP request receives an explanation", async () => {
    const { port } = await startServer();
    const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      get({ port, host: "127.0.0.1" }, (response) => {
        void text(response).then((body) => resolve([response.statusCode, body]));
      }).on("error", reject);
    });
    expect([status, body]).toEqual([426, "This endpoint accepts only WebSocket connections."]);
  });

  test.each([
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "NONSENSE\r\n\r\n",
  ])("a malformed handshake receives a 400 and nothing else: %j", async (request) => {
    const { port, server } = await startServer();
    const socket = await connectRaw(port);
    socket.write(request);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(server.connectionCount).toBe(0);
  });
});

describe("invalid start options", () => {
  const TOKEN_RULE =
    "AgentServer.start: `token` must be 16 to 4096 characters long (printable ASCII without spaces); got a string.";
  const ORIGINS_RULE =
    'AgentServer.start: `allowedOrigins` must be an array of origins such as "https://app.example"; got an array whose item 0 is invalid.';
  test.each([
    [{ token: "short" }, TOKEN_RULE],
    [{ token: `${TOKEN}\n` }, TOKEN_RULE],
    [{ allowOrigin: [] }, "AgentServer.start: unknown option `allowOrigin`. Did you mean `allowedOrigins`?"],
    [{ hostname: "::1" }, "AgentServer.start: unknown option `hostname`. Did you mean `host`?"],
    [
      { host: "0.0.0.0" },
      `\`host\` "0.0.0.0" can be reached from other machines. Set \`users\` or a \`token\`, or use "127.0.0.1".`,
    ],
    [
      { host: "::" },
      `\`host\` "::" can be reached from other machines. Set \`users\` or a \`token\`, or use "127.0.0.1".`,
    ],
    [{ token: TOKEN, users: { identify: () => undefined } }, "Set either `token` or `users`, not both."],
    [{ maxPending: 0 }, "AgentServer.start: `maxPending` must be an integer from 1 to 1000000; got 0."],
    [{ port: 65_536 }, "AgentServer.start: `port` must be an integer from 0 to 65535; got 65536."],
    [{ port: -1 }, "AgentServer.start: `port` must be an integer from 0 to 65535; got -1."],
    [{ maxPayload: 0 }, "AgentServer.start: `maxPayload` must be an integer from 1 to 2147483647; got 0."],
    [
      { maxPayload: NaN },
      "AgentServer.start: `maxPayload` must be an integer from 1 to 2147483647; got NaN.",
    ],
    [{ maxInFlight: 0.5 }, "AgentServer.start: `maxInFlight` must be an integer from 1 to 100000; got 0.5."],
    [{ allowedOrigins: ["app.example"] }, ORIGINS_RULE],
    [{ allowedOrigins: ["https://app.example/path"] }, ORIGINS_RULE],
    [{ allowedOrigins: ["*"] }, ORIGINS_RULE],
  ])("%j", async (options, message) => {
    await expect(startServer(undefined, options)).rejects.toThrow(expect.objectContaining({ message }));
  });

  test("with a token, a server can listen on all interfaces", async () => {
    const { port } = await startServer(undefined, { host: "0.0.0.0", token: TOKEN });
    const headers = { Authorization: `Bearer ${TOKEN}x` };
    expect(await refusalOf(`ws://127.0.0.1:${port}`, { headers })).toEqual(TOKEN_REFUSED);
  });
});
