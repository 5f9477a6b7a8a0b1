import { describe, expect, test } from "vitest";
import { z as z3 } from "zod/v3";
import { z as z4 } from "zod/v4";
import { z as mini } from "zod/v4-mini";
import { getCompleter, isCompletable, unwrapCompletable, completable } from "../src/index.js";
import { toStandardSchema } from "../src/server/registrations/zod-schemas.js";
import { answersOf, type Register, type Side } from "./support/both-sides.js";

const echo = (args: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(args) }] });
const list = async ({ client }: Side) =>
  (await client.listTools()).tools.map(({ inputSchema }) => inputSchema);
const call = (args: Record<string, unknown>) => (side: Side) =>
  side.client.callTool({ name: "echo", arguments: args });

/** Zod 3 inputs, each with valid and invalid arguments. */
const INPUTS: Readonly<Record<string, readonly [input: unknown, good: object, bad: object]>> = {
  "a raw shape": [{ a: z3.string() }, { a: "x" }, { a: 1 }],
  "an object": [z3.object({ a: z3.string().min(2) }), { a: "xy" }, { a: "x" }],
  "optional and default fields": [
    { a: z3.string().optional(), b: z3.number().default(3) },
    { a: "x", more: true },
    { b: "x" },
  ],
  "enumerations and literals": [
    z3.object({ a: z3.enum(["x", "y"]), b: z3.literal(1) }),
    { a: "x", b: 1 },
    { a: "z", b: 2 },
  ],
  "nested objects and arrays": [
    { a: z3.array(z3.object({ b: z3.number().int() })) },
    { a: [{ b: 1 }] },
    { a: [{ b: 1.5 }, 2] },
  ],
  "unions of fields": [{ a: z3.union([z3.string(), z3.number()]) }, { a: 1 }, { a: true }],
  descriptions: [{ a: z3.string().describe("the letter") }, { a: "x" }, {}],
  transformations: [{ a: z3.string().transform(Number) }, { a: "12" }, { a: 12 }],
  refinements: [{ a: z3.number().refine((n) => n > 1, "too small") }, { a: 2 }, { a: 1 }],
  "asynchronous refinements": [
    { a: z3.number().refine(async (n) => n > 1, "too small") },
    { a: 2 },
    { a: 1 },
  ],
  "strict objects": [z3.object({ a: z3.string() }).strict(), { a: "x" }, { a: "x", b: 1 }],
  "open objects": [z3.object({ a: z3.string() }).passthrough(), { a: "x", b: 1 }, { b: 1 }],
};

