import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServerDescription } from "../../src/core/snapshot/server-description.js";
import {
  catalog,
  CATALOG_META,
  Prompt,
  PromptArgument,
  Resource,
  type Tool,
  ToolAnnotations,
} from "../../src/model/index.js";
import {
  type McpResourceDefinition,
  type McpToolDefinition,
  type ToolHints,
} from "../../src/protocol/index.js";
import { type McpPromptDefinition, RETURN_DIRECT_META } from "../../src/protocol/definitions.js";

/** Returns the catalog of a server with these definitions. */
function catalogOf(definitions: Partial<ServerDescription>) {
  const info = { name: "a", version: "1" };
  const none = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  return catalog({ describe: () => ({ info, ...none, ...definitions }) });
}

function toTool(definition: McpToolDefinition): Tool | undefined {
  return catalogOf({ tools: [{ definition, tags: [], scopes: [] }] as never }).childTools[0];
}

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

describe("tools of a catalog", () => {
  test("F4: any definition becomes a tool with the same members", () => {
    fc.assert(
      fc.property(toolDefinition, ({ name, _meta, annotations, ...members }) => {
        const tool = toTool({
          name,
          ...members,
          ...(_meta && { _meta }),
          ...(annotations && { annotations }),
        });
        expect(tool).toMatchObject({ name, ...members });
        expect(tool?.meta ?? {}).toEqual(_meta ?? {});
        expect(tool?.annotations).toEqual(annotations && new ToolAnnotations(annotations));
      }),
    );
  });

  test("F12: returnDirect moves from _meta to the annotations, and other members stay", () => {
    const _meta = { "example.org/a": 1, [RETURN_DIRECT_META]: true };
    expect(toTool({ name: "show", inputSchema: {}, annotations: { title: "Show" }, _meta })).toMatchObject({
      meta: { "example.org/a": 1 },
      annotations: new ToolAnnotations({ title: "Show", returnDirect: true }),
    });
    expect(RETURN_DIRECT_META).toBe("tenon/returnDirect");
  });

  test.each([true, false])(
    "F12: returnDirect %s alone makes annotations, and leaves no meta",
    (returnDirect) => {
      const tool = toTool({ name: "show", inputSchema: {}, _meta: { [RETURN_DIRECT_META]: returnDirect } });
      expect(tool?.annotations).toStrictEqual(new ToolAnnotations({ returnDirect }));
      expect(tool?.meta).toBeUndefined();
    },
  );

  test("F12: a returnDirect that is not a boolean stays in _meta", () => {
    const tool = toTool({ name: "show", inputSchema: {}, _meta: { [RETURN_DIRECT_META]: "yes" } });
    expect(tool?.annotations).toBeUndefined();
    expect(tool?.meta).toEqual({ [RETURN_DIRECT_META]: "yes" });
  });
});

describe("prompts of a catalog", () => {
  test("F5, F7: any definition becomes a prompt with the same members", () => {
    fc.assert(
      fc.property(promptDefinition, ({ name, _meta, ...definition }) => {
        const [prompt] = catalogOf({
          prompts: [{ name, ...definition, ...(_meta && { _meta }) }],
        }).childPrompts;
        const list = definition.arguments ?? [];
        expect(prompt).toStrictEqual(
          new Prompt(name, {
            ...definition,
            meta: _meta,
            arguments: list.map(({ name: argument, ...options }) => new PromptArgument(argument, options)),
          }),
        );
      }),
    );
  });

  test("F5: a prompt without arguments has an empty list", () => {
    const { childPrompts } = catalogOf({ prompts: [{ name: "hello" }] });
    expect(childPrompts).toMatchObject([{ name: "hello", arguments: [] }]);
  });
});

describe("resources of a catalog", () => {
  test("F6: any definition becomes a resource with the same members", () => {
    fc.assert(
      fc.property(resourceDefinition, ({ name, _meta, ...definition }) => {
        const resources = [{ name, ...definition, ...(_meta && { _meta }) }];
        const [resource] = catalogOf({ resources }).childResources;
        expect(resource).toMatchObject({ name, ...definition });
        expect(resource?.meta).toEqual(_meta);
        expect(resource).toBeInstanceOf(Resource);
      }),
    );
  });

  test("F6: a template becomes a resource that is marked as one", () => {
    const resourceTemplates = [{ name: "note", uriTemplate: "note://{id}", _meta: { a: 1 } }];
    expect(catalogOf({ resourceTemplates }).childResources).toMatchObject([
      { name: "note", uri: "note://{id}", meta: { a: 1, [CATALOG_META.template]: true } },
    ]);
  });
});
