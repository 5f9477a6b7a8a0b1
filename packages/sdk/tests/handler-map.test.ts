import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answersOf, plain, type Register, type Side } from "./support/both-sides.js";

/** The official SDK's private map, which applications use to wrap built-in handlers. */
interface Reached {
  readonly _requestHandlers: Map<string, (...given: unknown[]) => Promise<object>>;
}

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

/** Wraps a method's handler and adds a mark to its result. */
const wrapped =
  (method: string): Register =>
  (server) => {
    server.registerTool("add", { inputSchema: { a: z.number() } }, ({ a }) => text(String(a + 1)));
    server.registerPrompt("p", {}, () => ({ messages: [] }));
    const { _requestHandlers: handlers } = server.server as unknown as Reached;
    const original = handlers.get(method);
    handlers.set(method, async (...given) => ({ ...(await original?.(...given)), _meta: { wrapped: true } }));
  };

const CASES: readonly (readonly [string, (side: Side) => Promise<unknown>])[] = [
  ["tools/list", ({ client }) => client.listTools()],
  ["tools/call", ({ client }) => client.callTool({ name: "add", arguments: { a: 1 } })],
  ["tools/call", ({ client }) => client.callTool({ name: "add", arguments: { a: "x" } })],
  ["tools/call", ({ client }) => client.callTool({ name: "none" })],
  ["prompts/get", ({ client }) => client.getPrompt({ name: "p" })],
  ["prompts/get", ({ client }) => client.getPrompt({ name: "none" })],
];

describe("built-in handlers can be wrapped through `_requestHandlers`", () => {
  test.each(CASES)("%s", async (method, ask) => {
    const [wanted, given] = await answersOf(wrapped(method), ask);
    expect(plain(given)).toEqual(plain(wanted));
  });

  test("it knows which methods have a handler", async () => {
    const register: Register = (server) => {
      server.registerTool("add", {}, () => text(""));
      server.server.setRequestHandler(z.object({ method: z.literal("acme/own") }), () => ({}));
    };
    const known = await answersOf(register, async ({ server }) => {
      const { _requestHandlers: handlers } = server.server as unknown as Reached;
      return ["tools/list", "acme/own", "acme/none"].map((method) => handlers.has(method));
    });
    expect(known).toEqual([{ answer: [true, true, false] }, { answer: [true, true, false] }]);
  });

  test("a removed handler is gone", async () => {
    const register: Register = (server) => {
      server.server.setRequestHandler(z.object({ method: z.literal("acme/own") }), () => ({}));
      (server.server as unknown as Reached)._requestHandlers.delete("acme/own");
    };
    const [wanted, given] = await answersOf(register, ({ client }) =>
      client.request({ method: "acme/own" }, z.object({})),
    );
    expect(given).toEqual(wanted);
    expect(given).toMatchObject({ refused: { code: -32601 } });
  });
});
