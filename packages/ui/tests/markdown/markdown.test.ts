import { describe, expect, test } from "vitest";
import { decodeEntities } from "../../src/markdown/entities.js";
import type { BlockNode, InlineNode } from "../../src/markdown/markdown-node.js";
import { MAX_LENGTH, parseMarkdown } from "../../src/markdown/parse.js";

/** Parses without a time limit, so that the result does not depend on the machine. */
const parse = (source: string) => parseMarkdown(source, { now: () => 0 });
const text = (value: string): InlineNode => ({ type: "text", text: value });
const paragraph = (...children: readonly InlineNode[]): BlockNode => ({ type: "paragraph", children });
const link = (url: string, ...children: readonly InlineNode[]): InlineNode => ({
  type: "link",
  url,
  isImage: false,
  children,
});

describe("Markdown", () => {
  const cases: readonly (readonly [string, string, readonly BlockNode[]])[] = [
    [
      "headings",
      "## Title *x*",
      [{ type: "heading", level: 2, children: [text("Title "), { type: "em", children: [text("x")] }] }],
    ],
    [
      "emphasis",
      "**a** _b_ ~~c~~ `d`",
      [
        paragraph(
          { type: "strong", children: [text("a")] },
          text(" "),
          { type: "em", children: [text("b")] },
          text(" "),
          { type: "del", children: [text("c")] },
          text(" "),
          { type: "code", text: "d" },
        ),
      ],
    ],
    ["code", "```ts {1}\nlet a;\n```", [{ type: "code", text: "let a;", language: "ts" }]],
    ["quotes", "> a", [{ type: "quote", children: [paragraph(text("a"))] }]],
    ["rules", "---", [{ type: "rule" }]],
    ["hard breaks", "a  \nb", [paragraph(text("a"), { type: "break" }, text("b"))]],
    [
      "escapes and entities",
      "\\*a\\* &lt;b&gt; &copy;",
      [paragraph(text("*"), text("a"), text("*"), text(" <b> ©"))],
    ],
    ["links", "[a](https://example.com)", [paragraph(link("https://example.com/", text("a")))]],
    [
      "bare URLs",
      "https://example.com/x",
      [paragraph(link("https://example.com/x", text("https://example.com/x")))],
    ],
    [
      "images, as links",
      "![alt](https://example.com/a.png)",
      [paragraph({ type: "link", url: "https://example.com/a.png", isImage: true, children: [text("alt")] })],
    ],
  ];

  test.each(cases)("renders %s", (_title, source, blocks) => {
    expect(parse(source)).toEqual({ blocks, note: undefined });
  });

  test("renders nested lists and task lists", () => {
    expect(parse("3. a\n   - [x] b\n   - [ ] c").blocks).toEqual([
      {
        type: "list",
        start: 3,
        items: [
          {
            isChecked: undefined,
            children: [
              { type: "line", children: [text("a")] },
              {
                type: "list",
                start: undefined,
                items: [
                  { isChecked: true, children: [{ type: "line", children: [text("b")] }] },
                  { isChecked: false, children: [{ type: "line", children: [text("c")] }] },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  test("renders loose task lists", () => {
    const [list] = parse("- [x] a\n\n- [ ] b").blocks;
    expect(list).toMatchObject({
      type: "list",
      items: [
        { isChecked: true, children: [{ type: "paragraph", children: [{ type: "text", text: "a" }] }] },
        { isChecked: false, children: [{ type: "paragraph", children: [{ type: "text", text: "b" }] }] },
      ],
    });
  });

  test("renders tables", () => {
    expect(parse("| a | b |\n|---|--:|\n| **1** | 2 |").blocks).toEqual([
      {
        type: "table",
        align: [undefined, "right"],
        header: [[text("a")], [text("b")]],
        rows: [[[{ type: "strong", children: [text("1")] }], [text("2")]]],
      },
    ]);
  });
});

describe("hostile Markdown", () => {
  test.each([
    ["a script", "<script>alert(1)</script>"],
    ["an image with a handler", "<img src=x onerror=alert(1)>"],
    ["a comment", "<!-- a -->"],
    ["inline HTML", "a <b onclick=x>b</b> c"],
    ["a frame", "<iframe src='javascript:alert(1)'></iframe>"],
  ])("%s is text", (_title, source) => {
    expect(textOf(parse(source).blocks)).toBe(source);
    expect(JSON.stringify(parse(source).blocks)).not.toContain('"link"');
  });

  test.each([
    "[a](javascript:alert(1))",
    "[a](JAVASCRIPT:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "[a](/relative)",
    "[a][ref]\n\n[ref]: javascript:alert(1)",
    "![a](javascript:alert(1))",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
  ])("%s is not a link", (source) => {
    expect(parse(source).blocks).toEqual([paragraph(text("a"))]);
  });

  test("a long text is cut with a note", () => {
    const { blocks, note } = parse("word\n".repeat(MAX_LENGTH));
    expect(note).toBe("The text is cut (limit: 100,000 characters).");
    expect(textOf(blocks).length).toBeLessThanOrEqual(MAX_LENGTH);
  });

  const repeated: readonly (readonly [string, string])[] = [
    ["quotes", "> ".repeat(50_000)],
    ["quotes without spaces", `${">".repeat(100_000)}a`],
    ["lists on one line", `${"- ".repeat(50_000)}a`],
    ["numbered lists on one line", `${"1. ".repeat(30_000)}a`],
    ["nested lists", Array.from({ length: 400 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n")],
    ["quotes in lists", Array.from({ length: 300 }, (_, level) => `${"  ".repeat(level)}- > a`).join("\n")],
    ["brackets", "[".repeat(100_000)],
    ["closed brackets", `${"[".repeat(30_000)}a${"]".repeat(30_000)}`],
    ["images", "![".repeat(50_000)],
    ["links", "[a](".repeat(25_000)],
    ["links with parentheses", `[a](${"(".repeat(90_000)}`],
    ["stars", "*".repeat(100_000)],
    ["emphasis", "*a ".repeat(30_000)],
    ["alternating emphasis", "*a _b ".repeat(15_000)],
    ["strong emphasis", "**a ".repeat(25_000)],
    ["closed emphasis", `${"*a ".repeat(10_000)}${"a* ".repeat(10_000)}`],
    ["underscores", "_a __b ".repeat(14_000)],
    ["tildes", "~~a ".repeat(25_000)],
    ["backticks", Array.from({ length: 400 }, (_, count) => "`".repeat(count)).join(" ")],
    ["angle brackets", "<a ".repeat(30_000)],
    ["tags", "<a href='".repeat(10_000)],
    ["comments", "<!--".repeat(25_000)],
    ["entities", "&a".repeat(50_000)],
    ["definitions", "[a]: x\n".repeat(14_000)],
    ["references", `${"[a]".repeat(30_000)}\n\n[a]: https://example.com`],
    ["table cells", `|${"a|".repeat(20_000)}\n|${"-|".repeat(20_000)}\n|${"a|".repeat(5_000)}`],
    ["table rows", `|a|\n|-|\n${"|a|\n".repeat(20_000)}`],
    ["headings", "# a\n".repeat(25_000)],
    ["setext headings", "a\n".repeat(45_000) + "="],
    ["e-mail addresses", "a@".repeat(50_000)],
    ["URLs", "http://a.".repeat(11_000)],
    ["URL with parentheses", `https://a.b/${")".repeat(90_000)}`],
    ["spaces", `a${" ".repeat(99_000)}b`],
    ["empty lines", "\n".repeat(100_000)],
    ["backslashes", "\\".repeat(100_000)],
    ["tabs", "\t-".repeat(50_000)],
    ["list with many items", "- a\n".repeat(25_000)],
    ["fences", "```\n".repeat(25_000)],
    ["control characters", "\u0000\u0001\u001b[31m".repeat(20_000)],
  ];

  test.each([
    ...repeated,
    ["tasks", "- [ ] a\n".repeat(12_000)],
    ["closed strong emphasis", `${"**a ".repeat(1_200)}${" b**".repeat(1_200)}\n\n`.repeat(10)],
    ["lazy quotes", "> a\nb\n".repeat(16_000)],
    ["long local parts", `${"a".repeat(9_900)}@\n\n`.repeat(10)],
    ["empty table cells", `|${"a|".repeat(10_000)}\n|${"-|".repeat(10_000)}\n${"a\n".repeat(20_000)}`],
    ["narrow table rows", `a|b|c|d\n-|-|-|-\n${"a\n".repeat(45_000)}`],
    ["tables", "a|b\n-|-\n1|2\n\n".repeat(7_000)],
  ] as const)("many %s are parsed in a short time, to a bounded number of nodes", (_title, source) => {
    const start = performance.now();
    const { blocks } = parseMarkdown(source);
    // The parser stops after half a second. The limit is generous, because the machine may be busy.
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(countNodes(blocks)).toBeLessThanOrEqual(60_000);
    expect(depthOf(blocks)).toBeLessThanOrEqual(120);
  });

  test("a text that takes too long is shown without formatting", () => {
    let time = 0;
    const slow = { now: () => (time += 10) };
    const source = "a *b*\n\n".repeat(1_000);
    expect(parseMarkdown(source, slow)).toEqual({
      blocks: [{ type: "code", text: source, language: "" }],
      note: "The text takes too long to parse. It is shown without formatting.",
    });
  });

  test("paragraphs after the time limit are shown without formatting", () => {
    let calls = 0;
    // The time is over in the second step, which starts after about 200 blocks.
    const { blocks, note } = parseMarkdown("*a*\n\n".repeat(100), { now: () => (++calls > 300 ? 9_999 : 0) });
    expect(note).toBe("The text takes too long to parse. It is shown without formatting.");
    expect([blocks[0], blocks.at(-1)]).toEqual([
      paragraph({ type: "em", children: [text("a")] }),
      paragraph(text("*a*")),
    ]);
  });

  test("deep nesting is shown as text with a note", () => {
    const source = Array.from({ length: 40 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
    expect(parse(source).note).toBe("Some parts nest too deeply. They are shown without formatting.");
    expect(parse(`${"> ".repeat(30)}a`)).toEqual({
      blocks: [{ type: "code", text: `${"> ".repeat(30)}a`, language: "" }],
      note: "The text nests too deeply. It is shown without formatting.",
    });
  });

  test("a table whose rows would be filled up to countless cells stays text", () => {
    const table = (columns: number, rows: number) =>
      `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n${"b\n".repeat(rows)}`;
    expect(parse(table(10, 500)).blocks.map(({ type }) => type)).toEqual(["table"]);
    const { blocks } = parse(table(200, 500));
    expect(blocks.map(({ type }) => type)).toEqual(["paragraph"]);
    expect(textOf(blocks).trim()).toBe(table(200, 500).trim());
  });

  test("a large text after a small table does not change the table", () => {
    const source = `a|b\n-|-\n1|2\n\n${"text\n".repeat(15_000)}`;
    expect(parse(source).blocks[0]?.type).toBe("table");
  });

  test("a long paragraph is shown as text with a note", () => {
    const source = "*a* ".repeat(5_000);
    const { blocks, note } = parse(source);
    expect(note).toBe("Some paragraphs are too long. They are shown without formatting.");
    expect(textOf(blocks).trim()).toBe(source.trim());
  });
});

describe("decodeEntities", () => {
  test.each([
    ["&amp;&lt;&#65;&#x42;", "&<AB"],
    ["&unknown; &constructor; &", "&unknown; &constructor; &"],
    ["&#0;&#xD800;&#9999999;", "\ufffd\ufffd\ufffd"],
    ["&amp;lt;", "&lt;"],
  ])("decodes the references in %j", (source, expected) => {
    expect(decodeEntities(source)).toBe(expected);
  });
});

/** Returns the text of all nodes. */
function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node !== "object" || node === null) return "";
  const own = "text" in node && typeof node.text === "string" ? node.text : "";
  return own + Object.values(node).map(textOf).join("");
}

function countNodes(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return Object.values(node).reduce((sum: number, child) => sum + countNodes(child), 1);
}

function depthOf(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return 1 + Object.values(node).reduce((deepest: number, child) => Math.max(deepest, depthOf(child)), 0);
}
