import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";

/** Aborts never. A request with a signal is sent as text. */
const { signal } = new AbortController();

/** A server whose tools return what they are told to, and what they received. */
function createServer(results: Map<string, unknown>) {
  return defineServer({ name: "a", version: "1" })
    .tool("give", { input: z.object({ key: z.string() }), handler: ({ key }) => results.get(key) as object })
    .tool("show", { input: z.looseObject({}), handler: (args) => JSON.stringify(args) })
    .tool("keep", {
      input: z.looseObject({}),
      handler(args, call) {
        results.set("args", args);
        results.set("meta", call.meta);
        return "kept";
      },
    })
    .build();
}

type Outcome = { readonly result: unknown } | { readonly error: string };

async function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  return promise.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: String(error) }),
  );
}

describe.each(REVISIONS)("the test client in %s", (revision) => {
  const results = new Map<string, unknown>();
  const opened = createClient(createServer(results), { revision });

  test("returns the same result as over the wire", async () => {
    const client = await opened;
    const text = fc.string({ unit: "binary" });
    const block = fc.record({ type: fc.constant("text"), text }, { requiredKeys: ["type", "text"] });
    const given = fc.oneof(
      text,
      fc.record({ content: fc.array(block, { maxLength: 2 }) }),
      fc.record({ content: fc.tuple(block), isError: fc.boolean(), structuredContent: fc.jsonValue() }),
      fc.anything({ withDate: true, withBigInt: true, withMap: true }),
    );
    await fc.assert(
      fc.asyncProperty(given, async (value) => {
        results.set("value", value);
        const direct = await outcomeOf(client.callTool("give", { key: "value" }));
        const wired = await outcomeOf(client.callTool("give", { key: "value" }, { signal }));
        expect(direct).toStrictEqual(wired);
        expect(JSON.stringify(direct)).toBe(JSON.stringify(wired));
      }),
      { numRuns: 150 },
    );
  });

  test("sends the same arguments as over the wire", async () => {
    const client = await opened;
    const args = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toJSON")),
      fc.anything({ withDate: true, withBigInt: true, withSparseArray: true, withNullPrototype: true }),
    );
    await fc.assert(
      fc.asyncProperty(args, async (value) => {
        const direct = await outcomeOf(client.callTool("show", value));
        expect(direct).toStrictEqual(await outcomeOf(client.callTool("show", value, { signal })));
      }),
      { numRuns: 150 },
    );
  });

  test("shares no object with the server", async () => {
    const client = await opened;
    const args = { list: [{ a: 1 }] };
    await client.callTool("keep", args);
    expect(results.get("args")).toEqual(args);
    args.list.push({ a: 2 });
    expect(results.get("args")).toEqual({ list: [{ a: 1 }] });
    Object.assign(results.get("meta") as object, { added: true });
    await client.callTool("keep", args);
    expect(results.get("meta")).not.toHaveProperty("added");

    const first = await client.callTool("show", {});
    const changed = JSON.stringify(first);
    for (const member of Object.values(first))
      if (typeof member === "object") Object.assign(member as object, { x: 1 });
    expect(JSON.stringify(await client.callTool("show", {}))).toBe(changed);
  });
});

describe("a closed test client", () => {
  test("rejects new calls, and never settles calls in flight", async () => {
    let release = (_: string) => {};
    const late = new Promise<string>((resolve) => {
      release = resolve;
    });
    const server = defineServer({ name: "a", version: "1" })
      .tool("wait", { handler: () => late })
      .build();
    const client = await createClient(server);
    let settled = false;
    void client.callTool("wait").finally(() => {
      settled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    release("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    await expect(client.callTool("wait")).rejects.toThrow("The client is closed.");
  });
});
