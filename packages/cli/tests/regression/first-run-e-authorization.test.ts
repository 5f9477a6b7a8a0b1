import { createServer } from "node:http";
import { once } from "node:events";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAuthorization } from "@tenon/auth";
import { defineServer } from "tenon";
import { type Running, serve } from "tenon/node";
import { tenonInProcess } from "../../../../tests/support/program.js";

const SECRET = "a secret of at least thirty-two bytes";
let running: Running;

beforeAll(async () => {
  const server = defineServer({ name: "notes", version: "1.0.0" })
    .tool("list_notes", { scopes: ["notes:read"], handler: () => "none" })
    .tool("delete_note", { scopes: ["notes:write", "notes:delete"], handler: () => "deleted" })
    .resource("secret", { uri: "notes://secret", scopes: ["notes:write"], handler: () => "x" });
  running = await serve(server, {
    transport: { type: "http", port: 0 },
    signals: false,
    banner: false,
    authorization: createAuthorization({ mode: "jwt", secretKey: SECRET }),
  });
});
afterAll(() => running.close());

const tokenFor = (scope: string, key = SECRET, expires = "1h") =>
  new SignJWT({ client_id: "me", scope })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(key));

const withToken = (args: readonly string[], TOKEN: string, revision: string) =>
  tenonInProcess([...args, "--server", running.url ?? "", "--bearer-env", "TOKEN", "--revision", revision], {
    env: { TOKEN },
  });

describe.each(["2025-11-25", "2026-07-28"])("in revision %s", (revision) => {
  test("first-run-e: `call` says which scopes are missing for a hidden tool", async () => {
    const { code, stderr } = await withToken(
      ["call", "delete_note"],
      await tokenFor("notes:read notes:write"),
      revision,
    );
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The server denied access (HTTP 403): Tool "delete_note" requires these scopes: notes:write, notes:delete. ' +
        "The token lacks these scopes: notes:delete.\n",
    );
  });

  test("first-run-e: `call` still suggests a name for a tool that does not exist", async () => {
    const { stderr } = await withToken(["call", "list_note"], await tokenFor("notes:read"), revision);
    expect(stderr).toBe(
      'Unknown tool "list_note". Did you mean list_notes? List all tools with: tenon list\n',
    );
  });

  test("first-run-e: `read` mentions scopes for a hidden resource", async () => {
    const { stderr } = await withToken(["read", "notes://secret"], await tokenFor("notes:read"), revision);
    expect(stderr).toBe(
      'Unknown resource "notes://secret". The token may lack a scope that the resource requires. List all resources with: tenon list\n',
    );
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ["expired", () => tokenFor("notes:read", SECRET, "-1h"), /expired/],
    ["signed with a different secret", () => tokenFor("notes:read", "x".repeat(32)), /signature/],
    ["not a token", () => Promise.resolve("garbage"), /token/i],
  ])("first-run-e: a token that is %s is rejected with the server's reason", async (_what, make, reason) => {
    const token = await make();
    const { code, stderr } = await withToken(["call", "list_notes"], token, revision);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The server rejected the token \(HTTP 401\): .+\n$/);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(token);
  });
});

test.each<[string, Readonly<Record<string, string>>, string, string]>([
  [
    "a challenge without a body",
    { "www-authenticate": 'Bearer error="invalid_token", error_description="The token \\"x\\" expired"' },
    "",
    'The server rejected the token (HTTP 401): The token "x" expired.\n',
  ],
  [
    "plain text with control characters",
    { "content-type": "text/plain" },
    `\u001b[2Jno ${"x".repeat(2_000)}`,
    `The server rejected the token (HTTP 401): [2Jno ${"x".repeat(493)}…\n`,
  ],
  [
    "a text that repeats the token",
    { "content-type": "application/json" },
    '{"error":"invalid_token","error_description":"Unknown token s3cret-token"}',
    "The server rejected the token (HTTP 401): Unknown token [REDACTED].\n",
  ],
  ["HTML", { "content-type": "text/html" }, "<html>", "The server rejected the token (HTTP 401).\n"],
])("first-run-e: the reason is bounded and printable: %s", async (_what, headers, body, expected) => {
  const http = createServer((_request, response) => response.writeHead(401, headers).end(body));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as { port: number }).port}/mcp`;
  const { stderr } = await tenonInProcess(["list", url, "--bearer-env", "T"], { env: { T: "s3cret-token" } });
  expect(stderr).toBe(expected);
});

test("first-run-e: a URL without an endpoint names the usual path", async () => {
  const { code, stderr } = await tenonInProcess(["list", new URL("/wrong", running.url).href]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "The URL is not an MCP endpoint (HTTP 404). Check its path, which is usually /mcp.\n",
  });
});
