import { describe, expect, test } from "vitest";
import {
  findJsDocs,
  findLongSentences,
  findSentences,
  startsWithQuestionWord,
  withoutRequirements,
} from "../../scripts/check-prose.js";

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
const lengths = (markdown: string) => findSentences(markdown).map((sentence) => sentence.words);

describe("sentences in the documentation", () => {
  test("a sentence with 36 words is reported, but one with 35 is not", () => {
    const page = `# Title\n\n${words(35)}.\n\nShort. ${words(36)}.\n`;
    expect(findLongSentences(page)).toEqual([{ line: 5, words: 36, text: `${words(36)}.` }]);
  });

  test.each([
    ["sentence ends", 'One two. Three? "Four five!" Six (seven.) Eight', [2, 1, 2, 2, 1]],
    ["abbreviations and file names", "Use Node.js, e.g. version 20.19, vs. others.", [7]],
    ["lines of one paragraph", "One two\nthree four.", [4]],
    ["paragraphs without a period", "One two\n\nthree", [2, 1]],
    ["headings", "## One two\nthree four five", [2, 3]],
    ["list items and their continuation", "- one two\n  three\n- four\n1. five six", [3, 1, 2]],
    ["block quotes", "> one two\n> three", [3]],
    [
      "table cells, without the separator",
      "| One | Two three |\n| --- | :-- |\n| four | five six |",
      [1, 2, 1, 2],
    ],
    ["code blocks", "One two:\n\n```ts\nconst a = 1;\n```\n\nThree.", [2, 1]],
    ["fences inside longer fences", "````md\n```ts\none two\n```\n````\nThree", [1]],
    ["inline code as one word", "Call `a(b, c) | d` and ``x ` y`` now.", [5]],
    ["bars in inline code", "| `a | b` | one \\| two |", [1, 2]],
    ["links by their text", "See [the guide](docs/a b.md) and ![a plot](x.svg).", [6]],
    ["comments and tags", "<!-- one two -->\nThree <b>four</b>", [2]],
    ["punctuation alone", "One – two — **three** … .", [3]],
  ])("counts %s", (_name, markdown, expected) => {
    expect(lengths(markdown)).toEqual(expected);
  });

  test("requirement lines are exempt, and other lines keep their numbers", () => {
    const page = `# Requirements\n\n- **F1** ${words(40)}.\n\n${words(36)}.\n`;
    expect(findLongSentences(withoutRequirements(page)).map(({ line }) => line)).toEqual([5]);
  });
});

describe("JSDoc comments", () => {
  test("are found with their first line, without stars and block tags", () => {
    const source = [
      "/**",
      " * @fileoverview Parses",
      " * frames.",
      " */",
      'const glob = "src/**/*.ts"; /* no JSDoc */',
      "interface A {",
      "  /** Size in bytes. */",
      "  readonly size: number;",
      "}",
    ].join("\n");
    expect(findJsDocs(source)).toEqual([
      { line: 1, text: "Parses frames." },
      { line: 7, text: "Size in bytes." },
    ]);
  });

  test.each([
    ["What a call returns.", true],
    ["Whether it ended.", true],
    ["All sessions.", true],
    ["Whatever is left.", false],
    ["Parses a frame.", false],
    ["Allowed origins.", false],
  ])("%s", (comment, expected) => {
    expect(startsWithQuestionWord(comment)).toBe(expected);
  });
});
