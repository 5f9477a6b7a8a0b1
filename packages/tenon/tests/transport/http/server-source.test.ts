import { describe, expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../../src/core/define-server.js";
import type { HostedServer } from "../../../src/core/wire/hosted-server.js";
import { McpError } from "../../../src/protocol/index.js";
import type { ServerSource } from "../../../src/transport/http/server-source.js";
import { toNodeHandler } from "../../../src/transport/node/node-handler.js";
import { type Endpoint, listen, read } from "../../../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../../../tests/support/http-messages.js";

const nameServer = (name: string): HostedServer<unknown> =>
  defineServer({ name, version: "1.0.0" })
    .tool("name", { handler: () => name })
    .build();

async function open(source: ServerSource<unknown>): Promise<Endpoint> {
  const handler = toNodeHandler(source);
  const port = await listen(handler);
  onTestFinished(() => handler.close(0));
  return {
    port,
    fetch: (init, path = "/mcp") => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: (graceMs) => handler.close(graceMs),
  };
}

const contentOf = async (response: Response) => {
  const { body } = await read(response);
  return (body["result"] as { readonly content: unknown }).content;
};

describe("toNodeHandler with a source of servers", () => {
  test("opens a server for each session, with the session's ID", async () => {
    const opened: string[] = [];
    const endpoint = await open({
      shared: undefined,
      open(sessionId) {
        opened.push(sessionId);
        return nameServer(`server ${opened.length}`);
      },
    });
    const clients = [await openSession(endpoint), await openSession(endpoint)];
    expect(opened).toEqual(clients.map(({ id }) => id));
    for (const [index, client] of clients.entries()) {
      const content = [{ type: "text", text: `server ${index + 1}` }];
      expect(await contentOf(await client.call("name"))).toEqual(content);
    }
  });

  test("rejects stateless requests without a shared server", async () => {
    const endpoint = await open({ shared: undefined, open: () => nameServer("own") });
    const { status, body } = await read(await endpoint.fetch(modernCall("name")));
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({
      message: "This endpoint does not support stateless requests. Send `initialize` to open a session.",
    });
  });

  test("handles stateless requests with the shared server", async () => {
    const shared = nameServer("shared");
    const endpoint = await open({ shared, open: () => shared });
    expect(await contentOf(await endpoint.fetch(modernCall("name")))).toEqual([
      { type: "text", text: "shared" },
    ]);
  });

  test("rejects a session if its server cannot be opened, and sends only an McpError's message", async () => {
    for (const [error, message] of [
      [new McpError("CONFLICT", "one session only"), "one session only"],
      [new Error("secret"), "Could not create a server for this session. Try again later."],
    ] as const) {
      const endpoint = await open({ shared: undefined, open: () => Promise.reject(error) });
      await expect(openSession(endpoint)).rejects.toThrow();
      const { status, body } = await read(
        await endpoint.fetch({
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }),
        }),
      );
      expect({ status, message: (body["error"] as { message: string }).message }).toEqual({
        status: 409,
        message,
      });
    }
  });
});
