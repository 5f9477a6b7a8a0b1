import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { connectRaw, startServer } from "../support/socket/clients.js";

/** Node silently drops headers beyond its limit, and a foreign Origin among them passed the check. */

const UPGRADE = [
  "GET / HTTP/1.1",
  "Host: 127.0.0.1",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
/** Number of headers in the request above. */
const OWN = UPGRADE.length - 1;

/** Requests a WebSocket connection with additional headers, and returns the start of the response. */
async function upgradeWith(port: number, ...headers: readonly string[]): Promise<string> {
  const socket = await connectRaw(port);
  socket.write([...UPGRADE, ...headers, "", ""].join("\r\n"));
  const [head] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return head.toString("latin1");
}

describe("an upgrade request", () => {
  test.each([
    [999, "HTTP/1.1 403 "],
    [1_000, "HTTP/1.1 431 "],
    [1_001, "HTTP/1.1 431 "],
    [1_100, "HTTP/1.1 431 "],
    [2_100, "HTTP/1.1 431 "],
  ])("with %i headers, the last of which is a foreign Origin, is rejected", async (count, status) => {
    const { port, server } = await startServer();
    const fill = Array.from({ length: count - OWN - 1 }, () => "X:1");
    const reply = await upgradeWith(port, ...fill, "Origin: https://evil.example");
    expect(reply.slice(0, status.length)).toBe(status);
    // Recent versions of Node reject such requests themselves, without a body.
    const [, body = ""] = reply.split("\r\n\r\n");
    if (status.includes("431") && body !== "")
      expect(body).toContain("The request has too many headers (limit: 999).");
    expect(server.connectionCount).toBe(0);
  });

  test("with many headers below the limit is accepted", async () => {
    const { port } = await startServer();
    const fill = Array.from({ length: 900 }, () => "X:1");
    expect(await upgradeWith(port, ...fill, "Origin: http://localhost")).toMatch(/^HTTP\/1\.1 101 /);
  });

  test.each([
    ["Authorization: Bearer the-token-of-this-test", 101],
    ["Authorization: Bearer the-token-of-this-test\r\nAuthorization: Bearer other", 401],
    ["Authorization: Bearer other\r\nAuthorization: Bearer the-token-of-this-test", 401],
    [
      "Authorization: Bearer the-token-of-this-test\r\nOrigin: http://localhost\r\nOrigin: https://evil.example",
      403,
    ],
  ])("never passes with a repeated header: %j", async (lines, status) => {
    const { port } = await startServer(undefined, { token: "the-token-of-this-test" });
    expect(await upgradeWith(port, lines)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
