import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineMessage, parseMessageData } from "../../src/messages/define-message.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import { MessageRegistry } from "../../src/messages/message-registry.js";
import type { ParamsOf, ToolParam } from "../../src/tools/tool-param.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { parseToolParams } from "../../src/tools/tool-schema.js";
import { printToolCall } from "../../src/xml/print-tool-call.js";

const search = defineTool({
  name: "search",
  description: "Searches",
  whenToUse: "When needed",
  params: [
    { name: "query", optional: false, description: "" },
    { name: "limit", optional: true, description: "", type: "number" },
    { name: "exact", optional: false, description: "", type: "boolean" },
    {
      name: "filters",
      optional: true,
      description: "",
      type: "array",
      params: [{ name: "filter", optional: false, description: "" }],
    },
    {
      name: "steps",
      optional: false,
      description: "",
      type: "array",
      params: [
        {
          name: "step",
          optional: false,
          description: "",
          type: "object",
          params: [
            { name: "title", optional: false, description: "", type: "string" },
            { name: "minutes", optional: true, description: "", type: "number" },
          ],
        },
      ],
    },
  ],
  useExamples: [],
  invoke: async ({ params, getToolFromName, signal }) => {
    expectTypeOf(params).toEqualTypeOf<SearchParams>();
    expectTypeOf(getToolFromName("x")).toEqualTypeOf<ToolDefinition | undefined>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
    // @ts-expect-error the parameter "nobody" does not exist
    void params.nobody;
    return { message: "Done", toolResult: { found: params.query.length } };
  },
});

interface SearchParams {
  query: string;
  limit?: number | undefined;
  exact: boolean;
  filters?: string[] | undefined;
  steps: { title: string; minutes?: number | undefined }[];
}

const ping = defineTool({
  name: "ping",
  description: "Pings",
  whenToUse: "When in doubt",
  params: [],
  useExamples: [],
  invoke: async ({ params }) => {
    expectTypeOf(params).toEqualTypeOf<{}>();
    return { message: "pong", toolResult: 1 };
  },
});

const note = defineMessage({
  type: "note",
  dataSchema: z.object({ text: z.string(), loud: z.boolean().default(false) }),
  handler: (data, reply) => {
    expectTypeOf(data).toEqualTypeOf<{ text: string; loud: boolean }>();
    reply({ type: "note", data: { text: data.text } });
  },
});

describe("agent tools", () => {
  test("A9: the type of params is inferred from the parameter list", () => {
    expectTypeOf(search).toEqualTypeOf<ToolDefinition<"search", SearchParams, { found: number }>>();
    expectTypeOf(parseToolParams(search, {})).toEqualTypeOf<SearchParams>();
  });

  test("A6: an unknown parameter list allows any parameters", () => {
    expectTypeOf<ParamsOf<readonly ToolParam[]>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
    const params: ToolParam[] = [];
    defineTool({ ...search, params, invoke: async ({ params: { a } }) => ({ message: "", toolResult: a }) });
  });

  test("a registry tracks the registered tools in its type", () => {
    const registry = new ToolRegistry().register(search).register(ping);
    expectTypeOf(registry.get("search")).toEqualTypeOf<typeof search>();
    expectTypeOf(registry.get("ping").name).toEqualTypeOf<"ping">();
    expectTypeOf(registry.get("nobody")).toEqualTypeOf<ToolDefinition | undefined>();
    expectTypeOf(registry.get(String(1))).toEqualTypeOf<ToolDefinition | undefined>();
    expectTypeOf(new ToolRegistry().get("search")).toEqualTypeOf<ToolDefinition | undefined>();
  });

  test("printing requires the tool's parameters", () => {
    printToolCall(search, { query: "a", exact: true, steps: [{ title: "a" }] });
    // @ts-expect-error query is missing
    printToolCall(search, { exact: true, steps: [] });
  });

  test("the compiler rejects an invalid definition", () => {
    // @ts-expect-error description is missing
    defineTool({ ...ping, description: undefined });
    // @ts-expect-error "date" is not a parameter type
    defineTool({ ...ping, params: [{ name: "a", optional: false, description: "", type: "date" }] });
    // @ts-expect-error a result requires a message
    defineTool({ ...ping, invoke: async () => ({ toolResult: 1 }) });
  });
});

describe("agent messages", () => {
  test("A10, A11: the type of the data is inferred from the schema", () => {
    expectTypeOf(note.type).toEqualTypeOf<"note">();
    expectTypeOf(note.schema.parse({}).data.text).toEqualTypeOf<string>();
    expectTypeOf(parseMessageData(note, {})).toEqualTypeOf<{ text: string; loud: boolean }>();
    // @ts-expect-error data must be an object
    defineMessage({ type: "a", dataSchema: z.string() });
  });

  test("a registry tracks the registered messages in its type", () => {
    const registry = new MessageRegistry().register(note);
    expectTypeOf(registry.get("note")).toEqualTypeOf<typeof note>();
    expectTypeOf(registry.get("nobody")).not.toEqualTypeOf<typeof note>();
  });
});
