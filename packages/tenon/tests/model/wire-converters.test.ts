import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Prompt,
  PromptArgument,
  PromptWireConverter,
  Resource,
  ResourceWireConverter,
  RETURN_DIRECT_META,
  Tool,
  ToolAnnotations,
  ToolAnnotationsWireConverter,
  ToolWireConverter,
} from "../../src/model/index.js";
import type {
  McpPromptDefinition,
  McpResourceDefinition,
  McpToolDefinition,
  ToolHints,
} from "../../src/protocol/index.js";

const tools = new ToolWireConverter();
const prompts = new PromptWireConverter();
const resources = new ResourceWireConverter();
const annotations = new ToolAnnotationsWireConverter();

const text = fc.string();
const flag = fc.boolean();
const object = fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true, maxKeys: 4 });
const icon = fc.record(
  { src: fc.webUrl(), mimeType: text, sizes: fc.array(text), theme: fc.constantFrom("light", "dark") },
  { requiredKeys: ["src"], noNullPrototype: true },
);
const described = { name: text, title: text, description: text, icons: fc.array(icon), _meta: object };
const hints: fc.Arbitrary<ToolHints> = fc.record(
  { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
  { requiredKeys: [], noNullPrototype: true },
);
const toolDefinition: fc.Arbitrary<McpToolDefinition> = fc.record(
  { ...described, inputSchema: object, outputSchema: object, annotations: hints },
  { requiredKeys: ["name", "inputSchema"], noNullPrototype: true },
);
const promptDefinition: fc.Arbitrary<McpPromptDefinition> = fc.record(
  {
    ...described,
    arguments: fc.array(
      fc.record(
        { name: text, title: text, description: text, required: flag },
        { requiredKeys: ["name"], noNullPrototype: true },
      ),
      { minLength: 1 },
    ),
  },
  { requiredKeys: ["name"], noNullPrototype: true },
);
const resourceDefinition: fc.Arbitrary<McpResourceDefinition> = fc.record(
  {
    ...described,
    uri: fc.webUrl(),
    mimeType: text,
    size: fc.nat(),
    annotations: fc.record(
      {
        audience: fc.array(fc.constantFrom("user", "assistant")),
        priority: fc.double({ min: 0, max: 1, noNaN: true }),
        lastModified: text,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: ["name", "uri"], noNullPrototype: true },
);

describe("ToolWireConverter", () => {
  test("F4: a tool becomes its definition, without undefined members", () => {
    const tool = new Tool("search", {
      description: "Finds",
      inputSchema: { type: "object", required: ["q"] },
      annotations: new ToolAnnotations({ readOnlyHint: true, destructiveHint: false }),
    });
    expect(tools.convertFromTool(tool)).toStrictEqual({
      name: "search",
      description: "Finds",
      inputSchema: { type: "object", required: ["q"] },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(tools.convertFromTool(new Tool("ping"))).toStrictEqual({
      name: "ping",
      inputSchema: { type: "object" },
    });
  });

  test("F4, F11: any definition survives conversion to a tool and back", () => {
    fc.assert(
      fc.property(toolDefinition, (definition) => {
        expect(tools.convertFromTool(tools.convertToTool(definition))).toStrictEqual(definition);
      }),
    );
  });

  test("F4, F12: any tool survives conversion to a definition and back, including returnDirect", () => {
    fc.assert(
      fc.property(toolDefinition, fc.option(flag, { nil: undefined }), (definition, returnDirect) => {
        const tool = tools.convertToTool(definition);
        if (tool.annotations !== undefined) tool.annotations.returnDirect = returnDirect;
        // With returnDirect, an empty `_meta` cannot be distinguished from a missing one.
        if (Object.keys(tool.meta ?? {}).length === 0) tool.meta = undefined;
        expect(tools.convertToTool(tools.convertFromTool(tool))).toStrictEqual(tool);
      }),
    );
  });

  test("F12: returnDirect is sent in _meta, next to other members, instead of as an annotation", () => {
    const tool = new Tool("show", {
      meta: { "example.org/a": 1 },
      annotations: new ToolAnnotations({ title: "Show", returnDirect: true }),
    });
    const definition = tools.convertFromTool(tool);
    expect(definition).toStrictEqual({
      name: "show",
      inputSchema: { type: "object" },
      annotations: { title: "Show" },
      _meta: { "example.org/a": 1, "tenon/returnDirect": true },
    });
    expect(RETURN_DIRECT_META).toBe("tenon/returnDirect");
    expect(tool.meta).toEqual({ "example.org/a": 1 });
    expect(tools.convertToTool(definition)).toStrictEqual(tool);
  });

  test.each([true, false])("F12: returnDirect %s alone sends no annotations", (returnDirect) => {
    const tool = new Tool("show", { annotations: new ToolAnnotations({ returnDirect }) });
    const definition = tools.convertFromTool(tool);
    expect(definition).toStrictEqual({
      name: "show",
      inputSchema: { type: "object" },
      _meta: { "tenon/returnDirect": returnDirect },
    });
    expect(tools.convertToTool(definition)).toStrictEqual(tool);
  });

  test("F12: a returnDirect that is not a boolean stays in _meta", () => {
    const definition = { name: "show", inputSchema: {}, _meta: { "tenon/returnDirect": "yes" } };
    const tool = tools.convertToTool(definition);
    expect(tool.annotations).toBeUndefined();
    expect(tool.meta).toEqual({ "tenon/returnDirect": "yes" });
    expect(tools.convertFromTool(tool)).toStrictEqual(definition);
  });

  test("F12: MCP annotations do not contain returnDirect", () => {
    const given = new ToolAnnotations({ title: "Show", openWorldHint: false, returnDirect: true });
    expect(annotations.convertFromToolAnnotation(given)).toStrictEqual({
      title: "Show",
      openWorldHint: false,
    });
  });

  test("F11, F12: any hints survive conversion to annotations and back", () => {
    fc.assert(
      fc.property(fc.array(hints), (list) => {
        expect(
          annotations.convertFromToolAnnotations(annotations.convertToToolAnnotations(list)),
        ).toStrictEqual(list);
      }),
    );
  });
});

describe("PromptWireConverter", () => {
  test("F5, F7: a prompt is converted to its definition, without its arguments' meta and icons", () => {
    const prompt = new Prompt("review", {
      title: "Review",
      arguments: [
        new PromptArgument("code", { required: true, meta: { a: 1 }, icons: [] }),
        new PromptArgument("tone", { description: "How to say it", required: false }),
      ],
    });
    expect(prompts.convertFromPrompt(prompt)).toStrictEqual({
      name: "review",
      title: "Review",
      arguments: [
        { name: "code", required: true },
        { name: "tone", description: "How to say it", required: false },
      ],
    });
  });

  test("F5: a prompt without arguments has no `arguments` member", () => {
    expect(prompts.convertFromPrompt(new Prompt("hello"))).toStrictEqual({ name: "hello" });
    expect(prompts.convertToPrompt({ name: "hello", arguments: [] })).toStrictEqual(new Prompt("hello"));
  });

  test("F5, F7, F11: any definition survives conversion to a prompt and back", () => {
    fc.assert(
      fc.property(promptDefinition, (definition) => {
        const prompt = prompts.convertToPrompt(definition);
        expect(prompt.arguments.every((argument) => argument instanceof PromptArgument)).toBe(true);
        expect(prompts.convertFromPrompt(prompt)).toStrictEqual(definition);
        expect(prompts.convertToPrompt(prompts.convertFromPrompt(prompt))).toStrictEqual(prompt);
      }),
    );
  });
});

describe("ResourceWireConverter", () => {
  test("F6: a resource becomes its definition, without undefined members", () => {
    const resource = new Resource("notes", { uri: "file:///notes.md", size: 0 });
    expect(resources.convertFromResource(resource)).toStrictEqual({
      name: "notes",
      uri: "file:///notes.md",
      size: 0,
    });
  });

  test("F6, F11: any definition survives conversion to a resource and back", () => {
    fc.assert(
      fc.property(resourceDefinition, (definition) => {
        const resource = resources.convertToResource(definition);
        expect(resources.convertFromResource(resource)).toStrictEqual(definition);
        expect(resources.convertToResource(resources.convertFromResource(resource))).toStrictEqual(resource);
      }),
    );
  });
});

test("F10, F11: batches leave out null values in both directions", () => {
  expect(tools.convertFromTools([null, new Tool("a"), undefined])).toHaveLength(1);
  expect(tools.convertToTools([null, { name: "a", inputSchema: {} }])).toHaveLength(1);
  expect(prompts.convertFromPrompts([new Prompt("a"), null])).toHaveLength(1);
  expect(prompts.convertToPrompts([undefined, { name: "a" }])).toHaveLength(1);
  expect(resources.convertFromResources([null, new Resource("a", { uri: "memo://a" })])).toHaveLength(1);
  expect(resources.convertToResources([{ name: "a", uri: "memo://a" }, null])).toHaveLength(1);
});
