import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";

// Zod 4 deprecates `merge()`, other libraries never had it, and it loses refinements. Two separate checks do not need
// it.
test("F53: schemas are combined without merge() and keep their refinements", async () => {
  const common = z
    .object({ from: z.number(), to: z.number() })
    .refine(({ from, to }) => from <= to, "ends too early");
  const own = z.object({ id: z.string() });
  const merging = [vi.spyOn(common, "merge"), vi.spyOn(own, "merge"), vi.spyOn(own, "extend")];
  const builder = createTool("t")
    .commonSchema(common)
    .action({ name: "a", schema: own, handler: (_ctx, args) => JSON.stringify(args) });
  expect(await builder.execute(undefined, { action: "a", from: 1, to: 2, id: "x", more: 1 })).toEqual({
    content: [{ type: "text", text: '{"id":"x","from":1,"to":2}' }],
  });
  expect(await builder.execute(undefined, { action: "a", from: 2, to: 1, id: "x" })).toMatchObject({
    content: [{ text: expect.stringMatching(/^Validation failed: ends too early\n/) as string }],
    isError: true,
  });
  for (const spy of merging) expect(spy).not.toHaveBeenCalled();
});

test("F53: schemas of two libraries are combined", async () => {
  const builder = createTool("t")
    .commonSchema(toStandardJsonSchema(v.object({ tenant: v.string() })))
    .action({
      name: "a",
      schema: z.object({ id: z.string() }),
      handler: (_ctx, args) => JSON.stringify(args),
    });
  expect(await builder.execute(undefined, { action: "a", tenant: "t", id: "x" })).toEqual({
    content: [{ type: "text", text: '{"id":"x","tenant":"t"}' }],
  });
});
