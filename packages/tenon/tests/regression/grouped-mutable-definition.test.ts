import { expect, test } from "vitest";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";

// The cached definition was returned without a copy, so a change by one caller affected all others.
test("F60, F63: a caller cannot change the cached definition for others", () => {
  const builder = createTool("t").action({ name: "a", handler: () => "" });
  const registry = new ToolRegistry().register(builder);
  const [listed] = registry.getAllTools();
  const schema = listed?.inputSchema as {
    properties: Record<string, { enum: string[] }>;
    required: string[];
  };
  expect(() => Object.assign(listed ?? {}, { description: "evil" })).toThrow(TypeError);
  expect(() => schema.required.pop()).toThrow(TypeError);
  expect(() => schema.properties["action"]?.enum.push("evil")).toThrow(TypeError);
  expect(() => Object.assign(schema.properties, { evil: {} })).toThrow(TypeError);
  expect(() => Object.assign(listed?.annotations ?? {}, { readOnlyHint: true })).toThrow(TypeError);
  expect(builder.buildToolDefinition()).toEqual({
    name: "t",
    description: "t. Actions: a",
    inputSchema: {
      type: "object",
      properties: { action: { type: "string", enum: ["a"], description: "Which operation to perform" } },
      required: ["action"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  });
});
