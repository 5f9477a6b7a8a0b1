import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Call, defineServer, image, Server } from "../../src/index.js";
import type { JsonObject } from "../../src/protocol/index.js";

const server = () => defineServer({ name: "a", version: "1" });

interface App {
  readonly user: string;
}

test("first-run-a3: a raw Zod shape does not compile as `input` or `output`", () => {
  // @ts-expect-error -- wrap it in z.object
  server().tool("t", { input: { city: z.string() }, handler: () => "x" });
  // @ts-expect-error -- wrap it in z.object
  server().tool("t", { output: { city: z.string() }, handler: () => ({ city: "Riga" }) });
  // @ts-expect-error -- wrap it in z.object, whatever else the shape contains
  server().tool("t", { input: { city: z.string().optional(), days: z.number() }, handler: () => "x" });
});

test("first-run-a3: schemas of all supported kinds still compile", () => {
  const schema: JsonObject = { type: "object" };
  server()
    .tool("zod", {
      input: z.object({ city: z.string() }),
      output: z.object({ degrees: z.number() }),
      handler: ({ city }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        return { degrees: 7 };
      },
    })
    .tool("json", { input: { type: "object", properties: { a: { type: "string" } } }, handler: () => "x" })
    .tool("data", {
      input: schema,
      handler: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    });
});

test("first-run-a5: a handler may be an async generator of text and content", () => {
  server().tool("t", {
    input: z.object({ n: z.number() }),
    async *handler({ n }) {
      expectTypeOf(n).toEqualTypeOf<number>();
      yield "text";
      yield image(new Uint8Array(), "image/png");
    },
  });
});

test("first-run-b1: functions and objects receive typed parameters", () => {
  Server.builder<App>()
    .build()
    .handleTool("t", (args, call) => {
      expectTypeOf(args).toEqualTypeOf<JsonObject>();
      expectTypeOf(call).toEqualTypeOf<Call<App>>();
      return "x";
    })
    .handleTool("t", {
      call(args, context) {
        expectTypeOf(args).toEqualTypeOf<JsonObject>();
        expectTypeOf(context).toEqualTypeOf<App>();
        return "x";
      },
    })
    .handleResource("r", (uri, call) => {
      expectTypeOf(uri).toEqualTypeOf<string>();
      expectTypeOf(call).toEqualTypeOf<Call<App>>();
      return "x";
    });
  const built = Server.builder<App>().build();
  // @ts-expect-error -- a function receives the call, not the context
  built.handleTool("t", (_args, { user }: App) => user);
  // @ts-expect-error -- a handler is required
  built.handleTool("t", null);
});
