import { describe, expect, test } from "vitest";
import { ValidationError } from "../../src/shared/errors.js";
import { read, TOOLS } from "../support/xml/tools.js";

const file = (content: string) => `<write_file><content>${content}</content></write_file>`;

/** Title, model output, and the parameters of the single call in it. */
const READ: readonly (readonly [string, string, object])[] = [
  ["one parameter", "<search><query>cats</query></search>", { query: "cats" }],
  [
    "numbers and booleans by declaration",
    "<search><query>1</query><limit>10</limit><exact>true</exact></search>",
    { query: "1", limit: 10, exact: true },
  ],
  [
    "repeated tags as an array",
    "<search><query>a</query><filters><filter>x</filter><filter>y</filter></filters></search>",
    { query: "a", filters: ["x", "y"] },
  ],
  [
    "a single element as an array",
    "<search><query>a</query><filters><filter>x</filter></filters></search>",
    { query: "a", filters: ["x"] },
  ],
  ["an empty array", "<search><query>a</query><filters></filters></search>", { query: "a", filters: [] }],
  [
    "an empty array in a self-closing tag",
    "<search><query>a</query><filters/></search>",
    { query: "a", filters: [] },
  ],
  [
    "an array with only whitespace",
    "<search><query>a</query><filters>\n </filters></search>",
    { query: "a", filters: [] },
  ],
  [
    "an array with one empty string",
    "<search><query>a</query><filters><filter></filter></filters></search>",
    { query: "a", filters: [""] },
  ],
  [
    "an array of empty tags",
    "<search><query>a</query><filters><filter/><filter /></filters></search>",
    { query: "a", filters: ["", ""] },
  ],
  [
    "the example from the requirements",
    `<search>
      <query>example query</query>
      <limit>10</limit>
      <filters>
        <filter>category:tech</filter>
        <filter>date:2024</filter>
      </filters>
    </search>`,
    { query: "example query", limit: 10, filters: ["category:tech", "date:2024"] },
  ],
  ["text before and after", "I will look.\n<search><query>a</query></search>\nWait.", { query: "a" }],
  [
    "an XML declaration before the call",
    '<?xml version="1.0"?>\n<search><query>a</query></search>',
    { query: "a" },
  ],
  ["parameters in any order", "<search><limit>1</limit><query>a</query></search>", { query: "a", limit: 1 }],
  ["an empty string", "<search><query></query></search>", { query: "" }],
  ["an empty string in a self-closing tag", "<search><query/></search>", { query: "" }],
  ["spaces around a word", "<search><query> a </query></search>", { query: " a " }],
  ["only spaces", "<search><query>  </query></search>", { query: "  " }],
  ["text on a separate line", "<search><query>\n  cats\n  </query></search>", { query: "  cats" }],
  ["the indentation of the first line", file("\n    return 1;\n"), { content: "    return 1;" }],
  ["intentional empty lines", file("\n\na\n\n"), { content: "\na\n" }],
  ["Windows line breaks", file("\r\na\r\nb\r\n"), { content: "a\r\nb" }],
  ["only line breaks", file("\n\n  \n"), { content: "" }],
  ["a comparison", file("if (a<b) return;"), { content: "if (a<b) return;" }],
  ["a loop", file("for (let i=0;i<n;i++) { x <<= 1 }"), { content: "for (let i=0;i<n;i++) { x <<= 1 }" }],
  ["generics", file("Map<string, List<int>> m;"), { content: "Map<string, List<int>> m;" }],
  ["JSX", file('<div className="x">{a}</div>'), { content: '<div className="x">{a}</div>' }],
  [
    "a page of HTML",
    file("<!DOCTYPE html>\n<html><!-- c --><body><br><p>x</body></html>"),
    { content: "<!DOCTYPE html>\n<html><!-- c --><body><br><p>x</body></html>" },
  ],
  ["a here-document", file("cat <<EOF > x\n$1\nEOF"), { content: "cat <<EOF > x\n$1\nEOF" }],
  ["logical operators", file("a < b && c > d"), { content: "a < b && c > d" }],
  ["SQL", file("SELECT 1 WHERE a <> b AND c <= 2"), { content: "SELECT 1 WHERE a <> b AND c <= 2" }],
  ["a regular expression", file(String.raw`/<\/?(\w+)>/g`), { content: String.raw`/<\/?(\w+)>/g` }],
  ["LaTeX", file(String.raw`$a<b$ \& c`), { content: String.raw`$a<b$ \& c` }],
  ["Markdown", file("# A\n\n```ts\nx<y>(z)\n```"), { content: "# A\n\n```ts\nx<y>(z)\n```" }],
  ["JSON", file('{"a":"<b>","c":[1]}'), { content: '{"a":"<b>","c":[1]}' }],
  ["a URL", file("http://h/?a=1&b=2&amp=3"), { content: "http://h/?a=1&b=2&amp=3" }],
  ["references, decoded once", file("&lt;b&gt; &amp;amp; &quot;&apos;"), { content: "<b> &amp; \"'" }],
  ["numeric references", file("&#65;&#x42;&#X43;&#128512;"), { content: "ABC😀" }],
  [
    "text that is not a reference",
    file("&nbsp; &foo; AT&T; a & b &; &"),
    { content: "&nbsp; &foo; AT&T; a & b &; &" },
  ],
  [
    "references to invalid characters",
    file("&#0; &#xD800; &#x110000; &#x;"),
    { content: "&#0; &#xD800; &#x110000; &#x;" },
  ],
  ["a reference to an intentional line break", file("&#10;a&#10;"), { content: "\na\n" }],
  ["a CDATA section", file("<![CDATA[if (a<b) </content>]]>"), { content: "if (a<b) </content>" }],
  ["a CDATA section on its own lines", file("\n  <![CDATA[\nx\n]]>\n  "), { content: "\nx\n" }],
  ["references in CDATA, which are not decoded", file("<![CDATA[&lt;]]>"), { content: "&lt;" }],
  ["brackets at the end of CDATA", file("<![CDATA[a[b[0]]]]>"), { content: "a[b[0]]" }],
  ["several CDATA sections", file("a<![CDATA[<]]>b<![CDATA[>]]>c"), { content: "a<b>c" }],
  ["the end of CDATA inside CDATA", file("<![CDATA[]]]]><![CDATA[>]]>"), { content: "]]>" }],
  ["an empty CDATA section", file("<![CDATA[]]>"), { content: "" }],
  ["text after CDATA", file("<![CDATA[a]]> b\n"), { content: "a b" }],
  ["text that only looks like CDATA", file("<![CDATA x]]>"), { content: "<![CDATA x]]>" }],
  ["attributes", '<search id="1"><query lang=en>a</query></search>', { query: "a" }],
  ["a > in an attribute", "<search><query note=\"a>b\" x='>'>a</query></search>", { query: "a" }],
  ["whitespace in tags", "<search ><query\n>a</query ></search\n>", { query: "a" }],
  [
    "a tag with the parameter's own name in its text",
    file("a <content>b</content> c"),
    { content: "a <content>b</content> c" },
  ],
  [
    "a tag with the parameter's own name and attributes",
    file('<content a="&lt;">b</content>'),
    { content: '<content a="<">b</content>' },
  ],
  ["an empty tag with the parameter's own name", file("x<content/>y"), { content: "x<content/>y" }],
  ["a longer tag", file("<contents>x</contents>"), { content: "<contents>x</contents>" }],
  ["a closing tag in a different case", file("</Content>"), { content: "</Content>" }],
  [
    "a call to another tool",
    file("<search><query>x</query></search>"),
    { content: "<search><query>x</query></search>" },
  ],
  ["the closing tag of the tool", file("</write_file>"), { content: "</write_file>" }],
  [
    "another parameter's tags",
    "<write_file><path><content>x</content></path><content>y</content></write_file>",
    { path: "<content>x</content>", content: "y" },
  ],
  ["a < before the closing tag", file("a <"), { content: "a <" }],
  ["an incomplete closing tag", file("x </content y"), { content: "x </content y" }],
  ["an incomplete opening tag", file("x <content y"), { content: "x <content y" }],
  [
    "a comment between parameters",
    "<search><!-- <query>b</query> --><query>a</query></search>",
    { query: "a" },
  ],
  ["a comment that ends in dashes", "<search><!-- a ---><query>a</query></search>", { query: "a" }],
  ["a comment in parameter text", file("<!-- a -->"), { content: "<!-- a -->" }],
  ["a number with whitespace", "<search><query/><limit>\n 10 \n</limit></search>", { query: "", limit: 10 }],
  ["a number with a sign", "<search><query/><limit>-1.5</limit></search>", { query: "", limit: -1.5 }],
  ["a number with an exponent", "<search><query/><limit>+1E3</limit></search>", { query: "", limit: 1000 }],
  [
    "a number without an integer part",
    "<search><query/><limit>.5</limit></search>",
    { query: "", limit: 0.5 },
  ],
  ["a number with leading zeros", "<search><query/><limit>007</limit></search>", { query: "", limit: 7 }],
  ["a number in CDATA", "<search><query/><limit><![CDATA[7]]></limit></search>", { query: "", limit: 7 }],
  ["a capitalized boolean", "<search><query/><exact> False </exact></search>", { query: "", exact: false }],
  [
    "objects in an array",
    "<plan><steps><step><title>a</title></step><step><title>b</title><minutes>5</minutes></step></steps></plan>",
    { steps: [{ title: "a" }, { title: "b", minutes: 5 }] },
  ],
  [
    "an array in an object in an array",
    "<plan><steps><step><tags><tag>x</tag></tags><title>a</title></step></steps></plan>",
    { steps: [{ title: "a", tags: ["x"] }] },
  ],
  [
    "an object",
    "<plan><owner><name>Ada</name><grade>1</grade></owner><steps/></plan>",
    { steps: [], owner: { name: "Ada", grade: 1 } },
  ],
  ["no parameters", "<ping></ping>", {}],
  ["no parameters in a self-closing tag", "<ping/>", {}],
  ["no parameters and a space in the tag", "<ping />", {}],
  ["no parameters and a line break", "<ping>\n</ping>", {}],
  [
    "non-Latin scripts, emoji, and control characters",
    file("猫 кот 😀 \u0000 \ud800"),
    { content: "猫 кот 😀 \u0000 \ud800" },
  ],
  ["a call after an incomplete tag", "<search\n<ping/>", {}],
];

