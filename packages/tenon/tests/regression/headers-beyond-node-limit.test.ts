import { getRequestListener } from "@hono/node-server";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { toFetch } from "../../src/transport/fetch/index.js";
import { listen, toNodeHandler } from "../../src/transport/node/index.js";
import { NODE, SERVED } from "../../../../tests/support/http-faces.js";
import { rawPost, rawRequest } from "../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../tests/support/requests.js";

/** Node silently drops headers beyond `maxHeadersCount`, and a foreign Origin among them passed the check. */

const server = defineServer({ name: "headers", version: "1.0.0" }).build();
const BODY = JSON.stringify(modernRequest("server/discover"));
const HEADERS = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover" };
/** Number of headers in a request without additional ones. */
const OWN = 5;
const EVIL = "Origin: https://evil.example";

/** Creates a request with additional headers at the end. */
function withHeaders(...lines: readonly string[]): string {
  return rawPost(BODY, HEADERS).replace("\r\n\r\n", ["", ...lines, "", ""].join("\r\n"));
}

/** Creates a request with `count` headers, the last of which is a foreign Origin. */
function withLastOrigin(count: number): string {
  return withHeaders(...Array.from({ length: count - OWN - 1 }, () => "X:1"), EVIL);
}

/** Serves with a limit until the test ends. */
async function serveLimited(handler: RequestListener, maxHeadersCount: number | undefined): Promise<number> {
  const http = createServer(handler);
  if (maxHeadersCount !== undefined) http.maxHeadersCount = maxHeadersCount;
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return (http.address() as AddressInfo).port; // listening on a port
}

describe.each([
  ["toNodeHandler", () => toNodeHandler(server)],
  ["toFetch on Hono's server", () => getRequestListener(toFetch(server)) as RequestListener],
])("%s", (_name, create) => {
  // Node adds headers in groups of 31, so both multiples of 31 and other limits matter.
  test.each([
    [undefined, 1_000],
    [10, 10],
    [31, 31],
    [50, 50],
    [62, 62],
    [1_984, 1_984],
    [3_000, 3_000],
  ])("rejects a foreign Origin at any place if maxHeadersCount is %s", async (configured, limit) => {
    const port = await serveLimited(create(), configured);
    const counts = [limit - 1, limit, limit + 1, limit + 30, limit + 31, limit + 32, limit + 62, limit + 100];
    for (const count of counts) {
      const { status, body } = await rawRequest(port, withLastOrigin(count));
      expect({ count, status }).toEqual({ count, status: count < limit ? 403 : 431 });
      // Recent versions of Node reject most of these requests themselves, without a body.
      if (status !== 431 || body === "") continue;
      expect(JSON.parse(body)).toEqual({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32600, message: `The request has too many headers (limit: ${limit - 1}).` },
      });
    }
  });

  test("sees all headers if maxHeadersCount is 0", async () => {
    const port = await serveLimited(create(), 0);
    for (const count of [50, 1_000, 2_000, 2_500]) {
      expect(await rawRequest(port, withLastOrigin(count))).toMatchObject({ status: 403 });
    }
  });

  test("serves requests with many headers below the limit", async () => {
    const port = await serveLimited(create(), undefined);
    const many = Array.from({ length: 999 - OWN }, () => "X:1");
    expect(await rawRequest(port, withHeaders(...many))).toMatchObject({ status: 200 });
  });
});

test("serve rejects a request whose last headers Node drops", async () => {
  const { port, close } = await listen(toNodeHandler(server), { port: 0 });
  onTestFinished(() => close());
  for (const count of [1_000, 1_001, 2_000]) {
    expect(await rawRequest(port, withLastOrigin(count))).toMatchObject({ status: 431 });
  }
  expect(await rawRequest(port, withLastOrigin(999))).toMatchObject({ status: 403 });
});

describe.each([NODE, SERVED])("a repeated header on $name", (face) => {
  test.each([
    ["Host: localhost", 200],
    ["Host: evil.example", 403],
    ["Origin: http://localhost", 200],
    ["Origin: http://localhost\r\nOrigin: https://evil.example", 403],
    ["Origin: https://evil.example\r\nOrigin: http://localhost", 403],
    ["Origin: http://localhost\r\norigin: http://localhost", 403],
    ["Content-Type: text/plain", 415],
    ["content-type: application/json", 415],
    ["Mcp-Method: tools/call", 400],
    ["Mcp-Method: server/discover", 400],
    ["MCP-Protocol-Version: 2025-11-25", 400],
    ["Mcp-Session-Id: a\r\nMcp-Session-Id: b", 200],
  ])("never passes with a value that was not checked: %j", async (lines, status) => {
    const { port } = await face.open(server);
    expect(await rawRequest(port, withHeaders(lines))).toMatchObject({ status });
  });

  test("is rejected with parameters in the first Content-Type", async () => {
    const { port } = await face.open(server);
    const text = withHeaders("Content-Type: text/plain").replace("json", "json; charset=utf-8");
    expect(await rawRequest(port, text)).toMatchObject({ status: 415 });
  });
});
