import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { toNodeHandler } from "tenon/node";
import { inspectAt, serveHttp } from "../support/page/inspected.js";
import { createShop } from "../support/page/shop.js";

/** Serves an MCP server that requires a token, and its authorization server, on one port. */
async function serveProtected() {
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  const handler = toNodeHandler(createShop());
  let origin = "";
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const documents: Readonly<Record<string, () => unknown>> = {
    "/.well-known/oauth-protected-resource/mcp": () => ({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    }),
    "/.well-known/oauth-authorization-server": () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    }),
  };
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", origin);
    const document = documents[url.pathname];
    if (document !== undefined) return json(response, 200, document());
    if (url.pathname === "/register") {
      const metadata = JSON.parse(await text(request)) as object;
      return json(response, 201, { ...metadata, client_id: "client-1" });
    }
    if (url.pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, url.searchParams.get("code_challenge") ?? "");
      const target = new URL(url.searchParams.get("redirect_uri") ?? "");
      target.searchParams.set("code", code);
      target.searchParams.set("state", url.searchParams.get("state") ?? "");
      return response.writeHead(302, { location: target.href }).end();
    }
    if (url.pathname === "/token") {
      const form = new URLSearchParams(await text(request));
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (codes.get(form.get("code") ?? "") !== challenge)
        return json(response, 400, { error: "invalid_grant" });
      const token = `token-${randomUUID()}`;
      tokens.add(token);
      return json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 3_600 });
    }
    if (url.pathname === "/revoke") {
      tokens.delete(new URLSearchParams(await text(request)).get("token") ?? "");
      return response.writeHead(200).end();
    }
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (tokens.has(token)) return handler(request, response);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
  };
  origin = await serveHttp((request, response) => void listener(request, response));
  return { url: `${origin}/mcp`, tokens };
}

test("the page signs in with OAuth, never shows the token, and signs out", async () => {
  const { url, tokens } = await serveProtected();
  const { client } = await inspectAt(url);
  const waiting = await client.connected(
    ({ status, signInUrl }) => status === "sign-in" && signInUrl !== undefined,
  );
  expect(waiting.signInUrl).toContain("/authorize?");
  // The user's browser follows the redirect to a port of this machine.
  const signedIn = await fetch(waiting.signInUrl ?? "");
  expect(await signedIn.text()).toContain("You are signed in");
  await client.connectedTwice();
  const { id } = await client.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
  expect(await client.call(id)).toMatchObject({ outcome: "ok" });
  const [token = ""] = tokens;
  const detail = await client.detail(id);
  expect(JSON.stringify([client.events, detail])).not.toContain(token);
  expect(new Map(detail.wire[0]?.http?.headers).get("authorization")).toBe("Bearer [REDACTED]");

  await client.command("sign-out", {});
  expect(tokens.size).toBe(0);
  await client.connected(({ status, signInUrl }) => status === "sign-in" && signInUrl === undefined);
  await client.command("sign-in", {});
  const again = await client.connected(
    ({ status, signInUrl }) => status === "sign-in" && signInUrl !== undefined,
  );
  await (await fetch(again.signInUrl ?? "")).text();
  expect((await client.connectedTwice()).status).toBe("ready");
});

test("a server that rejects the token without OAuth is explained", async () => {
  const origin = await serveHttp((_request, response) => response.writeHead(401).end());
  const { client } = await inspectAt(`${origin}/mcp`, [["authorization", "Bearer wrong"]]);
  const { message } = await client.connected(({ status }) => status === "failed");
  expect(message).toBe("The server requires authorization (HTTP 401).");
  await expect(client.command("sign-in", {})).rejects.toThrow("409");
});
