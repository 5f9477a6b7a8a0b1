/**
 * @fileoverview Tests authorization and untrusted input.
 * @module tests/mcp-server/security.test
 */
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { echoCall, INITIALIZE, openSession, post, serveForTest } from "../support/serving.js";

const SECRET = "a secret of thirty-two characters";
const JWT_MODE = { MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: SECRET };

/** Signs a token like the issuer. */
async function bearer(scope: string, { secret = SECRET, lifetime = "5m" } = {}) {
  const token = await new SignJWT({ client_id: "test", scope })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(new TextEncoder().encode(secret));
  return { authorization: `Bearer ${token}` };
}

describe("a server that requires tokens", () => {
  it.each([
    ["no token", async () => ({})],
    ["a malformed token", async () => ({ authorization: "Bearer nonsense" })],
    [
      "a token signed with a different secret",
      () => bearer("any", { secret: "another secret of thirty-two chars" }),
    ],
    ["an expired token", () => bearer("any", { lifetime: "-1m" })],
  ])("rejects a request with %s", async (_, headers) => {
    const { url } = await serveForTest(JWT_MODE);
    const response = await post(url, INITIALIZE, await headers());
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(response.headers.get("mcp-session-id")).toBeNull();
  });

  it("lets only the caller that opened a session use it", async () => {
    const { url } = await serveForTest(JWT_MODE);
    const own = await bearer("any");
    const opened = await post(url, INITIALIZE, own);
    expect(opened.status).toBe(200);
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    expect((await post(url, echoCall(2, "hi"), { ...session, ...own })).status).toBe(200);
    expect((await post(url, echoCall(3, "hi"), session)).status).toBe(401);
  });

  it("rejects a tool call without the required scope", async () => {
    const { url } = await serveForTest(JWT_MODE);
    const own = await bearer("something:else");
    const opened = await post(url, INITIALIZE, own);
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const params = { name: "get_temperature", arguments: { latitude: 0, longitude: 0 } };
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
    const response = await post(url, call, { ...session, ...own });
    expect(await response.json()).toMatchObject({
      result: {
        isError: true,
        content: [
          { text: "Error: Insufficient permissions. Missing required scopes: weather:read" },
        ],
      },
    });
  });
});

describe("untrusted clients", () => {
  it("are rejected if their origin is not allowed", async () => {
    const { url } = await serveForTest();
    expect((await post(url, INITIALIZE, { origin: "https://evil.example" })).status).toBe(403);
  });

  it.each([
    ["a number", 7],
    ["an array", ["hi"]],
    ["nothing", undefined],
    ["a message that is too long", "a".repeat(1001)],
  ])("that send %s as a message receive an error without internal details", async (_, message) => {
    const { url } = await serveForTest();
    const response = await post(url, echoCall(2, message), await openSession(url));
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ result: { isError: true } });
    expect(text).not.toMatch(/node_modules|\.ts:\d|at \w+ \(/);
  });

  it("cannot pollute prototypes", async () => {
    const { url } = await serveForTest();
    const body = JSON.stringify(echoCall(2, "hi")).replace(
      '"message"',
      '"__proto__":{"mode":"uppercase"},"message"',
    );
    const response = await post(url, body, await openSession(url));
    expect(await response.json()).toMatchObject({
      result: { structuredContent: { mode: "standard" } },
    });
  });

  it("cannot send an oversized body", async () => {
    const { url } = await serveForTest();
    const response = await post(url, echoCall(2, "a".repeat(20_000_000)));
    expect(response.status).toBe(413);
  });
});
