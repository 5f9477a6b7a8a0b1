import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import type {
  Implementation,
  McpPromptDefinition,
  McpToolDefinition,
} from "../../../src/protocol/definitions.js";
import {
  isObjectSchema,
  projectDescribed,
  projectImplementation,
  projectTool,
} from "../../../src/protocol/revisions/project-definitions.js";
import { type Revision, REVISIONS, TRAITS } from "../../../src/protocol/revisions/revision.js";

const icons = [{ src: "https://example.com/i.png" }];
const shared = { title: "A title", icons, _meta: { "example.com/a": 1 } };

describe("a tool", () => {
  const base = { name: "t", description: "d", inputSchema: { type: "object" } };
  const annotations = { title: "Hint", readOnlyHint: true };
  const outputSchema = { type: "object", properties: { a: { type: "string" } } };
  const execution = { taskSupport: "optional" } as const;
  const tool: McpToolDefinition = { ...base, ...shared, annotations, outputSchema, execution };

  test.each<[Revision, JsonObject]>([
    ["2024-11-05", base],
    ["2025-03-26", { ...base, annotations }],
    ["2025-06-18", { ...base, annotations, title: shared.title, _meta: shared._meta, outputSchema }],
    ["2025-11-25", { ...base, annotations, ...shared, outputSchema, execution }],
    ["2026-07-28", { ...base, annotations, ...shared, outputSchema }],
  ])("in %s has the members of that revision", (revision, expected) => {
    expect(projectTool(tool, TRAITS[revision])).toEqual(expected);
  });

  test.each(REVISIONS)("in %s does not contain keys for absent members", (revision) => {
    expect(Object.keys(projectTool(base, TRAITS[revision]))).toEqual(["name", "description", "inputSchema"]);
  });

  test("passes its schemas by reference", () => {
    const projected = projectTool(tool, TRAITS["2026-07-28"]);
    expect(projected["inputSchema"]).toBe(tool.inputSchema);
    expect(projected["outputSchema"]).toBe(outputSchema);
  });
});