/** Title, model output, and the error details. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ["a missing parameter", "<search></search>", "query: Required parameter is missing"],
  ["a missing string", "<write_file><path>a</path></write_file>", "content: Required parameter is missing"],
  ...(
    [
      ["a word", "ten"],
      ["a unit", "10px"],
      ["NaN", "NaN"],
      ["infinity", "Infinity"],
      ["hexadecimal", "0x10"],
      ["a thousands separator", "1,000"],
      ["an empty string", ""],
      ["a value out of range", "1e999"],
    ] as const
  ).map(
    ([title, text]) =>
      [
        `${title} for a number`,
        `<search><query>a</query><limit>${text}</limit></search>`,
        `limit: Expected a number; got "${text}"`,
      ] as const,
  ),
  [
    "a long word for a number",
    `<search><query>a</query><limit>${"9".repeat(200)}x</limit></search>`,
    `limit: Expected a number; got "${"9".repeat(40)}…"`,
  ],
  [
    "a word for a boolean",
    "<search><query>a</query><exact>yes</exact></search>",
    'exact: Expected true or false; got "yes"',
  ],
  [
    "a misspelled tag",
    "<search><qurey>a</qurey></search>",
    "<qurey> is not a parameter; expected <query>, <limit>, <exact>, <filters>; query: Required parameter is missing",
  ],
  [
    "an unknown tag in an array",
    "<search><query>a</query><filters><f>x</f></filters></search>",
    "filters: <f> is not a parameter; expected <filter>",
  ],
  [
    "text in an array",
    "<search><query>a</query><filters>x, y</filters></search>",
    "filters: Text outside a parameter tag; expected <filter>",
  ],
  [
    "text between parameters",
    "<search>look: <query>a</query> now</search>",
    "Text outside a parameter tag; expected <query>, <limit>, <exact>, <filters>",
  ],
  [
    "CDATA between parameters",
    "<ping><![CDATA[x]]></ping>",
    "Text outside a parameter tag; expected no tags",
  ],
  ["text in a tool without parameters", "<ping>now</ping>", "Text outside a parameter tag; expected no tags"],
  ["a tag in a tool without parameters", "<ping><x/></ping>", "<x> is not a parameter; expected no tags"],
  [
    "a parameter twice",
    "<search><query>a</query><query>b</query></search>",
    "query: <query> appears more than once",
  ],
  [
    "an array twice",
    "<search><query>a</query><filters/><filters><filter>x</filter></filters></search>",
    "filters: <filters> appears more than once",
  ],
  [
    "a parameter that is not closed",
    "<search><query>a",
    "query: <query> is not closed; <search> is not closed",
  ],
  [
    "an incomplete closing tag at the end",
    "<search><query>a</que",
    "query: <query> is not closed; <search> is not closed",
  ],
  ["a tool that is not closed", "<search><query>a</query>", "<search> is not closed"],
  [
    "a CDATA section that is not closed",
    file("<![CDATA[a"),
    "content: <content> is not closed; <write_file> is not closed",
  ],
  [
    "an unclosed tag with the parameter's own name",
    file("use <content> here"),
    "content: <content> is not closed; <write_file> is not closed",
  ],
  [
    "an array that is closed by its parent",
    "<search><query>a</query><filters><filter>x</filter></search>",
    "filters: <filters> is not closed",
  ],
  [
    "an open array at the end of the text",
    "<search><query>a</query><filters><filter>x</filter>",
    "filters: <filters> is not closed; <search> is not closed",
  ],
  [
    "an extra closing tag",
    "<search><query>a</query></limit></search>",
    "</limit> does not match an open tag",
  ],
  [
    "a missing object member",
    "<plan><steps/><owner><grade>1</grade></owner></plan>",
    "owner.name: Required parameter is missing",
  ],
  [
    "invalid objects in an array",
    "<plan><steps><step/><step><title>a</title><minutes>soon</minutes></step></steps></plan>",
    'steps.0.title: Required parameter is missing; steps.1.minutes: Expected a number; got "soon"',
  ],
  [
    "an unknown tag that contains other tags",
    "<search><query>a</query><x><x>1</x><query>b</query></x></search>",
    "<x> is not a parameter; expected <query>, <limit>, <exact>, <filters>",
  ],
  [
    "an unknown tag that is not closed",
    "<search><br><query>a</query></search>",
    "<br> is not a parameter; expected <query>, <limit>, <exact>, <filters>; query: Required parameter is missing",
  ],
  [
    "the name of an inherited property",
    "<search><query>a</query><__proto__>x</__proto__></search>",
    "<__proto__> is not a parameter; expected <query>, <limit>, <exact>, <filters>",
  ],
  [
    "an attribute whose quote is not closed",
    '<search><query a="x>a</query></search>',
    "Text outside a parameter tag; expected <query>, <limit>, <exact>, <filters>; </query> does not match an open tag; query: Required parameter is missing",
  ],
];

const NO_CALLS = [
  "```xml\n<search><query>a</query></search>\n```",
  "I will look: <search><query>a</query></search>",
  "<search<ping/>",
  "<search></search>",
  "<search>look: <query>a</query></search>",
  "just text",
  "a < b > c",
  "<unknown><query>a</query></unknown>",
  "< search><query>a</query>",
  "<searching/>",
  "<Search><query>a</query></Search>",
  "</search>",
  "&lt;search&gt; <!-- <x> --> <![CDATA[x]]>",
  "the end is <search",
  "the end is <search a='",
  "<",
  "",
];

describe("A8, A20: model output, including arrays", () => {
  test.each(READ)("%s: is parsed", (_title, text, params) => {
    const { calls } = read([text]);
    expect(calls.map(({ error }) => error?.message)).toEqual([undefined]);
    expect(calls[0]?.params).toEqual(params);
  });

  test.each(REFUSED)("%s: is rejected with a message", (_title, text, details) => {
    const { calls } = read([text], TOOLS, { reportInvalid: true });
    const [call] = calls;
    expect(calls).toHaveLength(1);
    expect(call?.error).toBeInstanceOf(ValidationError);
    expect(call?.error?.message).toBe(`Tool '${call?.name}' parameter validation failed: ${details}`);
  });

  test.each(NO_CALLS)("%j is not a call", (text) => {
    expect(read([text])).toMatchObject({ calls: [], text });
  });

  test("the tables contain at least 80 cases", () => {
    expect(READ.length + REFUSED.length + NO_CALLS.length).toBeGreaterThanOrEqual(80);
  });

  test("a rejected call contains the parameters that could be parsed, and the first of repeated parameters", () => {
    const [call] = read(["<search><query>a</query><query>b</query><limit>x</limit></search>"]).calls;
    expect(call?.params).toEqual({ query: "a", limit: "x" });
    expect(read(["<search><query>half a te"]).calls[0]?.params).toEqual({ query: "half a te" });
  });
});
