import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Call, defineServer, errorResult, textResult } from "../../src/index.js";

const builder = defineServer({ name: "types", version: "1.0.0" });

describe("a handler's arguments", () => {
  test("are inferred from a zod schema", () => {
    builder.tool("t", {
      input: z.object({ city: z.string(), days: z.number().optional() }),
      handler(args, call) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
        expectTypeOf(call).toEqualTypeOf<Call>();
        return args.city;
      },
    });
  });

  test("are inferred from a valibot schema", () => {
    builder.tool("t", {
      input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
        return args.city;
      },
    });
  });

  test("are inferred from an arktype schema", () => {
    builder.tool("t", {
      input: type({ city: "string", "days?": "number" }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>();
        return args.city;
      },
    });
  });

  test("are a generic object if the schema is a plain JSON Schema", () => {
    builder.tool("t", {
      input: { type: "object", properties: { city: { type: "string" } } },
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ readonly [key: string]: unknown }>();
        expectTypeOf(args["city"]).toBeUnknown();
        return "ok";
      },
    });
  });

  test("are empty without an input schema", () => {
    builder.tool("t", {
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<Record<string, never>>();
        return "ok";
      },
    });
  });

  test("are the schema's output: defaults are filled in and transforms are applied", () => {
    builder.tool("t", {
      input: z.object({ days: z.number().default(3), at: z.string().transform((text) => text.length) }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ days: number; at: number }>();
        return "ok";
      },
    });
    builder.tool("t", {
      input: toStandardJsonSchema(v.object({ days: v.optional(v.number(), 3) })),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ days: number }>();
        return "ok";
      },
    });
    builder.tool("t", {
      input: type({ days: "number = 3", at: "string.numeric.parse" }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ days: number; at: number }>();
        return "ok";
      },
    });
  });

  test("have only the schema's members", () => {
    builder.tool("t", {
      input: z.object({ city: z.string() }),
      // @ts-expect-error the schema does not have "town"
      handler: ({ town }) => String(town),
    });
  });
});

describe("a schema", () => {
  test("must provide its JSON Schema", () => {
    builder.tool("t", {
      // @ts-expect-error a plain valibot schema does not provide its JSON Schema
      input: v.object({ city: v.string() }),
      handler: () => "ok",
    });
  });

  test("must be a schema", () => {
    builder.tool("t", {
      // @ts-expect-error a string is not a schema
      input: "object",
      handler: () => "ok",
    });
  });
});

describe("the return value of a handler without an output schema", () => {
  test("is text, data, content, a full result, or nothing, synchronous or asynchronous", () => {
    builder
      .tool("text", { handler: () => "Sunny" })
      .tool("number", { handler: () => 21 })
      .tool("data", { handler: () => ({ temperature: 21 }) })
      .tool("block", { handler: () => ({ type: "text", text: "Sunny" }) })
      .tool("blocks", { handler: () => [{ type: "text", text: "Sunny" }] })
      .tool("full", { handler: () => textResult("Sunny") })
      .tool("nothing", { handler: () => {} })
      .tool("later", { handler: async () => "Sunny" });
  });

  test("cannot be a value that JSON cannot represent", () => {
    builder.tool("t", {
      // @ts-expect-error a symbol cannot be sent
      handler: () => Symbol("no"),
    });
    builder.tool("t", {
      // @ts-expect-error a bigint cannot be sent
      handler: () => 1n,
    });
  });
});

describe("the return value of a handler with an output schema", () => {
  const output = z.object({ temperature: z.number(), unit: z.enum(["C", "F"]).default("C") });

  test("is the schema's input, so fields with defaults are optional", () => {
    builder
      .tool("t", { output, handler: () => ({ temperature: 21 }) })
      .tool("t", { output, handler: async () => ({ temperature: 21 }) });
  });

  test("may be a full result, for a failure or more content", () => {
    builder.tool("t", {
      output,
      handler: (_args, call) =>
        call.signal.aborted
          ? errorResult("too late")
          : { content: [], structuredContent: { temperature: 1 } },
    });
  });

  test("Z24: of a wrong shape does not compile", () => {
    builder.tool("t", {
      output,
      // @ts-expect-error temperature must be a number
      handler: () => ({ temperature: "21" }),
    });
    builder.tool("t", {
      output,
      // @ts-expect-error temperature is missing
      handler: () => ({}),
    });
    builder.tool("t", {
      output,
      // @ts-expect-error a string is not an object with a temperature
      handler: () => "21",
    });
    builder.tool("t", {
      output,
      // @ts-expect-error a promise of the wrong shape is wrong too
      handler: async () => ({ temperature: "21" }),
    });
    builder.tool("t", {
      output: toStandardJsonSchema(v.object({ temperature: v.number() })),
      // @ts-expect-error temperature must be a number (valibot)
      handler: () => ({ temperature: "21" }),
    });
    builder.tool("t", {
      output: type({ temperature: "number" }),
      // @ts-expect-error temperature must be a number (arktype)
      handler: () => ({ temperature: "21" }),
    });
  });

  test("may be a non-object if the schema is not an object schema", () => {
    builder.tool("t", { output: z.array(z.string()), handler: () => ["a"] });
    builder.tool("t", {
      output: z.array(z.string()),
      // @ts-expect-error the items must be strings
      handler: () => [1],
    });
  });

  test("is any object if the schema is a plain JSON Schema", () => {
    builder.tool("t", { output: { type: "object" }, handler: () => ({ anything: 1 }) });
  });

  test("and the arguments are both inferred in one definition", () => {
    builder.tool("t", {
      input: z.object({ city: z.string() }),
      output: z.object({ city: z.string() }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string }>();
        return { city: args.city };
      },
    });
  });
});
