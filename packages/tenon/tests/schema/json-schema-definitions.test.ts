import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";

const compile = await loadJsonSchema();
const unusable = (...problems: readonly string[]): Error =>
  new Error(`is not a valid JSON Schema: ${problems.join("; ")}.`);

describe("an invalid schema is rejected with path and reason", () => {
  const NO_TYPE = [
    "must be equal to one of the allowed values",
    "must be array",
    "must match a schema in anyOf",
  ];

  test.each<[string, JsonObject, readonly string[]]>([
    ["an unknown type", { type: "text" }, NO_TYPE.map((reason) => `/type ${reason}`)],
    ["properties that are not an object", { properties: 3 }, ["/properties must be object"]],
    ["an invalid pattern", { pattern: "(" }, ['/pattern must match format "regex"']],
    ["a pattern that needs the old syntax", { pattern: "[\\w-.]" }, ['/pattern must match format "regex"']],
    ["a bound that is a string", { minimum: "3" }, ["/minimum must be number"]],
    ["required that is not a list", { required: true }, ["/required must be array"]],
    ["a name required twice", { required: ["a", "a"] }, ["/required must not have duplicate items"]],
    ["a list of item schemas", { items: [{}] }, ["/items must be either object or boolean"]],
    ["a reference that is not a string", { $ref: 3 }, ["/$ref must be string"]],
    [
      "draft-07",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      ['/$schema "http://json-schema.org/draft-07/schema#" is not supported; use JSON Schema 2020-12'],
    ],
    [
      "a nested schema in a different dialect",
      { $defs: { a: { $schema: "https://json-schema.org/draft/2019-09/schema" } } },
      [
        '/$defs/a/$schema "https://json-schema.org/draft/2019-09/schema" is not supported; use JSON Schema 2020-12',
      ],
    ],
    [
      "an invalid pattern below an unknown keyword",
      { "x-defs": { a: { pattern: "(" }, b: { patternProperties: { "[": {} } } } },
      [
        '/x-defs/a has the pattern "(", which is not a valid regular expression',
        '/x-defs/b has the pattern "[", which is not a valid regular expression',
      ],
    ],
  ])("%s", (_name, schema, problems) => {
    expect(() => compile(schema)).toThrow(unusable(...problems));
  });

  test.each<[string, JsonObject]>([
    ["/properties/a/type", { properties: { a: { type: "text" } } }],
    ["/properties/a/properties/b/pattern", { properties: { a: { properties: { b: { pattern: "(" } } } } }],
    ["/$defs/a/items/minimum", { $defs: { a: { items: { minimum: "3" } } } }],
    ["/definitions/a/type", { definitions: { a: { type: "text" } } }],
    ["/patternProperties/[", { patternProperties: { "[": {} } }],
  ])("at %s", (path, schema) => {
    expect(() => compile(schema)).toThrow(`is not a valid JSON Schema: ${path} must`);
  });

  test("with at most five problems", () => {
    const $defs = Object.fromEntries("abcdefgh".split("").map((name) => [name, { $ref: "#/nowhere" }]));
    expect(() => compile({ $defs })).toThrow(
      unusable(
        ..."abcde"
          .split("")
          .map(
            (name) =>
              `/$defs/${name}/$ref "#/nowhere" does not resolve within this schema (remote references are not fetched)`,
          ),
      ),
    );
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["text", "object"],
    ["a number", 3],
    ["null", null],
  ])("%s instead of a schema", (_name, schema) => {
    // Data from a file can have any type.
    expect(() => compile(schema as JsonObject)).toThrow(unusable("/ must be either object or boolean"));
  });
});

describe("an inherited property name is rejected, because it would always count as present", () => {
  const inherited = (path: string, name: string): Error =>
    unusable(`${path} uses the reserved property name "${name}" (a member of Object.prototype); rename it`);

  test.each(["toString", "constructor", "hasOwnProperty", "__proto__", "valueOf"])("%s", (name) => {
    const properties = Object.fromEntries([[name, {}]]);
    expect(() => compile({ properties: { a: { required: [name] } } })).toThrow(
      inherited("/properties/a", name),
    );
    expect(() => compile({ properties: { a: { properties } } })).toThrow(inherited("/properties/a", name));
  });

  test("at the root with the path /", () => {
    expect(() => compile({ required: ["toString"] })).toThrow(inherited("/", "toString"));
  });

  test.each<[string, JsonObject]>([
    ["dependentRequired, as the one that is present", { dependentRequired: { toString: ["b"] } }],
    ["dependentRequired, as the one that is needed", { dependentRequired: { a: ["toString"] } }],
    ["dependentSchemas", { dependentSchemas: { toString: false } }],
  ])("in %s", (_keyword, schema) => {
    expect(() => compile({ properties: { a: schema } })).toThrow(inherited("/properties/a", "toString"));
  });
});

