import { describe, expect, test } from "vitest";
import {
  fromLocalDateTime,
  fromLocalTime,
  isDateInput,
  toLocalDateTime,
  toLocalTime,
} from "../../src/form/model/dates.js";
import { describeForm } from "../../src/form/model/describe.js";
import type { UnionField } from "../../src/form/model/field.js";
import { matchVariant, stateOf } from "../../src/form/model/fit.js";
import { parseJsonText, parseNumber } from "../../src/form/model/text-values.js";
import { emptyValue, initialValue } from "../../src/form/model/values.js";
import { countFields, ownerOf } from "../../src/form/model/walk.js";

describe("initial values", () => {
  test.each([
    ["a default", { type: "string", default: "x" }, "x"],
    ["a text", { type: "string" }, undefined],
    ["a number", { type: "number" }, undefined],
    ["a boolean", { type: "boolean" }, false],
    ["a constant", { const: 5 }, 5],
    ["a choice", { enum: [1, 2] }, undefined],
    ["the only choice", { enum: [1] }, 1],
    ["a nullable value", { type: ["string", "null"] }, null],
    ["a list", { type: "array", items: {} }, []],
    ["a list with a minimum", { type: "array", items: { type: "string" }, minItems: 2 }, ["", ""]],
    [
      "a list with a huge minimum",
      { type: "array", items: {}, minItems: 1e9 },
      Array.from({ length: 10 }, () => null),
    ],
    ["a tuple", { prefixItems: [{ type: "integer", minimum: 3 }, { const: "a" }] }, [3, "a"]],
    ["checkboxes", { type: "array", items: { enum: [1, 2] } }, []],
    ["a map", { additionalProperties: { type: "number" } }, {}],
    [
      "a union",
      { oneOf: [{ properties: { t: { const: "a" } }, required: ["t"] }, { type: "string" }] },
      { t: "a" },
    ],
  ])("of %s", (_title, schema, expected) => {
    expect(initialValue(describeForm(schema))).toEqual(expected);
  });

  test("optional members are set only if they have a default", () => {
    const schema = {
      properties: {
        required: { type: "boolean" },
        optional: { type: "boolean" },
        withDefault: { type: "boolean", default: true },
        nested: { properties: { inner: { default: 1 } } },
        requiredNested: { properties: { inner: { default: 1 } } },
      },
      required: ["required", "requiredNested"],
    };
    expect(initialValue(describeForm(schema))).toEqual({
      required: false,
      withDefault: true,
      requiredNested: { inner: 1 },
    });
  });

  test("a default is copied", () => {
    const schema = { default: { a: [1] } };
    const value = initialValue(describeForm(schema)) as { a: number[] };
    value.a.push(2);
    expect(schema.default.a).toEqual([1]);
  });

  test("a required member that contains itself ends", () => {
    const schema = { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] };
    expect(JSON.stringify(initialValue(describeForm(schema))).length).toBeLessThan(200);
  });

  test.each([
    [{ type: "string" }, ""],
    [{ type: "number" }, 0],
    [{ type: "number", minimum: 5 }, 5],
    [{ type: "number", maximum: -5 }, -5],
    [{ enum: ["a", "b"] }, "a"],
    [{ type: "object" }, {}],
    [{}, null],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, ""],
    [{ type: "string", format: "byte" }, ""],
  ])("an added field %j has a value", (schema, expected) => {
    expect(emptyValue(describeForm(schema))).toEqual(expected);
  });
});

describe("states", () => {
  test.each([
    [{ type: "string" }, undefined, "unset"],
    [{ type: "string" }, "", "set"],
    [{ type: "string" }, 5, "misfit"],
    [{ type: "string" }, null, "misfit"],
    [{ type: ["string", "null"] }, null, "null"],
    [{ type: "number" }, "5", "misfit"],
    [{ enum: ["a"] }, "b", "misfit"],
    [{ enum: [{ a: 1 }] }, { a: 1 }, "set"],
    [{ type: "array", items: { enum: [1, 2] } }, [2, 1], "set"],
    [{ type: "array", items: { enum: [1, 2] } }, [1, 1], "misfit"],
    [{ properties: { a: {} } }, [], "misfit"],
    [{ type: "array" }, {}, "misfit"],
    [{ const: 1 }, 2, "misfit"],
    [{}, { any: "thing" }, "set"],
  ])("%j with %j is %s", (schema, value, expected) => {
    expect(stateOf(describeForm(schema), value)).toBe(expected);
  });
});

