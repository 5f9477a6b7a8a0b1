import express from "express";
import { createServer, request as send, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { limiterGuard, operationKey, rateLimit } from "../../src/limits/call-guard.js";
import { fetchRateLimit, httpRateLimit } from "../../src/limits/http-rate-limit.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/rate-limiter.js";
import { createLogger } from "../../src/logging/logger.js";
import { standard } from "../../src/standard.js";
import type { Operation } from "../../../tenon/src/core/call/middleware.js";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import { Connection } from "../../../tenon/src/core/wire/connection.js";
import { isPromise } from "@tenon/internal/maybe-promise";
import { PROTOCOL_VERSION } from "tenon";
import { toNodeHandler } from "../../../tenon/src/transport/node/node-handler.js";

const REFUSED = "Rate limit exceeded. Please try again in 60 seconds.";
const limiterOf = (limit: number) => createRateLimiter({ limit, windowMs: 60_000 });
const later = (limiter: RateLimiter): RateLimiter => ({
  ...limiter,
  check: async (key, context) => limiter.check(key, context),
  consume: async (key, points, context) => limiter.consume(key, points, context),
});
const serverWith = (limiter: RateLimiter) =>
  defineServer({ name: "t", version: "1" })
    .use(rateLimit({ limiter }))
    .tool("echo", { description: "Echoes.", handler: () => "hello" })
    .tool("other", { description: "Echoes too.", handler: () => "hello" })
    .build();
const callAs = (server: Pick<ReturnType<typeof serverWith>, "handle">, principal?: string, name = "echo") => {
  const connection = new Connection({ era: "legacy", revision: PROTOCOL_VERSION, pushes: false });
  const auth = principal === undefined ? {} : { auth: { principal, scopes: [] } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } } as const;
  return server.handle(message, undefined, { connection, ...auth });
};
const resultOf = async (reply: ReturnType<typeof callAs>) =>
  (JSON.parse((await reply).toText()) as { readonly result: unknown }).result;

