/**
 * @fileoverview Tests of `toFetch` on a bridge from `node:http`, for every version of `@hono/node-server`.
 * @module tests/tenon/support/transport/fetch/bridged-requests
 */
import type { AddressInfo } from "node:net";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { modernCall } from "../../../../../../tests/support/http-messages.js";
import { openSocket, rawPost } from "../../../../../../tests/support/http-raw.js";
import { defineServer } from "../../../../src/core/define-server.js";
import { type FetchHandler, toFetch } from "../../../../src/transport/fetch/index.js";

type Bridge = (handler: (request: Request, env: unknown) => Promise<Response>) => unknown;

const server = defineServer({ name: "bridged", version: "1.0.0" })
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .tool("wait", {
    handler: (_args, call) =>
      new Promise<string>((resolve) => {
        void call.progress(1);
        call.signal.addEventListener("abort", () => resolve("aborted"));
      }),
  })
  .build();

const CALL = modernCall("echo", { text: "Grüße" });

async function listen(bridge: Bridge, handler: (request: Request, env: unknown) => Promise<Response>) {
  const http = createServer(bridge(handler) as RequestListener);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo; // listening on a port
  return { port, url: `http://127.0.0.1:${port}/mcp` };
}

function createHandler(): FetchHandler {
  const handler = toFetch(server);
  onTestFinished(() => handler.close(0));
  return handler;
}

const contentOf = async (response: Response) =>
  ((await response.json()) as { readonly result: { readonly content: unknown } }).result.content;

/** Describes the behavior on one bridge. */
export function describeBridge(name: string, bridge: Bridge): void {
  describe(`toFetch on ${name}`, () => {
    test("does not make the bridge create a real request, headers, or a signal", async () => {
      const handler = createHandler();
      let before: readonly symbol[] = [];
      let after: readonly symbol[] = [];
      const { url } = await listen(bridge, async (request, env) => {
        before = Object.getOwnPropertySymbols(request);
        const response = await handler(request, env);
        after = Object.getOwnPropertySymbols(request);
        return response;
      });
      expect(await contentOf(await fetch(url, CALL))).toEqual([{ type: "text", text: "Grüße" }]);
      expect(before.length).toBeGreaterThan(0);
      expect(after).toEqual(before);
    });

    test("uses headers that the application has changed, also between requests that it does not change", async () => {
      const handler = createHandler();
      let count = 0;
      const { url } = await listen(bridge, (request, env) => {
        if (count++ % 2 === 1) request.headers.set("mcp-protocol-version", "1999-01-01");
        return handler(request, env);
      });
      for (const status of [200, 400, 200, 400]) expect((await fetch(url, CALL)).status).toBe(status);
    });

    test("uses the headers of a request that the application has read", async () => {
      const handler = createHandler();
      let count = 0;
      const { url } = await listen(bridge, (request, env) => {
        if (count++ % 2 === 1) expect(request.headers.get("content-type")).toBe("application/json");
        return handler(request, env);
      });
      for (let sent = 0; sent < 4; sent++) {
        expect(await contentOf(await fetch(url, CALL))).toEqual([{ type: "text", text: "Grüße" }]);
      }
    });

    test("uses a request that the application has replaced", async () => {
      const handler = createHandler();
      const { url } = await listen(bridge, async (request, env) => {
        const body = (await request.text()).replace("Grüße", "replaced");
        const { method, headers } = request;
        const length = String(new TextEncoder().encode(body).length);
        const changed = new Headers(headers);
        changed.set("content-length", length);
        return handler(new Request(request.url, { method, headers: changed, body }), env);
      });
      expect(await contentOf(await fetch(url, CALL))).toEqual([{ type: "text", text: "replaced" }]);
    });

    test("resolves if a client disconnects before its body is complete", async () => {
      const handler = createHandler();
      const statuses: number[] = [];
      const { port } = await listen(bridge, async (request, env) => {
        const response = await handler(request, env);
        statuses.push(response.status);
        return response;
      });
      const socket = await openSocket(port);
      socket.write(rawPost("{", { "Content-Length": "500" }));
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      socket.destroy();
      await vi.waitUntil(() => statuses.length > 0, { timeout: 30_000 });
      expect(statuses).toEqual([499]);
    });

    test("aborts a call whose client disconnects, and nothing is printed", async () => {
      const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const informed = vi.spyOn(console, "info").mockImplementation(() => undefined);
      onTestFinished(() => {
        printed.mockRestore();
        informed.mockRestore();
      });
      const handler = createHandler();
      const { url } = await listen(bridge, handler);
      const controller = new AbortController();
      const call = modernCall("wait", {}, { meta: { progressToken: 1 } });
      const response = await fetch(url, { ...call, signal: controller.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      controller.abort();
      // Resolves when no call is in flight, so the handler has been aborted.
      await handler.close(30_000);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      expect(printed.mock.calls).toEqual([]);
      expect(informed.mock.calls).toEqual([]);
    });
  });
}