describe("an external reference is rejected and not fetched", () => {
  const { fetch } = globalThis;
  let fetched: unknown[] = [];

  beforeEach(() => {
    fetched = [];
    globalThis.fetch = (source) => {
      fetched.push(source);
      throw new Error("the network was asked");
    };
  });
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  test.each([
    "https://example.com/city.json",
    "https://example.com/city.json#/$defs/city",
    "https://json-schema.org/draft/2020-12/schema",
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "city.json",
    "#/$defs/nowhere",
    "#nowhere",
    "#/constructor",
    "#/%E0%A4%A",
  ])("%s", async (reference) => {
    for (const keyword of ["$ref", "$dynamicRef"]) {
      expect(() => compile({ properties: { city: { [keyword]: reference } } })).toThrow(
        /^is not a valid JSON Schema: \/properties\/city\/\$(ref|dynamicRef) /,
      );
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetched).toEqual([]);
  });

  test("with its path and value in the error", () => {
    expect(() => compile({ properties: { a: { $ref: "https://example.com/a" } } })).toThrow(
      unusable(
        '/properties/a/$ref "https://example.com/a" does not resolve within this schema (remote references are not fetched)',
      ),
    );
  });

  test("if an $id makes a relative reference absolute", () => {
    expect(() => compile({ $id: "https://example.com/root.json", $ref: "city.json" })).toThrow(
      unusable('/$ref "city.json" does not resolve within this schema (remote references are not fetched)'),
    );
  });
});

describe("a reference to a value that is not a schema is rejected", () => {
  test("if the value is a string", () => {
    expect(() => compile({ title: "a", properties: { a: { $ref: "#/title" } } })).toThrow(
      /^is not a valid JSON Schema: \/properties\/a\/\$ref "#\/title" /,
    );
  });

  test("if it is an invalid schema under an unknown keyword, which would accept every value", () => {
    expect(() => compile({ $ref: "#/x-defs/city", "x-defs": { city: { type: "text" } } })).toThrow(
      /^is not a valid JSON Schema: .*x-defs\/city/,
    );
  });
});

describe("an endless reference cycle is rejected", () => {
  test.each<[string, JsonObject, string]>([
    ["$ref", { $ref: "#" }, "/"],
    ["$dynamicRef", { $dynamicAnchor: "node", $dynamicRef: "#node" }, "/"],
    ["$recursiveRef in an older dialect", { $recursiveRef: "#" }, "/"],
    ["allOf", { allOf: [{ $ref: "#" }] }, "/"],
    ["anyOf", { anyOf: [{ type: "string" }, { $ref: "#" }] }, "/"],
    ["oneOf", { oneOf: [{ $ref: "#" }] }, "/"],
    ["not", { not: { $ref: "#" } }, "/"],
    ["if", { if: { $ref: "#" } }, "/"],
    ["then", JSON.parse('{ "if": true, "then": { "$ref": "#" } }'), "/"],
    ["else", { if: false, else: { $ref: "#" } }, "/"],
    ["dependentSchemas", { dependentSchemas: { a: { $ref: "#" } } }, "/"],
    ["dependencies in an older dialect", { dependencies: { a: { $ref: "#" } } }, "/"],
    ["two steps", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, "/$defs/a"],
    ["an anchor", { $defs: { a: { $anchor: "a", allOf: [{ $ref: "#a" }] } } }, "/$defs/a"],
    ["a part that nothing uses", { type: "object", $defs: { a: { $ref: "#/$defs/a" } } }, "/$defs/a"],
  ])("by %s", (_keyword, schema, path) => {
    expect(() => compile(schema)).toThrow(unusable(`${path} contains a circular \`$ref\``));
  });
});
