import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rowAt, rowWindow, scrollToShow, topOf } from "../../src/components/collections/row-window.js";

const tall = fc
  .uniqueArray(fc.record({ index: fc.nat(200), extra: fc.integer({ min: 1, max: 300 }) }), {
    selector: ({ index }) => index,
    maxLength: 5,
  })
  .map((rows) => rows.toSorted((a, b) => a.index - b.index));

describe("rowWindow", () => {
  test("renders the visible rows and a few around them", () => {
    expect(rowWindow({ count: 1_000, rowHeight: 20 }, { scrollTop: 2_000, height: 200 })).toEqual({
      start: 92,
      end: 119,
      before: 1_840,
      after: (1_000 - 119) * 20,
    });
  });

  test.each([
    ["an empty list", 0, 0, { start: 0, end: 0, before: 0, after: 0 }],
    ["a list that fits", 5, 0, { start: 0, end: 5, before: 0, after: 0 }],
    ["a position after the end", 50, 99_999, { start: 50, end: 50, before: 1_000, after: 0 }],
  ])("handles %s", (_title, count, scrollTop, expected) => {
    expect(rowWindow({ count, rowHeight: 20 }, { scrollTop, height: 200 })).toEqual(expected);
  });

  test("never renders more rows than fit, regardless of the number of rows", () => {
    const { start, end } = rowWindow(
      { count: 1_000_000, rowHeight: 28 },
      { scrollTop: 14_000_000, height: 800 },
    );
    expect(end - start).toBeLessThan(50);
  });

  test("the spaces and the rendered rows always have the height of the list", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(20_000), tall, (count, scrollTop, rows) => {
        const heights = { count, rowHeight: 22, tallRows: rows.filter(({ index }) => index < count) };
        const { start, end, before, after } = rowWindow(heights, { scrollTop, height: 300 });
        const rendered = topOf(heights, end) - topOf(heights, start);
        expect(before + rendered + after).toBe(topOf(heights, count));
      }),
    );
  });
});

describe("tall rows", () => {
  const heights = { count: 10, rowHeight: 20, tallRows: [{ index: 2, extra: 100 }] };

  test("move the rows after them", () => {
    expect([topOf(heights, 2), topOf(heights, 3), topOf(heights, 10)]).toEqual([40, 160, 300]);
  });

  test("rowAt is the inverse of topOf", () => {
    fc.assert(
      fc.property(fc.nat(250), tall, (index, tallRows) => {
        const list = { count: 300, rowHeight: 22, tallRows };
        expect(rowAt(list, topOf(list, index))).toBe(index);
        expect(rowAt(list, topOf(list, index + 1) - 1)).toBe(index);
      }),
    );
  });
});

describe("scrollToShow", () => {
  const heights = { count: 100, rowHeight: 20 };

  test.each([
    ["a visible row", 7, 100],
    ["a row above", 2, 40],
    ["a row below", 30, 420],
    ["the last row", 99, 1_800],
  ])("shows %s with the least movement", (_title, index, expected) => {
    expect(scrollToShow(heights, index, { scrollTop: 100, height: 200 })).toBe(expected);
  });

  test("shows the top of a row that is taller than the viewport", () => {
    const list = { ...heights, tallRows: [{ index: 20, extra: 500 }] };
    expect(scrollToShow(list, 20, { scrollTop: 0, height: 200 })).toBe(400);
  });
});
