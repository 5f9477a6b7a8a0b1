import { describe, expect, test } from "vitest";
import { FormStore } from "../../src/form/form-store.js";
import { describeForm, MAX_SCHEMA_DEPTH } from "../../src/form/model/describe.js";
import type { Field } from "../../src/form/model/field.js";
import { isEqual, matchVariant, stateOf } from "../../src/form/model/fit.js";
import { resolveSchema } from "../../src/form/model/resolve.js";
import { MAX_JSON_DEPTH, parseJsonText } from "../../src/form/model/text-values.js";

/** Returns a value inside a number of arrays. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** Returns definitions of which each one refers to the next one several times. */
function fanOut(
  levels: number,
  keyword: "allOf" | "oneOf",
  count: number,
): Readonly<Record<string, unknown>> {
  const definitions = Array.from({ length: levels }, (_, level) => [
    `L${level}`,
    { [keyword]: Array.from({ length: count }, () => ({ $ref: `#/$defs/L${level + 1}` })) },
  ]);
  return Object.fromEntries([...definitions, [`L${levels}`, { type: "string" }]]);
}

describe("deep schemas", () => {
  const place = (value: unknown) => ({
    "a default": { properties: { a: { type: "array", default: value } } },
    "an example": { properties: { a: { type: "string", examples: [value] } } },
    "a constant": { properties: { a: { const: value } } },
    "an enum": { properties: { a: { enum: [value, 1] } } },
    "an unknown keyword": { properties: { a: { "x-other": value } } },
  });

  test.each(Object.entries(place(nested(20_000))))(
    "%s that nests too deeply has no form",
    (_title, schema) => {
      const store = new FormStore(schema);
      expect(store.field).toMatchObject({
        kind: "json",
        reason: `The schema nests too deeply for a form (limit: ${MAX_SCHEMA_DEPTH} levels).`,
      });
      expect(store.value.value).toEqual({});
    },
  );

  test.each(Object.entries(place(nested(100))))("%s that nests a little has a form", (_title, schema) => {
    expect(new FormStore(schema).field.kind).toBe("object");
  });

  test("properties inside properties end at the limit of the form", () => {
    let schema: unknown = { type: "string" };
    for (let level = 0; level < 100; level++) {
      schema = { type: "object", properties: { a: schema }, required: ["a"] };
    }
    const store = new FormStore(schema);
    expect(JSON.stringify(store.value.value)).toBe(`${'{"a":'.repeat(11)}{}${"}".repeat(11)}`);
  });
});

describe("schemas that refer to others many times", () => {
  test("definitions with countless parts are not merged", () => {
    const root = { $defs: fanOut(10, "allOf", 50) };
    expect(resolveSchema({ $ref: "#/$defs/L0" }, root)).toEqual({
      ok: false,
      reason: "the schema nests too many references",
    });
  });

  test("a schema with many parts of a normal size is merged", () => {
    const names = Array.from({ length: 80 }, (_, index) => `p${index}`);
    const schema = { allOf: names.map((name) => ({ properties: { [name]: { type: "string" } } })) };
    const field = describeForm(schema);
    expect(field.kind === "object" ? field.properties.map(({ name }) => name) : []).toEqual(names);
  });

  test("a reference to a large definition is resolved", () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]));
    const schema = { $ref: "#/$defs/Large", $defs: { Large: { type: "object", properties } } };
    expect(describeForm(schema).kind).toBe("object");
  });

  test.each([
    ["a union whose variants are the union", { oneOf: Array.from({ length: 100 }, () => ({ $ref: "#" })) }],
    ["unions inside unions", { $ref: "#/$defs/L0", $defs: fanOut(11, "oneOf", 50) }],
  ])("the variant of %s is found with bounded work", (_title, schema) => {
    const field = describeForm(schema);
    if (field.kind !== "union") throw new Error(`The field must be a union; got ${field.kind}.`);
    let described = 0;
    const counted = countDescribed(field, () => described++);
    if (counted.kind !== "union") throw new Error("The copy must be a union.");
    expect(matchVariant(counted, { a: 1 })).toBe(0);
    expect(described).toBeGreaterThan(1);
    expect(described).toBeLessThanOrEqual(1_000);
  });
});