describe("a limit on calls", () => {
  test("T43: rejects a call before its handler runs, per principal and tool", async () => {
    const server = serverWith(limiterOf(1));
    expect(await resultOf(callAs(server, "ada"))).toEqual({ content: [{ type: "text", text: "hello" }] });
    expect(await resultOf(callAs(server, "ada"))).toEqual({
      content: [{ type: "text", text: REFUSED }],
      isError: true,
    });
    for (const [principal, name] of [
      ["ada", "other"],
      ["grace", "echo"],
      [undefined, "echo"],
      ["anonymous", "echo"],
    ] as const) {
      expect(await resultOf(callAs(server, principal, name))).not.toHaveProperty("isError");
    }
    expect(await resultOf(callAs(server))).toHaveProperty("isError", true);
  });

  test("is synchronous if the store is, and asynchronous otherwise", async () => {
    expect(isPromise(callAs(serverWith(limiterOf(1))))).toBe(false);
    const server = serverWith(later(limiterOf(1)));
    const reply = callAs(server);
    expect(isPromise(reply)).toBe(true);
    expect(await resultOf(reply)).not.toHaveProperty("isError");
    expect(await resultOf(callAs(server))).toHaveProperty("isError", true);
  });

  test("T43: works as a guard with a custom key", () => {
    const operation = {
      kind: "tool",
      name: "echo",
      args: {},
      call: { context: "home" },
    } as unknown as Operation;
    const guard = limiterGuard({
      limiter: limiterOf(1),
      key: ({ name, call }) => `${name} ${String(call.context)}`,
    });
    expect(guard.check(operation)).toBeUndefined();
    expect(() => guard.check(operation)).toThrow(REFUSED);
  });

  test("T43: works as the limiter of the standard middleware", async () => {
    const guard = limiterGuard({ limiter: limiterOf(1) });
    const server = defineServer({ name: "t", version: "1" })
      .use(standard({ limiter: guard, logger: await createLogger({ level: "emerg" }) }))
      .tool("echo", { description: "Echoes.", handler: () => "hello" })
      .build();
    expect(await resultOf(callAs(server))).not.toHaveProperty("isError");
    expect(await resultOf(callAs(server))).toMatchObject({ content: [{ text: REFUSED }], isError: true });
  });

  test("a principal cannot produce a different principal's key", () => {
    const key = (name: string, principal?: string) =>
      operationKey({
        kind: "tool",
        name,
        args: {},
        call: { auth: principal === undefined ? undefined : { principal, scopes: [] } },
      } as unknown as Operation);
    const keys = [
      key("a"),
      key("a", "anonymous"),
      key("a", " anonymous"),
      key("a anonymous"),
      key("a", "b"),
      key("a b"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const servers: HttpServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
const listen = async (server: HttpServer): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};
const get = (port: number, headers: Record<string, string | string[]> = {}) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const sent = send({ port, host: "127.0.0.1", headers, path: "/mcp", method: "POST" }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
      });
      sent.on("error", reject).end("{}");
    },
  );

describe("a limit on HTTP requests", () => {
  test.each([
    ["synchronously", (limiter: RateLimiter) => limiter],
    ["later", later],
  ])("T43: responds with 429 on node:http if the store responds %s", async (_when, made) => {
    const endpoint = toNodeHandler(serverWith(limiterOf(100)));
    const limit = httpRateLimit({ limiter: made(limiterOf(1)) });
    const port = await listen(createServer((req, res) => limit(req, res, () => endpoint(req, res))));
    expect((await get(port)).status).not.toBe(429);
    const { status, headers, body } = await get(port, { "x-forwarded-for": "1.2.3.4" });
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "retry-after": "60",
      "ratelimit-policy": '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
    });
    expect(JSON.parse(body)).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: REFUSED },
    });
  });

  test("T43: works in Express and distinguishes clients behind a trusted proxy", async () => {
    const app = express();
    app.use("/mcp", httpRateLimit({ limiter: limiterOf(1), trustProxy: ["loopback"] }));
    app.use("/mcp", (_request, response) => void response.send("in"));
    const port = await listen(createServer(app));
    const statusOf = async (address: string | string[]) =>
      (await get(port, { "x-forwarded-for": address })).status;
    expect(await statusOf("1.2.3.4")).toBe(200);
    expect(await statusOf("1.2.3.4")).toBe(429);
    expect(await statusOf("9.9.9.9, 1.2.3.4")).toBe(429);
    expect(await statusOf(["9.9.9.9", "1.2.3.4"])).toBe(429);
    expect(await statusOf("1.2.3.5")).toBe(200);
    expect(await statusOf("2001:db8::1")).toBe(200);
    expect(await statusOf("2001:db8::2")).toBe(429);
    expect((await get(port, { forwarded: "for=5.5.5.5" })).status).toBe(200);
    expect((await get(port, { forwarded: "for=6.6.6.6" })).status).toBe(429);
  });

  test("T43: works with web-standard requests", async () => {
    const limit = fetchRateLimit({
      limiter: limiterOf(1),
      trustProxy: ["10.0.0.0/8"],
      forwardedHeader: "forwarded",
    });
    const ask = (address: string | undefined, headers: Record<string, string> = {}) =>
      limit(new Request("http://localhost/mcp", { headers }), address);
    expect(ask("10.0.0.1", { forwarded: "for=1.2.3.4" })).toBeUndefined();
    expect(ask("10.0.0.1", { forwarded: "for=1.2.3.5" })).toBeUndefined();
    const refused = await ask("1.2.3.4", { forwarded: "for=7.7.7.7" });
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get("retry-after")).toBe("60");
    expect(await refused?.json()).toMatchObject({ error: { code: -32600, message: REFUSED } });
    expect(ask(undefined)).toBeUndefined();
    expect(await ask(undefined)).toHaveProperty("status", 429);
    const slow = fetchRateLimit({ limiter: later(limiterOf(1)) });
    expect(await slow(new Request("http://localhost/"), "1.2.3.4")).toBeUndefined();
    expect(await slow(new Request("http://localhost/"), "1.2.3.4")).toHaveProperty("status", 429);
  });

  test.each([
    [
      "synchronously",
      () => {
        throw new Error("secret");
      },
    ],
    ["asynchronously", () => Promise.reject(new Error("secret"))],
  ])("responds with 503 if the store fails %s", async (_when, consume) => {
    const limiter = createRateLimiter({ store: { consume } });
    const limit = httpRateLimit({ limiter });
    const port = await listen(createServer((req, res) => limit(req, res, () => res.end("in"))));
    const { status, body } = await get(port);
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32603, message: "Rate limiting is temporarily unavailable. Try again later." },
    });
  });

  test("sends a non-ASCII message intact", async () => {
    const limiter = createRateLimiter({ limit: 1, errorMessage: "Bitte später… 🙂 {waitTime}" });
    const limit = httpRateLimit({ limiter });
    const port = await listen(createServer((req, res) => limit(req, res, () => res.end("in"))));
    await get(port);
    expect(JSON.parse((await get(port)).body)).toMatchObject({ error: { message: "Bitte später… 🙂 900" } });
  });
});
