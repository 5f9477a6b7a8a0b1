import { describe, expect, test } from "vitest";
import { FormStore, type ShownUnion } from "../../src/form/form-store.js";
import type { UnionField } from "../../src/form/model/field.js";
import { parseJsonText, parseNumber } from "../../src/form/model/text-values.js";

const schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: "integer", default: 3 },
    tags: { type: "array", items: { type: "string" } },
    map: { type: "object", additionalProperties: { type: "number" } },
  },
  required: ["name"],
};

describe("values", () => {
  test("start with the defaults, and members that are not set are absent", () => {
    const store = new FormStore(schema);
    expect(store.value.value).toEqual({ count: 3 });
    store.set(["name"], "");
    expect(store.value.value).toEqual({ count: 3, name: "" });
    store.remove(["count"]);
    expect(store.value.value).toEqual({ name: "" });
  });

  test("an optional member is included with its default or an empty value", () => {
    const store = new FormStore(schema, { value: {} });
    const field = store.field.kind === "object" ? store.field.properties : [];
    for (const property of field) store.include([property.name], property.field());
    expect(store.value.value).toEqual({ name: "", count: 3, tags: [], map: {} });
  });

  test("elements are added, moved, and removed", () => {
    const store = new FormStore(schema, { value: {} });
    for (const tag of ["a", "b", "c"]) store.append(["tags"], tag);
    store.move(["tags"], 2, 0);
    store.remove(["tags", 1]);
    expect(store.value.value).toEqual({ tags: ["c", "b"] });
  });

  test("entries of a map are renamed, but not to a name that exists", () => {
    const store = new FormStore(schema, { value: { map: { a: 1, b: 2 } } });
    expect([
      store.rename(["map", "a"], "x"),
      store.rename(["map", "b"], "x"),
      store.rename(["map", "b"], "b"),
    ]).toEqual([true, false, true]);
    expect(store.value.value).toEqual({ map: { x: 1, b: 2 } });
  });

  test("reset discards everything", () => {
    const store = new FormStore(schema);
    store.enterText(["count"], "x", parseNumber("x", true));
    store.setProblems([{ path: ["name"], message: "missing" }]);
    store.reset();
    expect([store.value.value, store.problems.value, store.isIncomplete.value]).toEqual([
      { count: 3 },
      [],
      false,
    ]);
  });
});

describe("texts", () => {
  const enter = (store: FormStore, text: string) => store.enterText(["count"], text, parseNumber(text, true));

  test("a text without a value is kept, and is a problem", () => {
    const store = new FormStore(schema);
    enter(store, "12a");
    expect(store.drafts.value.get("/count")?.text).toBe("12a");
    expect(store.problems.value).toEqual([
      { path: ["count"], owner: ["count"], message: 'The value must be an integer; got "12a".' },
    ]);
    expect(store.isIncomplete.value).toBe(true);
    enter(store, "12");
    expect([store.value.value, store.problems.value, store.isIncomplete.value]).toEqual([
      { count: 12 },
      [],
      false,
    ]);
  });

  test("the text of a valid value is kept too, until the value changes", () => {
    const store = new FormStore(schema);
    enter(store, "5.0");
    expect([store.drafts.value.get("/count")?.text, store.isIncomplete.value]).toEqual(["5.0", false]);
    store.set(["count"], 7);
    expect(store.drafts.value.size).toBe(0);
  });

  test("an empty text removes a member, but not an element", () => {
    const store = new FormStore({ properties: { count: {}, list: {} } }, { value: { count: 1, list: [1] } });
    enter(store, "");
    store.enterText(["list", 0], "", parseNumber("", true));
    expect(store.value.value).toEqual({ list: [1] });
    expect(store.problems.value).toHaveLength(1);
  });

  test("removing an element discards the texts of the list", () => {
    const store = new FormStore({ properties: { list: {} } }, { value: { list: [1, 2] } });
    store.enterText(["list", 1], "x", parseNumber("x", true));
    store.remove(["list", 0]);
    expect([store.value.value, store.drafts.value.size]).toEqual([{ list: [2] }, 0]);
  });
});

