import { SignJWT } from "jose";
import { createServer, type Server as NetServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { loadAppConfig } from "../../src/config/load-app-config.js";
import { serveOnFreePort, toServeOptions } from "../../src/config/serve-options.js";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import type { Authenticated } from "../../../tenon/src/transport/http/authorization.js";
import type { Running } from "../../../tenon/src/transport/node/run-http.js";
import { serve } from "../../../tenon/src/transport/node/serve.js";

const taken: NetServer[] = [];
const running: Running[] = [];
afterEach(async () => {
  for (const server of taken.splice(0)) server.close();
  for (const one of running.splice(0)) await one.close();
});

const take = (port: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      taken.push(server);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
/** Occupies consecutive ports that are followed by a free one. */
const takeRow = async (count: number): Promise<number> => {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      const first = await take(0);
      for (let next = first + 1; next < first + count; next++) await take(next);
      await take(first + count);
      taken.pop()?.close();
      return first;
    } catch {
      for (const server of taken.splice(0)) server.close();
    }
  }
  throw new Error("no consecutive ports are free");
};
const server = () =>
  defineServer({ name: "t", version: "1" }).tool("echo", { description: "Echoes.", handler: () => "hello" });
const configOf = (env: Record<string, string>) =>
  loadAppConfig({ MCP_TRANSPORT_TYPE: "http", MCP_HTTP_PORT_RETRY_DELAY_MS: "1", ...env });

describe("toServeOptions", () => {
  test("T40: converts the configuration to serve options", () => {
    expect(toServeOptions(loadAppConfig({}))).toEqual({
      transport: { type: "stdio" },
      host: "127.0.0.1",
      path: "/mcp",
      legacy: "stateful",
      sessions: { idleMs: 1_800_000 },
    });
    const env = {
      MCP_HTTP_PORT: "4000",
      MCP_HTTP_HOST: "localhost",
      MCP_HTTP_ENDPOINT_PATH: "/x",
      MCP_SESSION_MODE: "stateless",
      MCP_STATEFUL_SESSION_STALE_TIMEOUT_MS: "5000",
      MCP_ALLOWED_HOSTS: "mcp.example",
      MCP_ALLOWED_ORIGINS: "https://app.example",
    };
    expect(toServeOptions(configOf(env))).toEqual({
      transport: { type: "http", port: 4000 },
      host: "localhost",
      path: "/x",
      legacy: "stateless",
      sessions: { idleMs: 5_000 },
      allowedHosts: ["mcp.example"],
      allowedOrigins: ["https://app.example"],
      corsOrigins: ["https://app.example"],
    });
  });

  test("serve accepts and applies the options", async () => {
    const env = {
      MCP_HTTP_PORT: "0",
      MCP_ALLOWED_ORIGINS: "https://app.example",
      MCP_HTTP_ENDPOINT_PATH: "/x",
    };
    const one = await serve(server(), { ...toServeOptions(configOf(env)), signals: false });
    running.push(one);
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/x$/);
    const ask = (origin: string) =>
      fetch(one.url ?? "", {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "x", capabilities: {}, clientInfo: { name: "c", version: "1" } },
        }),
      });
    const allowed = await ask("https://app.example");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(allowed.headers.has("mcp-session-id")).toBe(true);
    expect((await ask("https://evil.example")).status).toBe(403);
  });
});

describe("serveOnFreePort", () => {
  const KEY = "correct-horse-battery-staple-0123456789";
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "x", capabilities: {}, clientInfo: { name: "c", version: "1" } },
  };
  const statusOf = async (one: Running, authorization?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(authorization === undefined ? {} : { authorization }),
    };
    return (await fetch(one.url ?? "", { method: "POST", headers, body: JSON.stringify(initialize) })).status;
  };
  const tokenOf = (claims: Record<string, unknown>, key = KEY) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1m")
      .sign(new TextEncoder().encode(key));

  test("T41: MCP_AUTH_MODE jwt requires a valid token without further options", async () => {
    const config = configOf({ MCP_HTTP_PORT: "0", MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: KEY });
    const one = await serveOnFreePort(server(), config, { signals: false });
    running.push(one);
    const claims = { cid: "client", sub: "ada", scope: "read" };
    expect(await statusOf(one)).toBe(401);
    expect(await statusOf(one, `Bearer ${await tokenOf(claims, `${KEY}x`)}`)).toBe(401);
    expect(await statusOf(one, `Bearer ${await tokenOf(claims)}`)).toBe(200);
  });

  test.each([
    ["none", {}],
    ["jwt", { MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test" }],
  ])("T41: mode %s with %o accepts every caller", async (mode, env) => {
    const config = configOf({ MCP_HTTP_PORT: "0", MCP_AUTH_MODE: mode, ...env });
    const one = await serveOnFreePort(server(), config, { signals: false });
    running.push(one);
    expect(await statusOf(one)).toBe(200);
  });

  test("T41: the application's own authenticate function takes precedence", async () => {
    const config = configOf({ MCP_HTTP_PORT: "0", MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: KEY });
    const one = await serveOnFreePort(server(), config, {
      signals: false,
      authenticate: ({ header }): Authenticated<unknown> =>
        header("authorization") === "Bearer me" ? {} : { status: 403, message: "not you" },
    });
    running.push(one);
    expect([await statusOf(one, "Bearer me"), await statusOf(one)]).toEqual([200, 403]);
  });

  test("T40: uses the next port if one is in use", async () => {
    const first = await takeRow(2);
    const told: number[] = [];
    const one = await serveOnFreePort(server(), configOf({ MCP_HTTP_PORT: String(first) }), {
      signals: false,
      onTaken: (port) => told.push(port),
    });
    running.push(one);
    expect(one.url).toBe(`http://127.0.0.1:${first + 2}/mcp`);
    expect(told).toEqual([first, first + 1]);
    expect((await fetch(new URL("/healthz", one.url))).status).toBe(200);
  });

  test.each([
    [
      "1",
      (first: number) =>
        `Ports ${first} to ${first + 1} are already in use. Set MCP_HTTP_PORT to a free port.`,
    ],
    ["0", (first: number) => `Port ${first} is already in use. Set MCP_HTTP_PORT to a free port.`],
  ])("T40: gives up after %s retries", async (retries, message) => {
    const first = await takeRow(2);
    const config = configOf({ MCP_HTTP_PORT: String(first), MCP_HTTP_MAX_PORT_RETRIES: retries });
    await expect(serveOnFreePort(server(), config, { signals: false })).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
      message: message(first),
    });
  });

  test("waits between retries", async () => {
    const first = await takeRow(2);
    const config = configOf({ MCP_HTTP_PORT: String(first), MCP_HTTP_PORT_RETRY_DELAY_MS: "60" });
    const start = performance.now();
    running.push(await serveOnFreePort(server(), config, { signals: false }));
    expect(performance.now() - start).toBeGreaterThanOrEqual(118);
  });

  test("rethrows other errors unchanged", async () => {
    const config = configOf({
      MCP_HTTP_PORT: "0",
      MCP_HTTP_HOST: "192.0.2.1",
      MCP_ALLOWED_HOSTS: "a.example",
    });
    await expect(serveOnFreePort(server(), config, { signals: false })).rejects.toMatchObject({
      code: "EADDRNOTAVAIL",
    });
  });
});
