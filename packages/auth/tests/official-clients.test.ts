import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as modernClient from "@modelcontextprotocol/client";
import * as legacyClient from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { post } from "../../../tests/support/http-faces.js";
import { initializeBody, modernCall } from "../../../tests/support/http-messages.js";
import { startTrust } from "../../../tools/tokens/issuer.js";

let url = "";
let trust: Awaited<ReturnType<typeof startTrust>>;
let close: () => Promise<void>;

beforeAll(async () => {
  trust = await startTrust();
  const server = defineServer({ name: "notes", version: "1.0.0" })
    .tool("whoami", { handler: (_, call) => call.auth?.subject ?? "nobody" })
    .tool("write", { scopes: ["notes:write"], handler: () => "written" });
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // listening on a port
  const authorization = createAuthorization({
    ...trust.options,
    resource: url,
    requiredScopes: ["notes:read"],
    scopesSupported: ["notes:read", "notes:write"],
  });
  const handler = toNodeHandler(server, { authorization });
  http.on("request", handler);
  close = async () => {
    await handler.close(0);
    http.close();
    http.closeAllConnections();
    await once(http, "close");
  };
});

afterAll(async () => {
  await close();
  await trust.issuer.close();
});

describe.each([
  ["v1", legacyClient],
  ["v2", modernClient],
])("the official client %s", (_name, library) => {
  test("reads the metadata URL and the scopes from a 401 response", async () => {
    const refused = await fetch(url, post(initializeBody()));
    const { resourceMetadataUrl, scope, error } = library.extractWWWAuthenticateParams(refused);
    expect([refused.status, scope, error]).toEqual([401, "notes:read", undefined]);
    if (resourceMetadataUrl === undefined)
      throw new Error("The 401 response does not contain a metadata URL.");
    const metadata = await library.discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl });
    expect(metadata).toMatchObject({
      resource: url,
      authorization_servers: [trust.issuer.url],
      scopes_supported: ["notes:read", "notes:write"],
    });
  });

  test("finds the metadata without a 401 response", async () => {
    const metadata = await library.discoverOAuthProtectedResourceMetadata(url);
    expect(metadata.resource).toBe(url);
  });

  test("reads every scope that a call requires", async () => {
    const headers = { authorization: `Bearer ${trust.token({ aud: url })}` };
    const refused = await fetch(url, modernCall("write", {}, { headers }));
    const { scope, error } = library.extractWWWAuthenticateParams(refused);
    expect([refused.status, error, scope]).toEqual([403, "insufficient_scope", "notes:read notes:write"]);
  });
});

test("the official client v1 calls with a token", async () => {
  const headers = { authorization: `Bearer ${trust.token({ aud: url })}` };
  const client = new Client({ name: "tests", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["whoami"]);
  expect(await client.callTool({ name: "whoami" })).toMatchObject({
    content: [{ type: "text", text: "ada" }],
  });
  await client.close();
});

test("the official client v2 calls with a token", async () => {
  const headers = { authorization: `Bearer ${trust.token({ aud: url })}` };
  const client = new modernClient.Client(
    { name: "tests", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(
    new modernClient.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  expect(await client.callTool({ name: "whoami" })).toMatchObject({
    content: [{ type: "text", text: "ada" }],
  });
  await client.close();
});