describe("unions", () => {
  const shape = {
    properties: {
      shape: {
        oneOf: [
          { properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] },
          { properties: { kind: { const: "box" }, w: { type: "number" } }, required: ["kind"] },
        ],
      },
    },
    required: ["shape"],
  };
  const unionOf = (store: FormStore): ShownUnion => {
    const member = store.field.kind === "object" ? store.field.properties[0]?.field() : undefined;
    // Safe: the schema has a union.
    return { field: member as UnionField, path: ["shape"], nesting: 0 };
  };

  test("selecting a variant sets its constants, and coming back restores the value", () => {
    const store = new FormStore(shape);
    const union = unionOf(store);
    expect([store.variantOf(union), store.value.value]).toEqual([0, { shape: { kind: "circle" } }]);
    store.set(["shape", "r"], 5);
    store.selectVariant(union, 1);
    expect([store.variantOf(union), store.value.value]).toEqual([1, { shape: { kind: "box" } }]);
    store.set(["shape", "w"], 9);
    store.selectVariant(union, 0);
    expect(store.value.value).toEqual({ shape: { kind: "circle", r: 5 } });
    store.selectVariant(union, 1);
    expect(store.value.value).toEqual({ shape: { kind: "box", w: 9 } });
  });

  test("the selection stays while the user edits, and follows JSON", () => {
    const store = new FormStore(shape);
    const union = unionOf(store);
    store.selectVariant(union, 1);
    store.remove(["shape", "kind"]);
    expect(store.variantOf(union)).toBe(1);
    store.editJson('{"shape": {"kind": "circle"}}');
    expect(store.variantOf(union)).toBe(0);
  });

  test("a variant that does not exist has no effect", () => {
    const store = new FormStore(shape);
    store.selectVariant(unionOf(store), 7);
    expect(store.variantOf(unionOf(store))).toBe(0);
  });
});

describe("problems", () => {
  test("are shown at their field, or at the closest field around them", () => {
    const store = new FormStore(schema, { value: { tags: ["a"] } });
    store.setProblems([
      { path: ["name"], message: "required" },
      { path: ["tags", 0], message: "too short" },
      { path: ["unknown", "x"], message: "not allowed" },
    ]);
    expect([...store.messages.value]).toEqual([
      ["/name", ["required"]],
      ["/tags/0", ["too short"]],
      ["", ["unknown.x: not allowed"]],
    ]);
  });

  test("disappear when the user edits their field", () => {
    const store = new FormStore(schema);
    store.setProblems([
      { path: ["name"], message: "required" },
      { path: ["count"], message: "too small" },
    ]);
    store.set(["name"], "a");
    expect(store.problems.value.map(({ message }) => message)).toEqual(["too small"]);
  });
});

describe("JSON", () => {
  test("shows the value, and valid texts change it", () => {
    const store = new FormStore(schema);
    store.showJson();
    expect(store.jsonText.value).toBe('{\n  "count": 3\n}');
    store.editJson('{"count":4}');
    expect(store.value.value).toEqual({ count: 4 });
    store.showForm();
    store.showJson();
    expect(store.jsonText.value).toBe('{"count":4}');
    store.showForm();
    store.set(["count"], 5);
    store.showJson();
    expect(store.jsonText.value).toBe('{\n  "count": 5\n}');
  });

  test("a text with an error is not lost, and neither is the form", () => {
    const store = new FormStore(schema);
    store.set(["name"], "Ada");
    store.showJson();
    store.editJson('{"name": ');
    expect([store.jsonError.value !== undefined, store.isIncomplete.value]).toEqual([true, true]);
    store.showForm();
    expect([store.value.value, store.isIncomplete.value]).toEqual([{ count: 3, name: "Ada" }, false]);
    store.set(["name"], "Grace");
    store.showJson();
    expect(store.jsonText.value).toBe('{"name": ');
    store.discardJson();
    expect(parseJsonText(store.jsonText.value)).toEqual({ ok: true, value: { count: 3, name: "Grace" } });
    expect(store.jsonError.value).toBeUndefined();
  });

  test("the form is not offered for a value with too many fields", () => {
    const value = { tags: Array.from({ length: 3_000 }, () => "x") };
    const store = new FormStore(schema, { value });
    expect([store.isTooLarge.value, store.mode.value]).toEqual([true, "json"]);
    store.showForm();
    expect(store.mode.value).toBe("json");
    store.editJson("{}");
    store.showForm();
    expect(store.mode.value).toBe("form");
  });
});

test("the name and size of a file are known until its value changes", () => {
  const store = new FormStore({ properties: { file: { type: "string", format: "byte" } } });
  store.setFile(["file"], "QUJD", { name: "a.txt", size: 3 });
  expect([store.value.value, store.files.value.get("/file")]).toEqual([
    { file: "QUJD" },
    { name: "a.txt", size: 3 },
  ]);
  store.set(["file"], "QQ==");
  expect(store.files.value.size).toBe(0);
});
