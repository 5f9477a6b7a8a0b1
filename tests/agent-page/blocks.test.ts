import * as fc from "fast-check";
import { expect, test } from "vitest";
import { blocks } from "./page-modules.js";

const short = (text: string) => blocks.toBlocks(text).map(({ kind, lines }) => [kind, ...lines]);

test.each([
  ["", []],
  [
    "one\ntwo\n\nthree",
    [
      ["paragraph", "one", "two"],
      ["paragraph", "three"],
    ],
  ],
  [
    "# Title\ntext",
    [
      ["heading", "Title"],
      ["paragraph", "text"],
    ],
  ],
  ["- a\n* b\n\n- c", [["bullets", "a", "b", "c"]]],
  ["1. a\n2) b", [["numbers", "a", "b"]]],
  [
    "```ts\nconst a = 1;\n\n# no title\n```\nafter",
    [
      ["code", "const a = 1;", "", "# no title"],
      ["paragraph", "after"],
    ],
  ],
  ["```\nnot closed yet", [["code", "not closed yet"]]],
  ["#no -heading\n-no list", [["paragraph", "#no -heading", "-no list"]]],
  ["<b>stays</b>", [["paragraph", "<b>stays</b>"]]],
])("parses %j into blocks", (text, expected) => {
  expect(short(text)).toEqual(expected);
});

test("finds code and bold text in a line, and keeps unclosed markers as text", () => {
  expect(blocks.toSpans("a `b` **c** `d **e")).toEqual([
    { kind: "text", text: "a " },
    { kind: "code", text: "b" },
    { kind: "text", text: " " },
    { kind: "bold", text: "c" },
    { kind: "text", text: " `d **e" },
  ]);
});

test("keeps every character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "#", "-", "`", "*", "1", ".") }),
      (text) => {
        const letters = (value: string) => value.replaceAll(/[^ab]/g, "");
        const blocksOf = blocks.toBlocks(text);
        const fences = /^\s{0,3}```.*$/gm;
        expect(letters(blocksOf.flatMap(({ lines }) => lines).join("\n"))).toBe(
          letters(text.replaceAll(fences, "")),
        );
        for (const line of blocksOf.flatMap(({ lines }) => lines)) {
          expect(
            letters(
              blocks
                .toSpans(line)
                .map((span) => span.text)
                .join(""),
            ),
          ).toBe(letters(line));
        }
      },
    ),
    { numRuns: 500 },
  );
});
