import * as fc from "fast-check";
import { z } from "zod";
import { defineMessage, type MessageDefinition } from "../../src/messages/define-message.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import { BUILT_IN_TYPES } from "../../src/messages/built-in-messages.js";

/** Generators that the requirements specify (A42). */
export const validPort = fc.integer({ min: 1, max: 65_535 });
export const invalidPort = fc.oneof(fc.integer({ max: 0 }), fc.integer({ min: 65_536 }));
export const storagePath = fc.stringMatching(/^[a-zA-Z0-9_\-./]+$/);
export const toolName = fc.stringMatching(/^[a-z][a-z0-9_]{0,127}$/);
export const messageType = fc
  .stringMatching(/^[a-zA-Z][a-zA-Z0-9]*$/)
  .filter((type) => !BUILT_IN_TYPES.has(type));
export const dataSchema = fc.constantFrom(
  z.object({ query: z.string() }),
  z.object({ id: z.number() }),
  z.object({ enabled: z.boolean() }),
  z.object({ items: z.array(z.string()) }),
);

/** Tools with unique names. */
export const tools: fc.Arbitrary<readonly ToolDefinition[]> = fc
  .uniqueArray(toolName, { maxLength: 12 })
  .map((names) => names.map(createTool));

/** Messages with unique types. */
export const messages: fc.Arbitrary<readonly MessageDefinition[]> = fc
  .uniqueArray(fc.record({ type: messageType, dataSchema }), { maxLength: 12, selector: ({ type }) => type })
  .map((list) => list.map((definition) => defineMessage<string, z.ZodObject>(definition)));

function createTool(name: string): ToolDefinition {
  return defineTool({
    name,
    description: `The tool ${name}`,
    whenToUse: "When it is needed",
    params: [{ name: "input", optional: false, description: "Any text" }],
    useExamples: [`<${name}><input>x</input></${name}>`],
    invoke: async ({ params }) => ({ message: "Done", toolResult: params.input }),
  });
}
