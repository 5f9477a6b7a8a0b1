import { describe, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/index.js";

const builder = defineServer({ name: "types", version: "1.0.0" });

describe("returned literals match the output schema's literals without `as const`", () => {
  const output = z.object({ temperature: z.number(), unit: z.enum(["C", "F"]) });
  const input = z.object({ city: z.string() });
  const outcome = z.discriminatedUnion("type", [
    z.object({ type: z.literal("success"), temperature: z.number() }),
    z.object({ type: z.literal("failure"), reasons: z.array(z.enum(["city", "day"])) }),
  ]);

  test("in an arrow function", () => {
    builder
      .tool("sync", { output, handler: () => ({ temperature: 21, unit: "C" }) })
      .tool("async", { output, handler: async () => ({ temperature: 21, unit: "C" }) })
      .tool("args", { input, output, handler: ({ city }) => ({ temperature: city.length, unit: "C" }) });
  });

  test("in a method", () => {
    builder.tool("t", {
      input,
      output,
      async handler({ city }) {
        return { temperature: city.length, unit: "C" };
      },
    });
  });

  test("in the branches of a union", () => {
    builder.tool("t", {
      input,
      output: outcome,
      async handler({ city }) {
        if (city === "") return { type: "failure", reasons: ["city"] };
        return { type: "success", temperature: 21 };
      },
    });
  });

  test("and a literal outside the schema does not compile", () => {
    builder.tool("t", {
      input,
      output,
      // @ts-expect-error "K" is not a unit in the schema
      handler: ({ city }) => ({ temperature: city.length, unit: "K" }),
    });
  });
});
