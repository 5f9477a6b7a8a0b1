import { describe, expect, test } from "vitest";
import { ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { TOOLS } from "../support/xml/tools.js";

/** Texts that are designed to be expensive to parse. */
const DEAR: readonly (readonly [string, string, string])[] = [
  ["text", "", "word "],
  ["unclosed tags", "<write_file><content>", "<content>"],
  ["unclosed tags with attributes", "<write_file><content>", "<content a='&"],
  ["less-than signs", "<write_file><content>", "<"],
  ["less-than signs outside a call", "", "<"],
  ["ampersands", "<write_file><content>", "&#x1&<"],
  ["incomplete closing tags", "<write_file><content>", "</content "],
  ["spaces", "<write_file><content>", " "],
  ["line breaks", "<write_file><content>", "\n \r\n"],
  ["lines and spaces", "<write_file><content>", "a\n   "],
  ["brackets in CDATA", "<write_file><content><![CDATA[", "]]"],
  ["CDATA sections", "<write_file><content>", "<![CDATA[]]>"],
  ["beginnings of CDATA", "<write_file><content>", "<![CDATA<!"],
  ["comments", "<write_file>", "<!-- -- -->"],
  ["unclosed comments", "<write_file>", "<!--"],
  ["a name that never ends", "<write_file><", "n"],
  ["an attribute that never ends", "<write_file><content a='", "n"],
  ["digits", "<search><limit>", "1"],
  ["unknown tags", "<search>", "<x>"],
  ["elements", "<search><filters>", "<filter>a</filter>"],
  ["calls", "", "<ping/>"],
  ["lines", "", "words and words\n"],
  ["list markers", "", "- "],
  ["backticks", "", "` "],
  ["fences", "", "```\n<ping>\n"],
];

/** Texts that look like calls until the end, so that they are read again. */
const READ_AGAIN: readonly (readonly [string, string, string])[] = [
  ["mentions", "", "<search>\n"],
  ["mentions with attributes", "", "<search a='b'\n"],
  ["mentions of parameters", "", "<write_file><path>\n"],
  ["calls without required parameters", "", "<search><limit>1</limit></search>x\n"],
  ["nested mentions", "", "<search><filters>\n<search><limit>\n"],
  ["calls in inline code", "", "`\n<ping/>\n"],
  ["calls that may be in inline code", "`\n", "<ping/> `` \n"],
  [
    "backtick runs of different lengths",
    Array.from({ length: 100 }, (_, at) => "`".repeat(at + 1)).join(" "),
    "\n<ping/>",
  ],
];

function countSteps(text: string, size: number): number {
  let steps = 0;
  const onSteps = (count: number) => {
    steps += count;
  };
  const stream = new ToolCallStream(TOOLS, { maxTags: 10_000_000, maxLength: 10_000_000, onSteps });
  for (let at = 0; at < text.length; at += size) stream.feed(text.slice(at, at + size));
  stream.finish();
  return steps;
}

describe("scanner steps", () => {
  test.each(DEAR)("%s: the steps grow linearly with the length", (_title, start, filling) => {
    const textOf = (length: number) => start + filling.repeat(Math.ceil(length / filling.length));
    const [small, middle, large] = [10_000, 100_000, 1_000_000].map((length) => {
      const text = textOf(length);
      return countSteps(text, text.length) / text.length;
    });
    expect(large).toBeLessThanOrEqual(3);
    expect((large ?? 0) - (small ?? 0)).toBeLessThan(0.05);
    expect((large ?? 0) - (middle ?? 0)).toBeLessThan(0.05);
  });

  test.each(READ_AGAIN)("%s: the steps grow linearly with the length", (_title, start, filling) => {
    const perCharacter = [10_000, 100_000, 1_000_000].map((length) => {
      const text = start + filling.repeat(Math.ceil(length / filling.length));
      return countSteps(text, text.length) / text.length;
    });
    for (const steps of perCharacter) expect(steps).toBeLessThanOrEqual(15);
  });

  test("feeding single characters takes the same number of steps", () => {
    const text = `<write_file><content>${"if (a<b) &amp; \n".repeat(10_000)}`;
    expect(countSteps(text, 1)).toBe(countSteps(text, text.length));
  });
});
