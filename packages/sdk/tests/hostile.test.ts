import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Connection } from "../../tenon/src/core/wire/connection.js";
import { McpServer } from "../src/v1/mcp-server.js";
import { createFacade } from "./support/facade-server.js";
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { DropInServer } from "../src/server/drop-in-server.js";

checkRepliesOf(DropInServer);

const METHODS = [
  "initialize",
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "prompts/get",
  "completion/complete",
  "example/echo",
  "example/nothing",
  "notifications/initialized",
] as const;

const NAMES = ["add", "whoami", "review", "docs://readme", "notes://1", "%", "__proto__", "constructor", ""];

const params = fc.oneof(
  fc.jsonValue(),
  fc.record({
    name: fc.oneof(fc.constantFrom(...NAMES), fc.jsonValue()),
    uri: fc.oneof(fc.constantFrom(...NAMES), fc.jsonValue()),
    arguments: fc.oneof(fc.jsonValue(), fc.record({ a: fc.jsonValue(), b: fc.jsonValue() })),
    ref: fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom("ref/prompt", "ref/resource", "other"),
        name: fc.jsonValue(),
        uri: fc.constantFrom("notes://{id}", "x"),
      }),
    ),
    argument: fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constantFrom("id", "__proto__"), value: fc.jsonValue() }),
    ),
    _meta: fc.jsonValue(),
  }),
);

describe("the facade with untrusted requests", () => {
  test("responds to every request exactly once, whatever it contains, and reveals no internals", async () => {
    const server = createFacade().build();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, fc.boolean(), async (method, given, isKnown) => {
        const connection = new Connection(isKnown ? { era: "legacy" } : {});
        const message = { jsonrpc: "2.0", id: 7, method, params: given } as never; // untrusted
        const response = await server.handle(message, undefined, { connection, notify: () => {} });
        const reply = response.intoJsonRpc();
        expect(reply?.id).toBe(7);
        expect((reply?.result === undefined) !== (reply?.error === undefined)).toBe(true);
        expect(response.toText()).not.toMatch(/\bat .+\.(ts|js):\d+/);
      }),
      { numRuns: 500 },
    );
  });

  test("a request with an ID that is already in flight is rejected, also for custom methods", async () => {
    const facade = new McpServer({ name: "own", version: "1" });
    facade.server.setRequestHandler("example/slow", () => new Promise(() => {}));
    const connection = new Connection({ maxCalls: 2 });
    const send = (id: number) =>
      facade
        .build()
        .handle({ jsonrpc: "2.0", id, method: "example/slow" }, undefined, { connection, notify: () => {} });
    const [first, second] = [send(1), send(2)];
    expect((await send(1)).error).toBe("INVALID_REQUEST");
    expect((await send(3)).error).toBe("TOO_MANY_CALLS");
    connection.close();
    expect((await first).isEmpty()).toBe(true);
    expect((await second).isEmpty()).toBe(true);
  });

  test("params that do not match the application's schema cause an error", async () => {
    const facade = new McpServer({ name: "own", version: "1" });
    const schema = z.object({ method: z.literal("example/n"), params: z.object({ n: z.number() }) });
    facade.server.setRequestHandler(schema, () => ({ ok: true }));
    const response = await facade
      .build()
      .handle({ jsonrpc: "2.0", id: 1, method: "example/n", params: { n: "x" } }, undefined);
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32602,
      message: "invalid params: Invalid input: expected number, received string at params.n",
    });
  });

  test("a listener that throws does not prevent the reply", async () => {
    const facade = new McpServer({ name: "own", version: "1" });
    facade.server.oninitialized = () => {
      throw new Error("in the listener");
    };
    const errors: string[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an event target
    facade.server.onerror = (error) => {
      errors.push(error.message);
      throw error;
    };
    const connection = new Connection();
    const server = facade.build();
    await server.handle({ jsonrpc: "2.0", method: "notifications/initialized" }, undefined, { connection });
    const response = await server.handle({ jsonrpc: "2.0", id: 1, method: "ping" }, undefined, {
      connection,
    });
    expect(response.error).toBeUndefined();
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual(["Uncaught error in notification handler: Error: in the listener"]);
  });
});
