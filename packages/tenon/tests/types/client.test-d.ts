import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type ContentBlock, defineServer, Server } from "../../src/index.js";
import type { DetailedTask } from "../../src/protocol/tasks.js";
import { createClient, type InferServer } from "../../src/client/index.js";

const builder = defineServer({ name: "weather", version: "1.0.0" })
  .tool("forecast", {
    input: z.object({ city: z.string(), days: z.number().default(3) }),
    output: z.object({ city: z.string(), temperature: z.number(), wind: z.number().default(0) }),
    handler: ({ city, days }) => ({ city, temperature: days }),
  })
  .tool("valibot", {
    input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) })),
    handler: ({ city }) => city,
  })
  .tool("arktype", {
    input: type({ city: "string", days: "number = 3" }),
    output: type({ length: "number" }),
    handler: ({ city }) => ({ length: city.length }),
  })
  .tool("data", { input: { type: "object" }, output: { type: "object" }, handler: () => ({ a: 1 }) })
  .tool("ping", { handler: () => "pong" });
const server = builder.build();

describe("a typed client", () => {
  test("infers every tool's arguments and structured content", async () => {
    const client = await createClient(server);
    const result = await client.callTool("forecast", { city: "Riga" });
    expectTypeOf(result.structuredContent).toEqualTypeOf<
      { city: string; temperature: number; wind: number } | undefined
    >();
    expectTypeOf(result.content).toEqualTypeOf<readonly ContentBlock[]>();
    expectTypeOf(result.isError).toEqualTypeOf<boolean | undefined>();
  });

  test("takes the schema's input, so fields with defaults are optional", async () => {
    const client = await createClient(server);
    await client.callTool("forecast", { city: "Riga", days: 2 });
    await client.callTool("forecast", { city: "Riga", days: undefined });
    await client.callTool("valibot", { city: "Riga" });
    await client.callTool("arktype", { city: "Riga" });
    await client.callTool("data", { anything: [1] });
    await client.callTool("ping", {});
  });

  test("infers tools from every schema library", async () => {
    const client = await createClient(server);
    expectTypeOf((await client.callTool("arktype", { city: "" })).structuredContent).toEqualTypeOf<
      { length: number } | undefined
    >();
    expectTypeOf((await client.callTool("data", {})).structuredContent).toEqualTypeOf<
      { readonly [key: string]: unknown } | undefined
    >();
    expectTypeOf((await client.callTool("ping", {})).structuredContent).toBeUnknown();
  });

  test("accepts a builder", async () => {
    const client = await createClient(builder);
    await client.callTool("forecast", { city: "Riga" });
    // @ts-expect-error the tool "forecats" does not exist
    await client.callTool("forecats", { city: "Riga" });
  });

  test("accepts a view, which has the whole server's types", async () => {
    const client = await createClient(server.view({ tags: ["public"] }));
    await client.callTool("forecast", { city: "Riga" });
  });

  test("rejects unknown tools and wrong arguments", async () => {
    const client = await createClient(server);
    // @ts-expect-error the tool "forecats" does not exist
    await client.callTool("forecats", { city: "Riga" });
    // @ts-expect-error city must be a string
    await client.callTool("forecast", { city: 1 });
    // @ts-expect-error city is missing
    await client.callTool("forecast", {});
    // @ts-expect-error the arguments are missing
    await client.callTool("forecast");
    // @ts-expect-error the schema does not have "town"
    await client.callTool("forecast", { city: "Riga", town: "Riga" });
    // @ts-expect-error days must be a number (valibot)
    await client.callTool("valibot", { city: "Riga", days: "2" });
    // @ts-expect-error days must be a number (arktype)
    await client.callTool("arktype", { city: "Riga", days: "2" });
    // @ts-expect-error a tool without input takes no arguments
    await client.callTool("ping", { city: "Riga" });
  });

  test("types a task like a call", async () => {
    const client = await createClient(server, { tasks: true });
    const task = await client.startTask("forecast", { city: "Riga" });
    const { structuredContent } = await task.result();
    expectTypeOf(structuredContent).toEqualTypeOf<
      { city: string; temperature: number; wind: number } | undefined
    >();
    expectTypeOf(await task.get()).toEqualTypeOf<DetailedTask>();
    // @ts-expect-error the tool "forecats" does not exist
    await client.startTask("forecats", { city: "Riga" });
    // @ts-expect-error city must be a string
    await client.startTask("forecast", { city: 1 });
  });

  test("accepts any name and arguments for JSON-defined tools", async () => {
    const client = await createClient(Server.builder().toolsJson("[]").build());
    const result = await client.callTool("declared", { anything: [1] });
    expectTypeOf(result.structuredContent).toBeUnknown();
  });
});

describe("a client in another package", () => {
  test("has the types of a server or a builder", async () => {
    for (const client of [
      await createClient<InferServer<typeof server>>("https://example.com/mcp"),
      await createClient<InferServer<typeof builder>>({ command: "weather" }),
    ]) {
      const result = await client.callTool("forecast", { city: "Riga" });
      expectTypeOf(result.structuredContent).toEqualTypeOf<
        { city: string; temperature: number; wind: number } | undefined
      >();
      // @ts-expect-error the tool "forecats" does not exist
      await client.callTool("forecats", { city: "Riga" });
      // @ts-expect-error city must be a string
      await client.callTool("forecast", { city: 1 });
    }
  });

  test("accepts any tool if the server's type is not given", async () => {
    const client = await createClient(new URL("https://example.com/mcp"));
    expectTypeOf((await client.callTool("anything", { a: 1 })).structuredContent).toBeUnknown();
    await client.callTool("anything");
  });

  test("has options that depend on the server", async () => {
    await createClient("https://example.com/mcp", { headers: { "x-a": "b" }, reconnect: false });
    // @ts-expect-error `context` is for servers in the same process
    await createClient("https://example.com/mcp", { context: {} });
    // @ts-expect-error `headers` is for servers over HTTP
    await createClient(server, { headers: {} });
  });
});
