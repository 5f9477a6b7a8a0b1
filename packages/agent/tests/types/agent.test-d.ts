import type { AnthropicProvider as Anthropic3 } from "@ai-sdk/anthropic";
import type { OpenAIProvider as OpenAi3 } from "@ai-sdk/openai";
import type { AnthropicProvider as Anthropic4 } from "ai-sdk-anthropic-4";
import type { OpenAIProvider as OpenAi4 } from "ai-sdk-openai-4";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineMessage, parseMessageData } from "../../src/messages/define-message.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import type { AiSdkModel } from "../../src/models/ai-sdk/ai-sdk-model.js";
import { toModelPort } from "../../src/models/ai-sdk/to-model-port.js";
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
  limit?: number;
  exact: boolean;
  filters?: string[];
  steps: { title: string; minutes?: number }[];
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

  test("A9: an optional parameter fits a type without `undefined`", () => {
    const take = (params: { query: string; limit?: number; filters?: string[] }) => params;
    defineTool({
      ...search,
      params: [
        { name: "query", optional: false, description: "" },
        { name: "limit", optional: true, description: "", type: "number" },
        {
          name: "filters",
          optional: true,
          description: "",
          type: "array",
          params: [{ name: "filter", optional: false, description: "" }],
        },
      ],
      invoke: async ({ params }) => ({ message: "", toolResult: take(params) }),
    });
  });

  test("A6, A16: the name, the parameters, and the result can be given as type arguments", () => {
    const explicit = defineTool<
      "my_custom_tool",
      { query: string; limit?: number; filters?: string[] },
      { results: string[]; query: string }
    >({
      name: "my_custom_tool",
      description: "A custom tool that does something useful",
      whenToUse: "When user needs to perform a specific action",
      params: [
        { name: "query", optional: false, description: "The search query" },
        { name: "limit", optional: true, description: "Max results to return", type: "number" },
      ] as ToolParam[],
      useExamples: [],
      invoke: async ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<{ query: string; limit?: number; filters?: string[] }>();
        return { message: "Tool executed successfully", toolResult: { results: [], query: params.query } };
      },
    });
    expectTypeOf(explicit).toEqualTypeOf<
      ToolDefinition<
        "my_custom_tool",
        { query: string; limit?: number; filters?: string[] },
        { results: string[]; query: string }
      >
    >();
    defineTool<"a", { a: string }, number>({
      ...ping,
      name: "a",
      // @ts-expect-error the result must have the given type
      invoke: async () => ({ message: "", toolResult: "" }),
    });
  });

  test("a Zod schema as params gives the type of the validated parameters", () => {
    const book = defineTool({
      name: "book",
      description: "Books a room",
      whenToUse: "When needed",
      params: z.object({
        room: z.enum(["red", "blue"]),
        seats: z.number().int().min(1),
        notify: z.boolean().default(true),
        note: z.string().optional(),
      }),
      useExamples: [],
      invoke: async ({ params }) => {
        expectTypeOf(params.room).toEqualTypeOf<"red" | "blue">();
        expectTypeOf(params.notify).toEqualTypeOf<boolean>();
        expectTypeOf(params.note).toEqualTypeOf<string | undefined>();
        // @ts-expect-error the parameter "nobody" does not exist
        void params.nobody;
        return { message: "Booked", toolResult: params.seats };
      },
    });
    expectTypeOf(book.name).toEqualTypeOf<"book">();
    expectTypeOf(book.params).toEqualTypeOf<readonly ToolParam[]>();
    expectTypeOf(parseToolParams(book, {}).seats).toEqualTypeOf<number>();
    expectTypeOf(new ToolRegistry().register(book).get("book")).toEqualTypeOf<typeof book>();
  });

  test("a parameter with the format `json` can have any type", () => {
    type Any = {
      readonly name: "a";
      readonly description: "";
      readonly optional: false;
      readonly format: "json";
    };
    expectTypeOf<ParamsOf<readonly [Any]>>().toEqualTypeOf<{ a: unknown }>();
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

describe("models", () => {
  test("models of the AI SDK's packages are accepted", () => {
    expectTypeOf<ReturnType<OpenAi3["chat"]>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<OpenAi3["responses"]>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<Anthropic3>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<OpenAi4["responses"]>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<Anthropic4>>().toExtend<AiSdkModel>();
    expectTypeOf<OpenAi3>().not.toExtend<AiSdkModel>();
    expectTypeOf(toModelPort).toBeCallableWith({} as ReturnType<Anthropic3>);
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
