import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "../../../page/backend/backend-link.js";

describe("LineSplitter", () => {
  test.each([
    [["a\nb\n"], ["a", "b"]],
    [["a", "b\n", "c"], ["ab"]],
    [["a\n\n\nb\n"], ["a", "b"]],
    [["\n", "a\n"], ["a"]],
    [
      ["a\nb", "c\nd\ne", "\n"],
      ["a", "bc", "d", "e"],
    ],
  ])("chunks %j contain the lines %j", (chunks, lines) => {
    const splitter = new LineSplitter();
    expect(chunks.flatMap((chunk) => splitter.push(chunk))).toEqual(lines);
  });

  test("the lines do not depend on the chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 5 }), (texts, size) => {
        const lines = texts.map((text) => text.replaceAll("\n", " "));
        const all = lines.map((one) => `${one}\n`).join("");
        const splitter = new LineSplitter();
        const found: string[] = [];
        for (let at = 0; at < all.length; at += size) found.push(...splitter.push(all.slice(at, at + size)));
        expect(found).toEqual(lines.filter((one) => one !== ""));
      }),
    );
  });
});
