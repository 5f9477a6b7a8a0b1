import { describe, expect, test } from "vitest";
import {
  BaseModel,
  Group,
  GroupItem,
  Prompt,
  PromptArgument,
  Resource,
  Role,
  Tool,
  ToolAnnotations,
} from "../../src/model/index.js";

const icons = [{ src: "https://example.org/icon.png", mimeType: "image/png", sizes: ["48x48"] }];
const words = { title: "A title", description: "A description", meta: { "example.org/owner": "me" }, icons };

const makers = [
  ["Group", () => new Group("x", words)],
  ["Tool", () => new Tool("x", words)],
  ["Prompt", () => new Prompt("x", words)],
  ["Resource", () => new Resource("x", { ...words, uri: "memo://x" })],
  ["PromptArgument", () => new PromptArgument("x", words)],
] as const;

describe("every model", () => {
  test.each(makers)("F1, F7: a %s has a name, title, description, meta, icons, and full name", (_, make) => {
    const model = make();
    expect(model).toBeInstanceOf(BaseModel);
    expect(model).toMatchObject({ name: "x", ...words });
    expect(model.getFullyQualifiedName()).toBe("x");
  });

  test("F1: a model needs only a name, and the rest can be set later", () => {
    const group = new Group("users");
    expect([group.title, group.description, group.meta, group.icons]).toEqual(Array(4).fill(undefined));
    group.title = "Users";
    group.meta = { a: 1 };
    expect(group).toMatchObject({ title: "Users", meta: { a: 1 } });
  });

  test("F4, F5, F6: tools, prompts, and resources are group items, but groups and arguments are not", () => {
    expect(makers.map(([name, make]) => [name, make() instanceof GroupItem])).toEqual([
      ["Group", false],
      ["Tool", true],
      ["Prompt", true],
      ["Resource", true],
      ["PromptArgument", false],
    ]);
  });
});

describe("each model", () => {
  test("F4: a tool has object schemas and annotations", () => {
    const annotations = new ToolAnnotations({ readOnlyHint: true });
    const inputSchema = { type: "object", properties: { q: { type: "string" } } };
    const outputSchema = { type: "object", properties: { hits: { type: "number" } } };
    const tool = new Tool("search", { inputSchema, outputSchema, annotations });
    expect(tool).toMatchObject({ inputSchema, outputSchema, annotations: { readOnlyHint: true } });
  });

  test("F4: a tool without an input schema accepts any object", () => {
    expect(new Tool("ping").inputSchema).toEqual({ type: "object" });
  });

  test("F5, F7: a prompt has arguments, some of them required", () => {
    const prompt = new Prompt("review", {
      arguments: [new PromptArgument("code", { required: true }), new PromptArgument("tone")],
    });
    expect(prompt.arguments.map(({ name, required }) => [name, required])).toEqual([
      ["code", true],
      ["tone", undefined],
    ]);
    expect(new Prompt("hello").arguments).toEqual([]);
  });

  test("F6: a resource has a URI, size, MIME type, and annotations", () => {
    const fields = {
      uri: "file:///notes.md",
      size: 42,
      mimeType: "text/markdown",
      annotations: {
        audience: [Role.USER, Role.ASSISTANT],
        priority: 0.5,
        lastModified: "2025-01-12T15:00:58Z",
      },
    };
    expect(new Resource("notes", fields)).toMatchObject(fields);
    expect([Role.USER, Role.ASSISTANT]).toEqual(["user", "assistant"]);
  });

  test("F12: annotations are created from the record that aggregating actions returns", () => {
    const aggregated = { destructiveHint: true, readOnlyHint: false, idempotentHint: false };
    expect(new ToolAnnotations(aggregated)).toEqual(aggregated);
    const explicit = { ...aggregated, openWorldHint: true, returnDirect: true, title: "Platform" };
    expect(Object.fromEntries(Object.entries(new ToolAnnotations(explicit)))).toStrictEqual(explicit);
  });

  test("F12: a hint that is not set is neither true nor false", () => {
    expect(Object.entries(new ToolAnnotations())).toEqual(
      ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "returnDirect"].map(
        (hint) => [hint, undefined],
      ),
    );
  });
});
