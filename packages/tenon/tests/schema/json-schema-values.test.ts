import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import type { Issue } from "../../src/schema/schema.js";
import { ROOT } from "../../../../tools/source-files.js";
import { NO_CODE_GENERATION, runForJson, runModule } from "../../../../tests/support/run-module.js";

const compile = await loadJsonSchema();

type Case = readonly [name: string, schema: JsonObject, value: unknown, issues: readonly Issue[]];

const at = (path: readonly string[], message: string): Issue => ({ path, message });
const properties = (members: JsonObject): JsonObject => ({ type: "object", properties: members });

const VALID: readonly (readonly [name: string, schema: JsonObject, value: unknown])[] = [
  ["any value by the empty schema", {}, null],
  ["an object", properties({ city: { type: "string" } }), { city: "Riga" }],
  ["a member that is not described", properties({ city: { type: "string" } }), { town: 1 }],
  ["an absent member", properties({ city: { type: "string" } }), {}],
  ["one of several types", { type: ["string", "null"] }, null],
  ["an integer written as a fraction", { type: "integer" }, 1.0],
  ["an emoji as one character", { type: "string", maxLength: 1 }, "😀"],
  ["a known format", { type: "string", format: "email" }, "ann@example.com"],
  ["an unknown format", { type: "string", format: "x-plate" }, "anything"],
  ["a decimal multiple", { multipleOf: 0.01 }, 19.99],
  ["a constant object", { const: { a: [1] } }, { a: [1] }],
  ["a branch of a condition", { if: { type: "number" }, else: { minLength: 1 } }, "a"],
  ["exactly one of several", { oneOf: [{ type: "string" }, { type: "number" }] }, 1],
  ["a property called $ref", properties({ $ref: { type: "string" } }), { $ref: "a" }],
  ["unknown keywords", { type: "string", "x-mcp-header": "City", "x-list": [1, { a: 2 }] }, "a"],
];

const INVALID: readonly Case[] = [
  ["a string instead of an object", { type: "object" }, "text", [at([], "must be object")]],
  ["null", { type: "object" }, null, [at([], "must be object")]],
  ["a list for an object", { type: "object" }, [], [at([], "must be object")]],
  ["nothing", { type: "object" }, undefined, [at([], "must be object")]],
  [
    "a member of the wrong type",
    properties({ a: { type: "string" } }),
    { a: 1 },
    [at(["a"], "must be string")],
  ],
  ["a missing member", { required: ["a"] }, {}, [at(["a"], "is required")]],
  [
    "several missing members, deep inside",
    properties({ a: { required: ["b", "c"] } }),
    { a: {} },
    [at(["a", "b"], "is required"), at(["a", "c"], "is required")],
  ],
  ["text that is too short", { minLength: 2 }, "a", [at([], "must not have fewer than 2 characters")]],
  ["text that is too long", { maxLength: 1 }, "ab", [at([], "must not have more than 1 characters")]],
  ["text that does not match", { pattern: "^a" }, "b", [at([], 'must match pattern "^a"')]],
  ["text in the wrong format", { format: "email" }, "ann", [at([], 'must match format "email"')]],
  ["a fraction", { type: "integer" }, 1.5, [at([], "must be integer")]],
  ["a number that is too small", { minimum: 1 }, 0, [at([], "must be >= 1")]],
  ["a number that is too large", { maximum: 7 }, 8, [at([], "must be <= 7")]],
  ["NaN as a number", { type: "number" }, Number.NaN, [at([], "must be number")]],
  ["none of the choices", { enum: ["C", "F"] }, "K", [at([], "must be equal to one of the allowed values")]],
  ["a different constant", { const: 4 }, 5, [at([], "must be equal to constant")]],
  ["an item of the wrong type", { items: { type: "string" } }, ["a", 1], [at(["1"], "must be string")]],
  ["too few items", { minItems: 1 }, [], [at([], "must not have fewer than 1 items")]],
  ["duplicate items", { uniqueItems: true }, [{ a: 1 }, { a: 1 }], [at([], "must not have duplicate items")]],
  ["a value that `not` forbids", { not: { type: "string" } }, "a", [at([], "must not be valid")]],
  [
    "a member whose name needs escapes in a pointer",
    properties({ "a/b~c": { type: "number" } }),
    { "a/b~c": "x" },
    [at(["a/b~c"], "must be number")],
  ],
  [
    "a member that a present one needs",
    { dependentRequired: { a: ["b"] } },
    { a: 1 },
    [at([], "must have properties b when property a is present")],
  ],
];

