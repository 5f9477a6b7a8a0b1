import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer, type ServerBuilder, type ToolMap } from "../../src/index.js";
import { NodeServer, type NodeServerBuilder } from "../../src/transport/node/index.js";
import { createClient } from "../../src/testing/index.js";

function addClock<Tools extends ToolMap>(builder: ServerBuilder<unknown, Tools>) {
  return builder.tool("now", { output: z.string(), handler: () => "noon" });
}

test("tools that a function adds are inferred together with those added before and after", async () => {
  const server = defineServer({ name: "a", version: "1" })
    .tool("first", { output: z.number(), handler: () => 1 })
    .with(addClock)
    .tool("last", { output: z.boolean(), handler: () => true });
  const client = await createClient(server);
  expectTypeOf((await client.callTool("now")).structuredContent).toEqualTypeOf<string | undefined>();
  expectTypeOf((await client.callTool("first")).structuredContent).toEqualTypeOf<number | undefined>();
  expectTypeOf((await client.callTool("last")).structuredContent).toEqualTypeOf<boolean | undefined>();
});

function addDice(builder: ServerBuilder) {
  return builder.tool("roll", { output: z.number(), handler: () => 4 });
}

test("a function needs no type parameter to keep the tools that were added before", async () => {
  const server = defineServer({ name: "a", version: "1" })
    .tool("first", { output: z.number(), handler: () => 1 })
    .with(addDice)
    .with(addClock)
    .tool("last", { output: z.boolean(), handler: () => true });
  const client = await createClient(server);
  expectTypeOf((await client.callTool("roll")).structuredContent).toEqualTypeOf<number | undefined>();
  expectTypeOf((await client.callTool("now")).structuredContent).toEqualTypeOf<string | undefined>();
  expectTypeOf((await client.callTool("first")).structuredContent).toEqualTypeOf<number | undefined>();
  expectTypeOf((await client.callTool("last")).structuredContent).toEqualTypeOf<boolean | undefined>();
  // @ts-expect-error no tool has this name
  await client.callTool("other");
});

test("a function may return something else than the builder", () => {
  const built = defineServer({ name: "a", version: "1" }).with((builder) => builder.build().info.name);
  expectTypeOf(built).toEqualTypeOf<string>();
});

test("a builder that reads files stays one", () => {
  const builder = NodeServer.builder()
    .with((one) => one.tool("roll", { handler: () => 4 }))
    .with((one) => one.serverInfo("a", "1"));
  expectTypeOf(builder).toExtend<NodeServerBuilder>();
});

test("the context of the handlers is kept", () => {
  interface User {
    readonly id: string;
  }
  const addWho = (builder: ServerBuilder<User>) =>
    builder.tool("who", { output: z.string(), handler: (_, { context }) => context.id });
  const server = defineServer<User>({ name: "a", version: "1" })
    .with(addDice)
    .with(addWho)
    .with(addDice)
    .build();
  expectTypeOf<Parameters<(typeof server)["handle"]>[1]>().toEqualTypeOf<User>();
  expectTypeOf<keyof typeof server.types>().toEqualTypeOf<"roll" | "who">();
  // @ts-expect-error the handlers need a different context
  defineServer<string>({ name: "a", version: "1" }).with(addWho);
});
