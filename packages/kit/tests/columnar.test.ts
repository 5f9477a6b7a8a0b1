import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toColumnar, toShape } from "../src/index.js";

describe("Z29: toColumnar", () => {
  test("lists columns once, in order of first appearance; missing values are null", () => {
    expect(
      toColumnar([
        { id: 1, name: "Ada" },
        { id: 2, born: 1906 },
      ]),
    ).toEqual({
      columns: ["id", "name", "born"],
      rows: [
        [1, "Ada", null],
        [2, null, 1906],
      ],
    });
  });

  test("uses the given columns in the given order", () => {
    expect(toColumnar([{ a: 1, b: 2, c: 3 }], { columns: ["c", "a", "z"] })).toEqual({
      columns: ["c", "a", "z"],
      rows: [[3, 1, null]],
    });
  });

  test("converts objects to JSON, dates to text, and NaN to null", () => {
    const item = {
      list: [1, 2],
      at: new Date(0),
      never: new Date(Number.NaN),
      odd: Number.NaN,
      none: undefined,
    };
    expect(toColumnar([item]).rows).toEqual([["[1,2]", "1970-01-01T00:00:00.000Z", null, null, null]]);
  });

  test("accepts a custom cell function", () => {
    const { rows } = toColumnar([{ a: [1] }], { cell: (value, column) => ({ column, value }) });
    expect(rows).toEqual([[{ column: "a", value: [1] }]]);
  });

  test("an empty list has no columns", () => {
    expect(toColumnar([])).toEqual({ columns: [], rows: [] });
    expect(toColumnar([{}])).toEqual({ columns: [], rows: [[]] });
  });

  test("ignores inherited members", () => {
    expect(toColumnar([{ a: 1 }], { columns: ["constructor", "toString", "__proto__"] }).rows).toEqual([
      [null, null, null],
    ]);
  });

  test("objects of plain values can be restored from the table", () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string({ minLength: 1 }), value)), (items) => {
        const { columns, rows } = toColumnar(items);
        const back = rows.map((row) =>
          Object.fromEntries(
            columns.flatMap((column, index) => (row[index] === null ? [] : [[column, row[index]]])),
          ),
        );
        expect(back).toEqual(items.map((item) => ({ ...item })));
      }),
    );
  });

  test("is smaller than the objects", () => {
    const items = Array.from({ length: 50 }, (_, id) => ({ id, subject: `Message ${id}`, unread: true }));
    expect(JSON.stringify(toColumnar(items)).length).toBeLessThan(0.6 * JSON.stringify(items).length);
  });
});

test("Z29: toShape returns objects unless a table is requested", () => {
  const items = [{ id: "1" }];
  expect(toShape(items)).toEqual({ type: "success", shape: "objects", items });
  expect(toShape(items, "arrays")).toEqual({
    type: "success",
    shape: "arrays",
    columns: ["id"],
    rows: [["1"]],
  });
});
