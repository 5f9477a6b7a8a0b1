import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { loadJsonSchema } from "tenon/json-schema";
import { checkArguments } from "../../src/tools/check-arguments.js";

/** Keyword of JSON Schema. The linter rejects it as the name of a member. */
const THEN = ["if", "then"][1] ?? "";

const told = (schema: JsonObject, value: unknown) =>
  checkArguments(schema, value).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("a value and a JSON Schema", () => {
  test.each<[JsonObject, unknown, string]>([
    [{ type: "integer" }, 1.5, ": Expected a whole number; got 1.5"],
    [{ type: ["string", "null"] }, 1, ": Expected text or null; got 1"],
    [{ minimum: 1 }, 0, ": Expected at least 1; got 0"],
    [{ maximum: 100 }, 101, ": Expected at most 100; got 101"],
    [{ exclusiveMinimum: 0 }, 0, ": Expected more than 0; got 0"],
    [{ exclusiveMaximum: 1 }, 1, ": Expected less than 1; got 1"],
    [{ minimum: 0, exclusiveMinimum: true }, 0, ": Expected more than 0; got 0"],
    [{ multipleOf: 0.1 }, 0.25, ": Expected a multiple of 0.1; got 0.25"],
    [{ enum: ["a", "b"] }, "c", ': Expected one of "a", "b"; got "c"'],
    [{ const: 1 }, 2, ": Expected 1; got 2"],
    [{ minLength: 2 }, "😀", ": Expected at least 2 characters; got 1"],
    [{ maxLength: 2 }, "abc", ": Expected at most 2 characters; got 3"],
    [{ pattern: "^a+$" }, "b", ': Expected text that matches the pattern "^a+$"'],
    [{ minItems: 1 }, [], ": Expected at least 1 elements; got 0"],
    [{ uniqueItems: true }, [1, 1], ": Expected elements that are all different"],
    [{ items: { type: "string" } }, ["a", 1], "1: Expected text; got 1"],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], "1: This value is not allowed"],
    [{ items: [{ type: "string" }], additionalItems: false }, ["a", 1], "1: This value is not allowed"],
    [{ contains: { const: 1 } }, [2], ": Lacks an element that the schema requires"],
    [{ required: ["a"] }, {}, "a: Required parameter is missing"],
    [{ properties: {}, additionalProperties: false }, { a: 1 }, "a: Unknown parameter"],
    [{ additionalProperties: { type: "string" } }, { a: 1 }, "a: Expected text; got 1"],
    [{ patternProperties: { "^x": { type: "string" } } }, { x1: 1 }, "x1: Expected text; got 1"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "ab: Expected at most 1 characters; got 2"],
    [{ minProperties: 1 }, {}, ": Expected at least 1 members; got 0"],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "b: Required parameter is missing"],
    [{ dependencies: { a: { required: ["b"] } } }, { a: 1 }, "b: Required parameter is missing"],
    [{ not: { type: "string" } }, "a", ": This value is not allowed"],
    [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, ": Matches more than one of the allowed schemas"],
    [
      { anyOf: [{ type: "string" }, { type: "number" }] },
      true,
      ": Expected text; got true, or Expected a number; got true",
    ],
    [
      { anyOf: [{ type: "null" }, { type: "object", properties: { a: { type: "string" } } }] },
      { a: 1 },
      "a: Expected text; got 1",
    ],
    [{ if: { const: 1 }, [THEN]: { minimum: 2 } }, 1, ": Expected at least 2; got 1"],
    [{ if: { const: 1 }, else: { minimum: 2 } }, 0, ": Expected at least 2; got 0"],
    [{ $ref: "#/$defs/id", $defs: { id: { type: "integer" } } }, "x", ': Expected a whole number; got "x"'],
    [
      { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "integer" } } },
      "x",
      ': Expected a whole number; got "x"',
    ],
    [
      { properties: { next: { $ref: "#" }, id: { type: "integer" } } },
      { next: { next: { id: "x" } } },
      'next.next.id: Expected a whole number; got "x"',
    ],
  ])("%j rejects %j", (schema, value, issue) => {
    expect(told(schema, value)).toEqual([issue]);
  });

  test.each<[JsonObject, unknown]>([
    [{ type: "number" }, 1],
    [{ multipleOf: 0.1 }, 0.3],
    [{ enum: [{ a: [1] }] }, { a: [1] }],
    [{ $ref: "https://elsewhere.example/schema" }, 1],
    [{ not: { $ref: "https://elsewhere.example/schema" } }, 1],
    [{ oneOf: [{ type: "number" }, { $ref: "#/nowhere" }] }, 1],
    [{ required: ["a"] }, { a: null }],
    [{ pattern: "(" }, "anything"],
    [{ format: "email" }, "not an address"],
    [{ properties: { constructor: { type: "number" } } }, {}],
    [{ minimum: "x", required: "a", enum: 1, anyOf: [], properties: [], items: 7 }, { a: [1] }],
  ])("%j accepts %j", (schema, value) => {
    expect(told(schema, value)).toEqual([]);
  });

  test("reports at most 8 issues", () => {
    const value = Array.from({ length: 1_000 }, () => 1);
    expect(checkArguments({ items: { type: "string" } }, value)).toHaveLength(8);
  });

  test("the check agrees with a complete validator", async () => {
    const compile = await loadJsonSchema();
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<JsonObject>(
          {},
          { type: "string" },
          { type: "integer", minimum: 0, maximum: 3 },
          { type: ["number", "null"] },
          { enum: ["a", 1, null, [1]] },
          { type: "string", minLength: 1, pattern: "^[a-c]*$" },
          { $ref: "#/$defs/leaf" },
        ),
        fc.record({ type: fc.constant("array"), items: tie("schema"), maxItems: fc.nat(3) }),
        fc.record({
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
          required: fc.uniqueArray(fc.constantFrom("a", "b")),
          additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), not: tie("schema") }),
        fc.record({ if: tie("schema"), [THEN]: tie("schema"), else: tie("schema") }),
      ),
    }));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>("", "a", "abc", "z", 0, 1, 2.5, 9, null, true),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(schema, value, (inner, sample) => {
        const root = { allOf: [inner], $defs: { leaf: { type: "integer" } } };
        const expected = compile(root)(sample).issues === undefined;
        expect([root, sample, checkArguments(root, sample).length === 0]).toEqual([root, sample, expected]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a hostile schema", () => {
  test("every pattern takes bounded time", () => {
    const atom = fc.constantFrom(
      "a",
      "b?",
      "a*",
      "a+",
      "[ab]{1,9}",
      "(a|b)",
      "(a*)*",
      "\\w+",
      ".",
      "|",
      "^",
      "$",
    );
    fc.assert(
      fc.property(fc.array(atom, { maxLength: 20 }), fc.nat(20_000), (atoms, length) => {
        const start = performance.now();
        checkArguments({ pattern: atoms.join("") }, `${"a".repeat(length)}!`);
        expect(performance.now() - start).toBeLessThan(30_000);
      }),
      { numRuns: 20 },
    );
  });

  test.each<[string, JsonObject, unknown]>([
    ["a reference to itself", { $ref: "#" }, {}],
    [
      "branches that double at every level",
      {
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 61 }, (_, at): [string, JsonObject] => {
            const next = { $ref: `#/$defs/d${at + 1}` };
            return [`d${at}`, at === 60 ? { const: 1 } : { anyOf: [next, next] }];
          }),
        ),
      },
      2,
    ],
    ["a pattern that takes exponential time", { pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`],
    ["a pattern that takes cubic time", { pattern: "a*a*a*b" }, "a".repeat(50_000)],
    [
      "a large enumeration",
      { items: { enum: Array.from({ length: 5_000 }, (_, at) => [at]) } },
      Array.from({ length: 5_000 }, () => [-1]),
    ],
  ])("%s is checked in bounded time", (_name, schema, value) => {
    const start = performance.now();
    checkArguments(schema, value);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("a schema that takes too long is tried once, and accepts every value from then on", () => {
    const slow = { pattern: "^(a+)+$" };
    expect(checkArguments({ ...slow }, "!")).toHaveLength(1);
    expect(checkArguments(slow, `${"a".repeat(50_000)}!`)).toEqual([]);
    expect(checkArguments(slow, "!")).toEqual([]);
  });

  test.each<[string, string, boolean]>([
    ["^[a-z0-9-]+$", "a-1", true],
    ["^[a-z0-9-]+$", "A", false],
    ["^\\d{4}-\\d{2}-\\d{2}$", "2026-07-28", true],
    ["^[^@]+@[^@]+\\.[^@]+$", "example.com", false],
    ["^\\p{Lu}\\u{61}$", "Aa", true],
    ["[", "a", true],
    ["(a)\\1", "ab", false],
  ])("the pattern %j and the text %j", (pattern, text, isValid) => {
    expect(checkArguments({ pattern }, text)).toHaveLength(isValid ? 0 : 1);
  });
});
