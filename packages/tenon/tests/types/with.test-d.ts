import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer, type ServerBuilder, type ToolMap } from "../../src/index.js";
import { createClient } from "../../src/transport/memory/index.js";

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