describe("Zod 3 schemas work as in the official SDK", () => {
  test.each(Object.entries(INPUTS))("%s: listed and checked the same way", async (_, [input, good, bad]) => {
    const register: Register = (server) =>
      server.registerTool("echo", { inputSchema: input as never }, echo as never);
    for (const ask of [list, call(good as never), call(bad as never)]) {
      const [wanted, given] = await answersOf(register, ask);
      expect(given).toEqual(wanted);
    }
  });

  test("an output schema is listed, and structured content is checked", async () => {
    const register =
      (n: unknown): Register =>
      (server) =>
        server.registerTool("echo", { outputSchema: { n: z3.number() } }, () => ({
          content: [],
          structuredContent: { n },
        }));
    for (const n of [1, "one"]) {
      const [wanted, given] = await answersOf(register(n), call({}));
      expect(given).toEqual(wanted);
    }
    const [wanted, given] = await answersOf(
      register(1),
      async ({ client }) => (await client.listTools()).tools[0]?.outputSchema,
    );
    expect(given).toEqual(wanted);
  });

  test("prompt arguments are listed, checked, and completed", async () => {
    const register: Register = (server) =>
      server.registerPrompt(
        "ask",
        {
          argsSchema: {
            who: completable(z3.string().describe("a name"), (value) => [`${value}!`]),
            tone: z3.string().optional(),
          },
        },
        ({ who, tone }) => ({
          messages: [{ role: "user", content: { type: "text", text: `${who} ${tone}` } }],
        }),
      );
    const ref = { type: "ref/prompt" as const, name: "ask" };
    const asks: ((side: Side) => Promise<unknown>)[] = [
      ({ client }) => client.listPrompts(),
      ({ client }) => client.getPrompt({ name: "ask", arguments: { who: "Ada" } }),
      ({ client }) => client.getPrompt({ name: "ask", arguments: {} }),
      ({ client }) => client.complete({ ref, argument: { name: "who", value: "A" } }),
      ({ client }) => client.complete({ ref, argument: { name: "tone", value: "A" } }),
    ];
    for (const ask of asks) {
      const [wanted, given] = await answersOf(register, ask);
      expect(given).toEqual(wanted);
    }
  });

  test("a shape that mixes both versions is rejected with the same text", async () => {
    const shape = { a: z3.string(), b: z4.string() } as never;
    const register: Register = (server) => server.registerTool("echo", { inputSchema: shape }, echo as never);
    const texts: unknown[] = [];
    for (const side of [0, 1]) {
      const { ours, theirs } = await import("./support/both-sides.js");
      try {
        register(side === 0 ? theirs() : ours());
      } catch (error) {
        texts.push((error as Error).message);
      }
    }
    expect(texts).toEqual([texts[1], texts[0]]);
    expect(texts[0]).toBe("Mixed Zod versions detected in object shape.");
  });

  test("a request handler with a Zod 3 schema receives the parsed request", async () => {
    const schema = z3.object({ method: z3.literal("acme/add"), params: z3.object({ n: z3.number() }) });
    const register: Register = (server) =>
      server.server.setRequestHandler(schema, ({ params }) => ({ sum: params.n + 1 }));
    const ask = ({ client }: Side) =>
      client.request({ method: "acme/add", params: { n: 1 } }, z3.object({ sum: z3.number() }));
    const [wanted, given] = await answersOf(register, ask);
    expect(given).toEqual(wanted);
    expect(given).toEqual({ answer: { sum: 2 } });
  });
});

describe("Zod 4 in every form", () => {
  test("Zod Mini schemas work as in the official SDK", async () => {
    const inputSchema = { a: mini.string(), b: mini.optional(mini.number()) };
    const register: Register = (server) => server.registerTool("echo", { inputSchema }, echo);
    for (const ask of [call({ a: "x" }), call({ a: 1 })]) {
      const [wanted, given] = await answersOf(register, ask);
      expect(given).toEqual(wanted);
    }
  });

  test("a Zod 4 schema without Standard JSON Schema, such as in Zod 4.0, is converted", () => {
    const schema = z4.object({ a: z4.string() });
    const { jsonSchema: _, ...standard } = schema["~standard"] as unknown as Record<string, unknown>;
    const old = Object.create(schema, { "~standard": { value: standard } }) as typeof schema;
    const converted = toStandardSchema(old)["~standard"];
    expect(converted.jsonSchema.input({ target: "draft-2020-12" })).toMatchObject({
      type: "object",
      properties: { a: { type: "string" } },
    });
    expect(converted.validate({ a: "x" })).toEqual({ value: { a: "x" } });
  });
});

describe("completion callbacks of schemas can be read", () => {
  test.each([
    ["Zod 3", () => z3.string()],
    ["Zod 4", () => z4.string()],
  ])("%s, with our functions and the official ones", async (_, create) => {
    const official = await import("@modelcontextprotocol/sdk/server/completable.js");
    for (const make of [completable, official.completable]) {
      const schema = (make as typeof completable)(create() as z4.ZodString, () => ["a"]);
      expect([isCompletable(schema), official.isCompletable(schema)]).toEqual([true, true]);
      expect(getCompleter(schema)).toBe(official.getCompleter(schema));
      expect(await getCompleter(schema)?.("x")).toEqual(["a"]);
      expect(unwrapCompletable(schema)).toBe(official.unwrapCompletable(schema as never));
    }
    expect([isCompletable(create()), official.isCompletable(create())]).toEqual([false, false]);
    expect(getCompleter(create() as never)).toBeUndefined();
  });
});
