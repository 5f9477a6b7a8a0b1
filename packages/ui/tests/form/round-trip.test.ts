import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FormStore } from "../../src/form/form-store.js";
import { parseNumber } from "../../src/form/model/text-values.js";

const order = {
  type: "object",
  properties: {
    customer: {
      type: "object",
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/Address" },
        vip: { type: "boolean", default: false },
      },
      required: ["name", "address"],
    },
    lines: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { sku: { enum: ["a", "b"] }, count: { type: "integer", minimum: 1 } },
        required: ["sku", "count"],
      },
    },
    payment: {
      oneOf: [
        { properties: { type: { const: "card" }, number: { type: "string" } }, required: ["type", "number"] },
        { properties: { type: { const: "cash" } }, required: ["type"] },
      ],
    },
    invoice: { type: "string", contentEncoding: "base64" },
    note: { type: ["string", "null"], default: null },
  },
  required: ["customer", "lines", "payment"],
  $defs: { Address: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
};

describe("a form for a nested schema", () => {
  test("starts with required members, defaults, and the smallest list", () => {
    expect(new FormStore(order).value.value).toEqual({
      customer: { address: {}, vip: false },
      lines: [{}],
      payment: { type: "card" },
      note: null,
    });
  });

  test("has the same value in the form and in the JSON text", () => {
    const store = new FormStore(order);
    store.set(["customer", "name"], "Ada");
    store.set(["customer", "address", "city"], "London");
    store.set(["lines", 0, "sku"], "b");
    store.enterText(["lines", 0, "count"], "2", parseNumber("2", true));
    store.append(["lines"], { sku: "a", count: 1 });
    store.setFile(["invoice"], "QUJD", { name: "a.pdf", size: 3 });
    store.set(["note"], "");
    store.showJson();
    const value: unknown = JSON.parse(store.jsonText.value);
    expect(value).toEqual({
      customer: { address: { city: "London" }, vip: false, name: "Ada" },
      lines: [
        { sku: "b", count: 2 },
        { sku: "a", count: 1 },
      ],
      payment: { type: "card" },
      invoice: "QUJD",
      note: "",
    });
    store.editJson(JSON.stringify({ ...(value as object), payment: { type: "cash" } }));
    store.showForm();
    expect(store.value.value).toMatchObject({ payment: { type: "cash" }, note: "" });
    expect(store.isIncomplete.value).toBe(false);
  });
});

test("any JSON value survives the way to the text and back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as unknown;
      const store = new FormStore({}, { value: json });
      store.showJson();
      const text = store.jsonText.value;
      store.reset(null);
      store.editJson(text);
      expect(store.value.value).toEqual(json);
      expect(JSON.stringify(store.value.value)).toBe(JSON.stringify(json));
    }),
  );
});

describe("changes of one field", () => {
  const schema = {
    properties: {
      map: { additionalProperties: { type: "number" } },
      list: { type: "array", items: { type: "number" } },
    },
  };

  test("leaving the name of an entry unchanged keeps texts that have no value", () => {
    const store = new FormStore(schema, { value: { map: { a: 1, b: 2 } } });
    store.enterText(["map", "a"], "1x", parseNumber("1x", false));
    expect(store.rename(["map", "b"], "b")).toBe(true);
    expect(store.drafts.value.get("/map/a")?.text).toBe("1x");
  });

  test("adding an element keeps the texts of the others, and removes the problem of the list", () => {
    const store = new FormStore(schema, { value: { list: [1] } });
    store.enterText(["list", 0], "1x", parseNumber("1x", false));
    store.setProblems([
      { path: ["list"], message: "too short" },
      { path: ["list", 0], message: "too small" },
    ]);
    store.append(["list"], 2);
    expect(store.value.value).toEqual({ list: [1, 2] });
    expect(store.problems.value.map(({ message }) => message)).toEqual([
      'The value must be a number; got "1x".',
      "too small",
    ]);
  });

  test("texts that have no value are no problem of the JSON text", () => {
    const store = new FormStore(schema, { value: { list: [1] } });
    store.enterText(["list", 0], "1x", parseNumber("1x", false));
    store.showJson();
    expect([store.problems.value, store.isIncomplete.value]).toEqual([[], false]);
    store.showForm();
    expect([store.problems.value.length, store.isIncomplete.value]).toEqual([1, true]);
  });
});