describe("an output that is not an object", () => {
  const project = (outputSchema: JsonObject, revision: Revision) =>
    projectTool({ name: "t", inputSchema: { type: "object" }, outputSchema }, TRAITS[revision])[
      "outputSchema"
    ];
  const wrap = (schema: JsonObject) => project(schema, "2025-11-25");
  const wrapped = (result: unknown) => ({ type: "object", properties: { result }, required: ["result"] });

  test.each(["2024-11-05", "2025-03-26"] as const)("in %s is not described", (revision) => {
    expect(project({ type: "array" }, revision)).toBeUndefined();
  });

  test.each(["2025-06-18", "2025-11-25"] as const)("in %s is wrapped", (revision) => {
    expect(project({ type: "array", items: { type: "string" } }, revision)).toEqual(
      wrapped({ type: "array", items: { type: "string" } }),
    );
  });

  test("in 2026-07-28 is unchanged", () => {
    const schema = { type: "array" };
    expect(project(schema, "2026-07-28")).toBe(schema);
  });

  test("keeps its dialect at the root", () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(wrap({ $schema, type: "string" })).toEqual({ $schema, ...wrapped({ type: "string" }) });
  });

  test("adjusts its references", () => {
    const schema = {
      type: "array",
      items: { anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#" }, { type: "null" }] },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    };
    expect(wrap(schema)).toEqual(
      wrapped({
        type: "array",
        items: {
          anyOf: [
            { $ref: "#/properties/result/$defs/node" },
            { $ref: "#/properties/result" },
            { type: "null" },
          ],
        },
        $defs: {
          node: { type: "object", properties: { next: { $ref: "#/properties/result/$defs/node" } } },
        },
      }),
    );
  });

  test.each([
    ["an anchor", { type: "array", items: { $ref: "#node" }, $defs: { n: { $anchor: "node" } } }],
    ["a different document", { type: "array", items: { $ref: "https://example.com/a#/b" } }],
    ["a property called $ref", { type: "array", items: { properties: { $ref: { type: "string" } } } }],
  ])("does not change a reference to %s", (_case, schema) => {
    expect(wrap(schema)).toEqual(wrapped(schema));
  });

  test("adjusts its dynamic references", () => {
    expect(wrap({ type: "array", items: { $dynamicRef: "#/$defs/a" }, $defs: { a: {} } })).toEqual(
      wrapped({ type: "array", items: { $dynamicRef: "#/properties/result/$defs/a" }, $defs: { a: {} } }),
    );
  });

  test("with an $id keeps its references, which are relative to the $id", () => {
    const schema = {
      $id: "https://example.com/list",
      type: "array",
      items: { $ref: "#/$defs/a" },
      $defs: { a: { type: "string" } },
    };
    expect(wrap(schema)).toEqual(wrapped(schema));
  });

  test.each([
    ["const", { const: { $ref: "#/a" } }],
    ["default", { type: "array", default: [{ $ref: "#/a" }] }],
    ["enum", { enum: [{ $ref: "#/a" }] }],
    ["examples", { type: "array", examples: [{ $ref: "#/a" }] }],
  ])("does not change the data of %s", (_case, schema) => {
    expect(wrap(schema)).toEqual(wrapped(schema));
  });

  test("adjusts the references of properties named like data keywords", () => {
    const named = (target: string) => ({
      type: "array",
      items: { type: "object", properties: { default: { $ref: target }, const: { $ref: target } } },
      $defs: { a: { type: "string" }, enum: { $ref: target } },
    });
    expect(wrap(named("#/$defs/a"))).toEqual(wrapped(named("#/properties/result/$defs/a")));
  });

  test.each([
    [{ type: "object" }, true],
    [{ type: "array" }, false],
    [{ type: ["object", "null"] }, false],
    [{ anyOf: [{ type: "object" }] }, false],
    [{}, false],
  ])("is recognized by its type: %j → %s", (schema, expected) => {
    expect(isObjectSchema(schema)).toBe(expected);
  });
});

describe("a resource, a template, and a prompt", () => {
  const resource = {
    name: "r",
    description: "d",
    uri: "test://r",
    mimeType: "text/plain",
    size: 3,
    annotations: { priority: 1 },
  };
  const template = { name: "r", uriTemplate: "test://{id}", mimeType: "text/plain" };
  const prompt = { name: "p", arguments: [{ name: "a", description: "d", required: true }] };

  describe.each([
    ["resource", resource],
    ["template", template],
    ["prompt", prompt],
  ] as const)("a %s", (_kind, base) => {
    test.each<[Revision, JsonObject]>([
      ["2024-11-05", {}],
      ["2025-03-26", {}],
      ["2025-06-18", { title: shared.title, _meta: shared._meta }],
      ["2025-11-25", shared],
      ["2026-07-28", shared],
    ])("in %s has the members of that revision", (revision, extra) => {
      expect(projectDescribed({ ...base, ...shared }, TRAITS[revision])).toEqual({ ...base, ...extra });
      expect(projectDescribed(base, TRAITS[revision])).toEqual(base);
    });
  });

  test.each(REVISIONS)("a prompt argument has a title if the revision supports titles, in %s", (revision) => {
    const titled: McpPromptDefinition = {
      name: "p",
      arguments: [{ name: "a", title: "A", required: true }],
    };
    expect(projectDescribed(titled, TRAITS[revision])["arguments"]).toEqual([
      { name: "a", required: true, ...(TRAITS[revision].titles ? { title: "A" } : {}) },
    ]);
  });
});

describe("server info", () => {
  const card: Implementation = {
    name: "s",
    version: "1.2.3",
    title: "Server",
    description: "d",
    websiteUrl: "https://example.com",
    icons,
  };

  test.each<[Revision, JsonObject]>([
    ["2024-11-05", { name: "s", version: "1.2.3" }],
    ["2025-03-26", { name: "s", version: "1.2.3" }],
    ["2025-06-18", { name: "s", version: "1.2.3", title: "Server" }],
    ["2025-11-25", { ...card }],
    ["2026-07-28", { ...card }],
  ])("in %s has the members of that revision", (revision, expected) => {
    expect(projectImplementation(card, TRAITS[revision])).toEqual(expected);
  });

  test.each(REVISIONS)("in %s can be only a name and a version", (revision) => {
    expect(projectImplementation({ name: "s", version: "1" }, TRAITS[revision])).toEqual({
      name: "s",
      version: "1",
    });
  });
});
