import { expect, test } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";

// With merged schemas, an action's field replaced the common field and its validation rule.
const builder = createTool("t")
  .commonSchema(
    z.object({ tenant: z.string().regex(/^[a-z]+$/, "no such tenant"), page: z.number().default(1) }),
  )
  .action({
    name: "get",
    schema: z.object({ tenant: z.string().optional(), page: z.number().default(99) }),
    handler: (_ctx, args) => JSON.stringify(args),
  });

test.each([
  [{ tenant: "../etc" }, "Validation failed: tenant: no such tenant"],
  [{}, "Validation failed: tenant: Invalid input: expected string, received undefined"],
])("F53, F59: an action cannot loosen the common schema: %j", async (args, line) => {
  const { content, isError } = await builder.execute(undefined, { action: "get", ...args });
  expect(isError).toBe(true);
  expect(content).toEqual([{ type: "text", text: expect.stringMatching(line) as string }]);
});

test("F53, F55: the common schema's value takes precedence", async () => {
  expect(await builder.execute(undefined, { action: "get", tenant: "acme" })).toEqual({
    content: [{ type: "text", text: '{"tenant":"acme","page":1}' }],
  });
});
