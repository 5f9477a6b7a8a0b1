import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer, ServerBuilder, type ToolMap } from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";

const INFO = { name: "types", version: "1.0.0" };

function addClock<Tools extends ToolMap>(builder: ServerBuilder<unknown, Tools>) {
  return builder
    .tool("now", { output: z.string(), handler: () => "noon" })
    .tool("later", { input: z.object({ minutes: z.number() }), handler: () => "one" });
}

const builder = defineServer(INFO)
  .tool("first", { input: z.object({ city: z.string() }), output: z.number(), handler: () => 1 })
  .with(addClock)
  .tool("last", { output: z.boolean(), handler: () => true });

describe("the tools of a builder", () => {
  test("are the only names that a client accepts", async () => {
    const client = await createClient(builder);
    await client.callTool("first", { city: "Riga" });
    // @ts-expect-error no tool has this name
    await client.callTool("other");
    // @ts-expect-error the city must be a string
    await client.callTool("first", { city: 1 });
    // @ts-expect-error the arguments are missing
    await client.callTool("later");
  });

  test("are kept when a function is called directly, and by a call with explicit type arguments", async () => {
    const client = await createClient(
      addClock(defineServer(INFO).tool("first", { output: z.number(), handler: () => 1 })).tool<"explicit">(
        "explicit",
        { handler: () => "" },
      ),
    );
    expectTypeOf((await client.callTool("first")).structuredContent).toEqualTypeOf<number | undefined>();
    expectTypeOf((await client.callTool("now")).structuredContent).toEqualTypeOf<string | undefined>();
    await client.callTool("explicit");
    // @ts-expect-error no tool has this name
    await client.callTool("other");
  });

  test("can be fewer in an annotation, but not different", () => {
    expectTypeOf(builder).toExtend<
      ServerBuilder<unknown, { first: { input: { city: string }; output: number } }>
    >();
    expectTypeOf(builder).not.toExtend<
      ServerBuilder<unknown, { first: { input: { city: string }; output: string } }>
    >();
  });

  test("are inferred from the builder, not from the type that the context expects", () => {
    const one = () => defineServer(INFO).tool("report", { handler: () => "" });
    const same = (add: () => ReturnType<typeof one>) => add();
    same(() => defineServer(INFO).tool("report", { handler: () => "" }));
    // @ts-expect-error the tool has a different name
    same(() => defineServer(INFO).tool("other", { handler: () => "" }));
  });

  test("include tools that were added to a subclass", async () => {
    class OwnBuilder extends ServerBuilder {}
    const client = await createClient(
      new OwnBuilder().tool("own", { output: z.string(), handler: () => "" }),
    );
    expectTypeOf((await client.callTool("own")).structuredContent).toEqualTypeOf<string | undefined>();
    // @ts-expect-error no tool has this name
    await client.callTool("other");
  });
});