describe("large schemas", () => {
  test("an enum with too many values is a text", () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `v${index}`);
    expect(describeForm({ type: "string", enum: values }).kind).toBe("text");
    expect(describeForm({ type: "string", enum: values.slice(0, 5_000) })).toMatchObject({ kind: "choice" });
  });

  test("alternatives with too many constants are not one choice", () => {
    const values = Array.from({ length: 4_000 }, (_, index) => `v${index}`);
    const $defs = { Values: { type: "string", enum: values } };
    const reference = { $ref: "#/$defs/Values" };
    expect(describeForm({ anyOf: [reference, { const: "x" }], $defs }).kind).toBe("choice");
    expect(describeForm({ anyOf: Array.from({ length: 100 }, () => reference), $defs }).kind).toBe("union");
  });

  test("a value with many elements is edited as JSON after a reset too", () => {
    const store = new FormStore({ properties: { list: { type: "array", items: { type: "string" } } } });
    expect(store.mode.value).toBe("form");
    store.reset({ list: Array.from({ length: 3_000 }, () => "x") });
    expect(store.mode.value).toBe("json");
  });
});

describe("names that objects inherit", () => {
  // Text, because a literal `__proto__` would set the prototype.
  const schema: unknown = JSON.parse(`{
    "type": "object",
    "properties": {
      "__proto__": { "type": "object", "properties": { "polluted": { "type": "boolean", "default": true } } },
      "constructor": { "type": "string", "default": "c" },
      "toString": { "type": "number" }
    },
    "required": ["__proto__", "hasOwnProperty"]
  }`);

  test("are members like any other", () => {
    const store = new FormStore(schema);
    const names = store.field.kind === "object" ? store.field.properties.map(({ name }) => name) : [];
    expect(names).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty"]);
    expect(JSON.stringify(store.value.value)).toBe('{"__proto__":{"polluted":true},"constructor":"c"}');
    expect(Object.getPrototypeOf(store.value.value)).toBe(Object.prototype);
  });

  test("never change a prototype", () => {
    const store = new FormStore(schema);
    store.set(["__proto__", "polluted"], "yes");
    store.editJson('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}');
    store.set(["constructor", "prototype", "polluted"], "yes");
    store.rename(["constructor", "prototype"], "__proto__");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("are not found where they are missing", () => {
    const field = describeForm({ properties: { a: { $ref: "#/properties/constructor" } } });
    const member = field.kind === "object" ? field.properties[0]?.field() : undefined;
    expect(member?.kind).toBe("json");
    expect(stateOf(describeForm({ enum: ["toString"] }), "constructor")).toBe("misfit");
  });
});

describe("hostile values", () => {
  test("a JSON text that nests too deeply is rejected, and the value stays", () => {
    const store = new FormStore({ properties: { a: {} } }, { value: { a: 1 } });
    store.editJson("[".repeat(20_000) + "]".repeat(20_000));
    expect(store.jsonError.value).toBe(`The text nests too deeply (limit: ${MAX_JSON_DEPTH} levels).`);
    expect(store.value.value).toEqual({ a: 1 });
    expect(parseJsonText(JSON.stringify(nested(MAX_JSON_DEPTH))).ok).toBe(true);
  });

  test("values that nest too deeply are not equal, and the form still opens", () => {
    expect(isEqual(nested(50_000), nested(50_000))).toBe(false);
    expect(isEqual(nested(50), nested(50))).toBe(true);
    const choices = { properties: { a: { type: "array", items: { enum: [1, 2] } } } };
    const store = new FormStore(choices, { value: { a: [nested(50_000)] } });
    store.showJson();
    expect(store.mode.value).toBe("json");
    const member = store.field.kind === "object" ? store.field.properties[0]?.field() : undefined;
    expect(member === undefined ? "" : stateOf(member, [nested(50_000)])).toBe("misfit");
  });
});

/** Copies a field. Calls a function whenever a variant of the copy is described. */
function countDescribed(field: Field, onDescribe: () => void): Field {
  if (field.kind !== "union") return field;
  return {
    ...field,
    variants: field.variants.map(({ label, field: variant }) => ({
      label,
      field: () => {
        onDescribe();
        return countDescribed(variant(), onDescribe);
      },
    })),
  };
}
