import { h } from "preact";
import { describe, expect, test } from "vitest";
import { FormStore } from "../../src/form/form-store.js";
import { SchemaForm } from "../../src/form/schema-form.js";
import { mount, type SmallElement } from "../support/small-dom.js";

function show(schema: unknown, value?: unknown) {
  const store = new FormStore(schema, { value });
  return { store, ...mount(h(SchemaForm, { store, label: "Arguments" })) };
}

const CONTROLS = new Set(["input", "select", "textarea"]);
const isControl = ({ localName }: SmallElement) => CONTROLS.has(localName);

/** Returns the name of a control for screen readers. */
function nameOf(root: SmallElement, control: SmallElement): string {
  const own = control.attributes.get("aria-label");
  if (own !== undefined) return own;
  const id = control.attributes.get("id");
  const label = root.all(({ attributes }) => id !== undefined && attributes.get("for") === id)[0];
  if (label !== undefined) return label.text;
  for (let around = control.parentNode; around !== null; around = around.parentNode) {
    if (around.localName === "label") return around.text;
  }
  return "";
}

const everything = {
  type: "object",
  properties: {
    text: { type: "string" },
    number: { type: "number" },
    flag: { type: "boolean" },
    choice: { enum: ["a", "b"] },
    choices: { type: "array", items: { enum: ["x", "y"] } },
    day: { type: "string", format: "date" },
    file: { type: "string", format: "byte" },
    any: {},
    nullable: { type: ["string", "null"] },
    object: { type: "object", properties: { inner: { type: "string" } }, required: ["inner"] },
    list: { type: "array", items: { type: "string" }, minItems: 1 },
    map: { type: "object", additionalProperties: { type: "string" } },
    union: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  required: ["text", "object", "list", "union"],
};

describe("the form of a schema", () => {
  test("every control has a name, and no two elements have the same ID", () => {
    const { root } = show(everything, { list: ["a"], object: {}, map: { k: "v" }, union: "x", text: 5 });
    const controls = root.all(isControl);
    expect(controls.length).toBeGreaterThan(20);
    expect(controls.filter((control) => nameOf(root, control).trim() === "")).toEqual([]);
    const ids = root.all().flatMap(({ attributes }) => attributes.get("id") ?? []);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("names that differ only by unusual characters have different IDs without spaces", () => {
    const names = ["a b", "a_b", "a/b", "a~1b", "éa", "ບ", "a.20.b", "__proto__", "", '"><img src=x>'];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const { root } = show({ type: "object", properties });
    const ids = root.all(isControl).flatMap(({ attributes }) => attributes.get("id") ?? []);
    expect(new Set(ids).size).toBe(names.length);
    expect(ids.filter((id) => /\s/.test(id))).toEqual([]);
    expect(root.all(({ localName }) => localName === "img")).toEqual([]);
  });

  test("required members are marked, and optional ones can be left out", () => {
    const { root } = show(everything);
    const byName = (name: string) => root.all(isControl).find((control) => nameOf(root, control) === name);
    expect(byName("text*")?.attributes.get("aria-required")).toBe("true");
    expect(byName("number")?.attributes.has("aria-required")).toBe(false);
    expect([byName("Include number") !== undefined, byName("Include text") !== undefined]).toEqual([
      true,
      false,
    ]);
  });

  test("entering something changes the value, and problems are shown at their field", async () => {
    const { root, store, settle } = show(everything);
    const input = root.all(isControl).find((control) => nameOf(root, control) === "text*");
    if (input === undefined) throw new Error("There is no input.");
    Object.assign(input, { value: "Ada" });
    input.send("input");
    expect(store.value.value).toMatchObject({ text: "Ada" });
    store.setProblems([{ path: ["text"], message: "is too short" }]);
    await settle();
    const described = input.attributes.get("aria-describedby") ?? "";
    const error = root.all(({ attributes }) => attributes.get("id") === described)[0];
    expect([input.attributes.get("aria-invalid"), error?.text]).toEqual(["true", "is too short"]);
  });

  test("a date that the user clears is not set", () => {
    const { root, store } = show(everything, { day: "1999-12-31", list: [""] });
    const input = root.all(isControl).find((control) => nameOf(root, control) === "day");
    if (input === undefined) throw new Error("There is no input.");
    Object.assign(input, { value: "" });
    input.send("input");
    expect(store.value.value).toEqual({ list: [""] });
  });

  test("hostile texts of a schema stay text", () => {
    const text = "<script>alert(1)</script>";
    const { root } = show({
      type: "object",
      properties: { a: { type: "string", title: text, description: text, examples: [text], pattern: text } },
    });
    expect(root.all(({ localName }) => localName === "script")).toEqual([]);
    expect(root.text).toContain(text);
  });
});
