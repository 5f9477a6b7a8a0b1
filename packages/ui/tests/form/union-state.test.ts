import { describe, expect, test } from "vitest";
import { FormStore, type ShownUnion } from "../../src/form/form-store.js";
import type { Field, UnionField } from "../../src/form/model/field.js";

function asUnion(field: Field | undefined): UnionField {
  if (field?.kind !== "union") throw new Error(`The field must be a union; got ${field?.kind}.`);
  return field;
}

function memberOf(store: FormStore, name: string): Field {
  const member =
    store.field.kind === "object" ? store.field.properties.find((one) => one.name === name) : undefined;
  if (member === undefined) throw new Error(`There is no member ${name}.`);
  return member.field();
}

const shapes = [
  { properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] },
  { properties: { kind: { const: "box" }, w: { type: "number" } }, required: ["kind"] },
];

describe("a union that gets a new value", () => {
  const schema = { properties: { shape: { anyOf: [...shapes, { type: "null" }] } } };
  const start = () => {
    const store = new FormStore(schema, { value: { shape: { kind: "circle" } } });
    const field = asUnion(memberOf(store, "shape"));
    const union: ShownUnion = { field, path: ["shape"], nesting: 0 };
    store.selectVariant(union, 1);
    return { store, field, union };
  };

  test("has the variant of that value if it was left out in between", () => {
    const { store, field, union } = start();
    store.remove(["shape"]);
    store.include(["shape"], field);
    expect([store.variantOf(union), store.value.value]).toEqual([0, { shape: { kind: "circle" } }]);
  });

  test("has the variant of that value if it was null in between", () => {
    const { store, field, union } = start();
    store.set(["shape"], null);
    store.include(["shape"], field);
    expect([store.variantOf(union), store.value.value]).toEqual([0, { shape: { kind: "circle" } }]);
  });

  test("does not bring back values from before a reset", () => {
    const { store, union } = start();
    store.set(["shape", "w"], 5);
    store.reset({ shape: { kind: "circle" } });
    store.selectVariant(union, 1);
    expect(store.value.value).toEqual({ shape: { kind: "box" } });
  });
});

describe("a union in a variant of another one", () => {
  const named = (...titles: readonly string[]) => ({
    anyOf: titles.map((title) => ({ title, type: "string", default: title })),
  });
  const schema = {
    properties: {
      a: {
        anyOf: [
          { title: "Letters", ...named("x", "y", "z") },
          { title: "Digits", ...named("1", "2") },
        ],
      },
    },
    required: ["a"],
  };
  const start = () => {
    const store = new FormStore(schema);
    const outer: ShownUnion = { field: asUnion(memberOf(store, "a")), path: ["a"], nesting: 0 };
    const innerOf = (index: number): ShownUnion => ({
      field: asUnion(outer.field.variants[index]?.field()),
      path: ["a"],
      nesting: 1,
    });
    return { store, outer, innerOf };
  };

  test("does not get the selection of the other variant", () => {
    const { store, outer, innerOf } = start();
    store.selectVariant(innerOf(0), 2);
    expect(store.value.value).toEqual({ a: "z" });
    store.selectVariant(outer, 1);
    expect([store.variantOf(innerOf(1)), store.value.value]).toEqual([0, { a: "1" }]);
    store.selectVariant(innerOf(1), 1);
    store.selectVariant(innerOf(1), 0);
    expect(store.value.value).toEqual({ a: "1" });
  });

  test("keeps the selection of the union around it", () => {
    const { store, outer, innerOf } = start();
    store.selectVariant(outer, 1);
    store.selectVariant(innerOf(1), 1);
    expect([store.variantOf(outer), store.variantOf(innerOf(1))]).toEqual([1, 1]);
  });

  test("has another key than a member whose name looks like it", () => {
    const either = {
      anyOf: [
        { title: "A", type: "string" },
        { title: "B", type: "string" },
      ],
    };
    const store = new FormStore(
      { properties: { a: either, "a~#1": either } },
      { value: { a: "x", "a~#1": "y" } },
    );
    store.selectVariant({ field: asUnion(memberOf(store, "a~#1")), path: ["a~#1"], nesting: 0 }, 1);
    expect(store.variantOf({ field: asUnion(memberOf(store, "a")), path: ["a"], nesting: 1 })).toBe(0);
  });
});

test("a root union keeps its variant while the user edits its value", () => {
  const store = new FormStore({
    anyOf: [
      { title: "A", type: "string" },
      { title: "B", type: "string" },
    ],
  });
  const union: ShownUnion = { field: asUnion(store.field), path: [], nesting: 0 };
  store.selectVariant(union, 1);
  store.set([], "text");
  expect(store.variantOf(union)).toBe(1);
  store.editJson('"other"');
  expect(store.variantOf(union)).toBe(0);
});