describe("a valid value is accepted unchanged", () => {
  test.each(VALID)("%s", (_name, schema, value) => {
    expect(compile(schema)(value)).toEqual({ value });
  });

  test("without a copy", () => {
    const value = { city: "Riga" };
    expect(compile({ type: "object" })(value)).toEqual({ value: expect.toSatisfy((it) => it === value) });
  });
});

describe("an invalid value is rejected with path and reason", () => {
  test.each(INVALID)("%s", (_name, schema, value, issues) => {
    expect(compile(schema)(value)).toEqual({ issues });
  });

  test("an unknown member, with its name", () => {
    const schema = { ...properties({ city: { type: "string" } }), additionalProperties: false };
    expect(compile(schema)({ city: "Riga", town: 1, "a/b": 2 })).toEqual({
      issues: [at(["town"], "is not allowed"), at(["a/b"], "is not allowed")],
    });
  });

  test("a member whose schema is false, with its name", () => {
    expect(compile(properties({ a: false }))({ a: 1 })).toEqual({ issues: [at(["a"], "is not allowed")] });
  });

  test("many wrong items, with a bounded number of issues", () => {
    const { issues = [] } = compile({ items: { type: "string" } })(Array.from({ length: 100_000 }, () => 1));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(20);
  });
});

describe("a check keeps no state between values", () => {
  test.each<[string, JsonObject, unknown, unknown]>([
    ["unevaluatedProperties", { properties: { a: true }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    ["unevaluatedItems", { prefixItems: [true], unevaluatedItems: false }, [1], [1, 2]],
    ["uniqueItems", { uniqueItems: true }, [1, 2], [1, 1]],
    ["a global pattern", { pattern: "a" }, "a", "b"],
  ])("%s", (_name, schema, good, bad) => {
    const check = compile(schema);
    const verdicts = [good, bad, good, bad].map((value) => check(value).issues === undefined);
    expect(verdicts).toEqual([true, false, true, false]);
  });
});

describe("without code generation from strings", () => {
  test("every value above has the same result and issues", () => {
    const cases = [...VALID, ...INVALID].filter(([, , value]) => JSON.stringify(value) !== undefined);
    const wire = JSON.stringify(cases.map(([, schema, value]) => [schema, value]));
    const results = runForJson(
      `
        import { loadJsonSchema } from "tenon/json-schema";
        const compile = await loadJsonSchema();
        const cases = JSON.parse(${JSON.stringify(wire)});
        console.log(JSON.stringify(cases.map(([schema, value]) => compile(schema)(value))));
      `,
      [NO_CODE_GENERATION],
    );
    const expected = (JSON.parse(wire) as readonly [JsonObject, unknown][]).map(([schema, value]) =>
      compile(schema)(value),
    );
    expect(results).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  test("the flag of that test is active", () => {
    const { code, stderr } = runModule("new Function('return 1')", [NO_CODE_GENERATION]);
    expect(code).toBe(1);
    expect(stderr).toContain("EvalError: Code generation from strings disallowed for this context");
  });
});

test("without typebox the error has the install command", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  try {
    cpSync(join(ROOT, "packages/tenon/dist"), join(folder, "dist"), { recursive: true });
    const { stdout } = runModule(
      `
        import { loadJsonSchema } from "./dist/schema/json-schema/index.js";
        await loadJsonSchema().catch((error) => console.log(error.message + " | " + error.cause.code));
      `,
      [],
      folder,
    );
    expect(stdout.trim()).toBe(
      'tenon/json-schema requires the package "typebox". Install it: npm install typebox | ERR_MODULE_NOT_FOUND',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