describe("matchVariant", () => {
  const shapes = {
    oneOf: [
      { properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
      {
        properties: { kind: { const: "box" }, w: { type: "number" }, h: { type: "number" } },
        required: ["kind"],
      },
      { type: "string" },
    ],
  };

  test.each([
    [shapes, { kind: "circle" }, 0],
    [shapes, { kind: "box", w: 1 }, 1],
    [shapes, "text", 2],
    [shapes, 5, 0],
    [shapes, undefined, 0],
    [
      {
        anyOf: [
          { properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
      },
      { b: 1 },
      1,
    ],
    [{ anyOf: [{}, { type: "number" }] }, 5, 1],
    [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, ["a"], 1],
    [{ anyOf: [{ type: "string" }, { anyOf: [{ type: "number" }, { type: "boolean" }] }] }, true, 1],
  ])("the schema %j is compared with the value %j", (schema, value, expected) => {
    expect(matchVariant(describeForm(schema) as UnionField, value)).toBe(expected);
  });
});

describe("ownerOf", () => {
  const field = describeForm({
    properties: {
      user: { properties: { name: { type: "string" } } },
      tags: { type: "array", items: { type: "string" } },
      map: { additionalProperties: { properties: { x: { type: "number" } } } },
      any: {},
      either: { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
    },
  });
  const value = { user: { name: 5 }, tags: ["a"], map: { k: { x: 1 } }, any: { deep: 1 }, either: { b: 1 } };
  const owner = (...path: readonly (string | number)[]) =>
    ownerOf({ field, value, selected: () => undefined }, path);

  test.each([
    [
      ["user", "name"],
      ["user", "name"],
    ],
    [["user", "other"], ["user"]],
    [
      ["tags", 0],
      ["tags", 0],
    ],
    [["tags", 7], ["tags"]],
    [
      ["map", "k", "x"],
      ["map", "k", "x"],
    ],
    [["any", "deep"], ["any"]],
    [
      ["either", "b"],
      ["either", "b"],
    ],
    [["either", "a"], ["either"]],
    [["missing"], []],
    [["constructor"], []],
    [[], []],
  ])("%j is shown at %j", (path, expected) => {
    expect(owner(...path)).toEqual(expected);
  });

  test("members of a value that is not set are shown at its field", () => {
    expect(ownerOf({ field, value: {}, selected: () => undefined }, ["user", "name"])).toEqual(["user"]);
  });

  test("the selected variant decides", () => {
    const state = { field, value: { either: {} }, selected: () => 1 };
    expect(ownerOf(state, ["either", "b"])).toEqual(["either", "b"]);
  });
});

describe("countFields", () => {
  const count = (schema: unknown, value: unknown) =>
    countFields({ field: describeForm(schema), value, selected: () => undefined });

  test("counts fields that are shown, and members that are not set", () => {
    const schema = { properties: { a: { properties: { b: {}, c: {} } }, d: {} } };
    expect([count(schema, {}), count(schema, { a: {} })]).toEqual([3, 5]);
  });

  test("stops at the limit", () => {
    const schema = { type: "array", items: { type: "array", items: { type: "number" } } };
    const value = Array.from({ length: 5_000 }, () => Array.from({ length: 100 }, () => 1));
    expect(count(schema, value)).toBe(2_001);
  });
});

describe("texts", () => {
  test.each([
    ["5", 5],
    [" -1.5 ", -1.5],
    ["1e3", 1_000],
    ["1.", 1],
    [".5", 0.5],
  ])("the text %j is a number", (text, value) => {
    expect(parseNumber(text, false)).toEqual({ ok: true, value });
  });

  test.each([
    ["12a", false, 'The value must be a number; got "12a".'],
    ["", true, 'The value must be an integer; got "".'],
    ["0x10", false, 'The value must be a number; got "0x10".'],
    ["Infinity", false, 'The value must be a number; got "Infinity".'],
    ["1e999", false, 'The value must be a number; got "1e999".'],
    ["1.5", true, "The value must be an integer; got 1.5."],
    ["9007199254740993", true, "The integer is too large for exact JSON (limit: 9007199254740991)."],
  ])("the text %j is rejected (only integers: %s)", (text, isInteger, message) => {
    expect(parseNumber(text, isInteger)).toEqual({ ok: false, message });
  });

  test("parseJsonText returns the value", () => {
    expect(parseJsonText(' {"a": [1]} ')).toEqual({ ok: true, value: { a: [1] } });
  });

  test.each([
    ["", "Enter JSON, such as {} or null."],
    ['{\n  "a": 1,\n}', /line 3, column 1/],
    ['{"a": ', /line 1, column 7/],
  ])("parseJsonText(%j) explains the error", (text, message) => {
    const parsed = parseJsonText(text);
    expect(parsed.ok ? "" : parsed.message).toMatch(message);
  });
});

describe("dates", () => {
  test("a local date and time is converted to UTC and back", () => {
    const local = "1999-12-31T23:59:30";
    const value = fromLocalDateTime(local);
    expect(value).toBe(new Date(local).toISOString().replace(".000Z", "Z"));
    expect(toLocalDateTime(value ?? "")).toBe(local);
  });

  test.each(["", "yesterday", "1999-12-31", "1999-12-31T10:00:00", "1999-99-99T10:00:00Z"])(
    "%j is not a date and time",
    (text) => {
      expect(toLocalDateTime(text)).toBeUndefined();
    },
  );

  test.each([
    ["10:20:30Z", "10:20:30"],
    ["10:20:30.000+00:00", "10:20:30"],
    ["10:20:30+02:00", undefined],
    ["10:20", undefined],
  ])("converts the time %j for an input", (text, expected) => {
    expect(toLocalTime(text)).toBe(expected);
  });

  test.each([
    ["10:20", "10:20:00Z"],
    ["10:20:30", "10:20:30Z"],
    ["", undefined],
  ])("converts the input %j to a time", (text, expected) => {
    expect(fromLocalTime(text)).toBe(expected);
  });

  test("only dates have a date input", () => {
    expect([isDateInput(""), isDateInput("1999-12-31"), isDateInput("soon")]).toEqual([true, true, false]);
  });
});
