import { expect, test } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";

// An action's required fields omitted those from the common schema, so models did not see them.
test("F47, F48: an action's required fields include the common fields in all texts", () => {
  const builder = createTool("t")
    .commonSchema(z.object({ tenant: z.string(), page: z.number().optional() }))
    .action({ name: "get", schema: z.object({ id: z.string() }), handler: () => "" })
    .action({ name: "paged", schema: z.object({ page: z.number() }), handler: () => "" });
  expect(builder.getActionMetadata().map(({ requiredFields }) => requiredFields)).toEqual([
    ["tenant", "id"],
    ["tenant", "page"],
  ]);
  expect(builder.buildToolDefinition().description).toContain("- 'get': Requires: tenant, id");
  const flat = builder.getCallableTools("flat").map(({ definition }) => definition.inputSchema["required"]);
  expect(flat).toEqual([
    ["tenant", "id"],
    ["tenant", "page"],
  ]);
});

test("F54: a failed call's hint includes the common fields", async () => {
  const result = await createTool("t")
    .commonSchema(z.object({ page: z.number().optional() }))
    .action({ name: "paged", schema: z.object({ page: z.number() }), handler: () => "" })
    .execute(undefined, { action: "paged" });
  expect(result.content).toEqual([
    {
      type: "text",
      text:
        "Validation failed: page: Invalid input: expected number, received undefined\n" +
        '"paged" takes: page (required).',
    },
  ]);
});
