/**
 * @fileoverview Generators for the XML property tests: definitions, matching parameters, and texts that resemble
 * model output.
 * @module tests/agent/support/xml/arbitraries
 */
import * as fc from "fast-check";
import type { ToolDefinition } from "../../../src/tools/define-tool.js";
import type { ToolParam } from "../../../src/tools/tool-param.js";

/** Tool names that match the pattern in the requirements (A42). */
export const toolNameArb = fc.stringMatching(/^[a-z][a-z0-9_]*$/);

const isOwnName = (name: string) => !(name in Object.prototype);

/** Parameter lists with up to three levels. */
export const paramsArb = (depth = 3): fc.Arbitrary<readonly ToolParam[]> =>
  fc.uniqueArray(paramArb(depth), { maxLength: 4, selector: ({ name }) => name });

function paramArb(depth: number): fc.Arbitrary<ToolParam> {
  const common = {
    name: toolNameArb.filter(isOwnName),
    description: fc.string(),
    optional: fc.boolean(),
  };
  const leaf: fc.Arbitrary<ToolParam> = fc.record(
    { ...common, type: fc.constantFrom("string" as const, "number" as const, "boolean" as const) },
    { requiredKeys: ["name", "description", "optional"] },
  );
  if (depth === 0) return leaf;
  const list = fc.record({
    ...common,
    type: fc.constant("array" as const),
    params: paramArb(depth - 1).map((item) => [item]),
  });
  const object = fc.record({
    ...common,
    type: fc.constant("object" as const),
    params: paramsArb(depth - 1).filter((params) => params.length > 0),
  });
  return fc.oneof({ weight: 3, arbitrary: leaf }, list, object);
}

/** Complete tool definitions. */
export const toolArb: fc.Arbitrary<ToolDefinition> = fc.record({
  name: toolNameArb,
  description: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
  whenToUse: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
  params: paramsArb(),
  useExamples: fc.array(fc.string(), { maxLength: 3 }),
  invoke: fc.constant(async () => ({ message: "Done", toolResult: undefined })),
});

const textArb = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ..."<>&;/![]-\"'= \t\r\n".split(""),
        "<![CDATA[",
        "]]>",
        "&amp;",
        "&#10;",
        "</a>",
        "<a>",
        "a",
        "\u00a0",
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join("")),
);

/** Values that match a parameter list. */
export function valuesArb(params: readonly ToolParam[]): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.fromEntries(params.map((param) => [param.name, valueArb(param)]));
  const requiredKeys = params.filter(({ optional }) => !optional).map(({ name }) => name);
  return fc.record(members, { requiredKeys, noNullPrototype: true });
}

function valueArb({ type, params = [] }: ToolParam): fc.Arbitrary<unknown> {
  if (type === "number") {
    return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  }
  if (type === "boolean") return fc.boolean();
  if (type === "object") return valuesArb(params);
  if (type !== "array") return textArb;
  const [item] = params;
  return item === undefined ? fc.constant([]) : fc.array(valueArb(item), { maxLength: 4 });
}

const TAGS = [
  "search",
  "query",
  "limit",
  "filters",
  "filter",
  "write_file",
  "content",
  "plan",
  "steps",
  "step",
  "title",
  "tags",
  "tag",
  "owner",
  "name",
  "ping",
  "b",
  "x",
];

const tagArb = fc
  .record({
    name: fc.constantFrom(...TAGS),
    form: fc.constantFrom(
      "<%>",
      "<%>",
      "</%>",
      "</%>",
      "<%/>",
      '<% a="b">',
      "<% a='",
      "<%",
      "</%",
      "<% >",
      "</% >",
    ),
  })
  .map(({ name, form }) => form.replace("%", name));

const scrapArb = fc.oneof(
  tagArb,
  tagArb,
  fc.constantFrom(
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&amp;",
    "&lt",
    "&#x41;",
    "&",
    "<",
    ">",
    "a<b",
    "\n",
    "  ",
    "\r\n",
    "12",
    "true",
    "words and words",
  ),
  fc.string({ maxLength: 8 }),
);

/** Well-formed calls, which the generators modify. */
const CALLS = [
  "<search><query>\n  if (a<b) &amp;&amp; c\n</query><limit>5</limit><filters><filter>x</filter></filters></search>",
  "<write_file><path>a.ts</path><content><![CDATA[const a = b<c>(d);]]></content></write_file>",
  "<plan><steps><step><title>Buy</title><minutes>5</minutes><tags><tag>a</tag><tag>b</tag></tags></step></steps></plan>",
  "<ping/>",
];

const spoiltCallArb = fc
  .record({
    call: fc.constantFrom(...CALLS),
    scraps: fc.array(fc.tuple(fc.nat(120), fc.nat(6), scrapArb), { maxLength: 4 }),
  })
  .map(({ call, scraps }) =>
    scraps.reduce((text, [at, gone, scrap]) => text.slice(0, at) + scrap + text.slice(at + gone), call),
  );

/** Text that contains calls. Some of them are well formed. */
export const modelTextArb = fc
  .array(fc.oneof({ weight: 2, arbitrary: spoiltCallArb }, scrapArb, fc.constantFrom(...CALLS)), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

/** Splits a text into pieces. */
export function cutText(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}
