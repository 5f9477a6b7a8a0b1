import { expect, test } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";

// A common field that an action declared again listed that action's key twice in its annotation.
test("F21, F22: a field that is declared twice lists each action once", () => {
  const { inputSchema } = createTool("t")
    .commonSchema(z.object({ page: z.number().optional(), tenant: z.string() }))
    .action({
      name: "list",
      schema: z.object({ page: z.number().optional(), tenant: z.string() }),
      handler: () => "",
    })
    .action({ name: "find", schema: z.object({ page: z.number() }), handler: () => "" })
    .buildToolDefinition();
  expect(inputSchema).toMatchObject({
    properties: {
      page: { description: "Required for: find. For: list" },
      tenant: { description: "(always required)" },
    },
    required: ["action", "tenant"],
  });
});
