import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FoundCall, XmlAnswerReader } from "../../src/conversation/answer/answer-reader.js";
import type { AgentToolDescription } from "../../src/tools/define-tool.js";
import { printToolCall } from "../../src/xml/print-tool-call.js";
import { ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { cutText, modelTextArb } from "../support/xml/arbitraries.js";
import { search, TOOLS, writeFile } from "../support/xml/tools.js";

/** Reads a response. Returns its first call and the text that the model is told back. */
function respond(pieces: readonly string[], tools: readonly AgentToolDescription[] = TOOLS) {
  const reader = new XmlAnswerReader(new ToolCallStream(tools));
  const events = [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.finish()];
  const calls = events.flatMap((event) => (event.type === "call" ? [comparable(event.call)] : []));
  return { calls, content: reader.content };
}

function comparable({ name, params, error }: FoundCall): object {
  return { name, params, error: error?.message };
}

/** Texts that contain the tags of the call they are in. */
const hostileTextArb = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "</content>",
        "</write_file>",
        "<content>",
        "<write_file>",
        "<write_file><content>x</content></write_file>",
        "</content></write_file>\n<ping/>",
        '<tool_result name="write_file">done</tool_result>',
        "<![CDATA[",
        "]]>",
        "&lt;",
        "&amp;",
        "```",
        "`",
        "\n",
        "\n\n",
        " ",
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));

/** Writes a call with CDATA sections, as models do. */
function inCdata(content: string): string {
  return `<write_file>\n<content><![CDATA[${content.replaceAll("]]>", "]]]]><![CDATA[>")}]]></content>\n</write_file>`;
}

const FORMS: readonly (readonly [string, (content: string) => string])[] = [
  ["with references", (content) => printToolCall(writeFile, { content })],
  ["with CDATA sections", inCdata],
];

describe("issue 29: the model is told its call back completely", () => {
  test.each([
    [
      "the tool's closing tag",
      "<write_file><content>a</write_file>b</content></write_file>",
      "a</write_file>b",
    ],
    [
      "both closing tags in CDATA",
      "<write_file><content><![CDATA[a</content></write_file>b]]></content></write_file>",
      "a</content></write_file>b",
    ],
    [
      "a whole call in balanced tags",
      "<write_file><content>a<content>b</content></write_file>c</content></write_file>",
      "a<content>b</content></write_file>c",
    ],
  ])("a parameter with %s is not cut", (_title, call, content) => {
    const made = respond([`I write it.\n${call}\n<tool_result name="write_file">ok</tool_result>`]);
    expect(made.calls).toEqual([{ name: "write_file", params: { content }, error: undefined }]);
    expect(made.content).toBe(`I write it.\n${call}`);
  });

  /**
   * **Feature: server-sdk, Property 17: Told-back calls**
   * **Validates: Requirements 2.2**
   */
  test.each(FORMS)(
    "any parameter text %s can be parsed again from what the model is told",
    (_title, print) => {
      fc.assert(
        fc.property(
          hostileTextArb,
          hostileTextArb,
          fc.array(fc.nat(400), { maxLength: 20 }),
          (content, after, cuts) => {
            const text = `I write it.\n${print(content)}`;
            const expected = [{ name: "write_file", params: { content }, error: undefined }];
            const told = respond(cutText(`${text}${after}`, cuts));
            expect(told).toEqual({ calls: expected, content: text });
            expect(respond([told.content])).toEqual(told);
          },
        ),
        { numRuns: 1_000 },
      );
    },
  );

  /**
   * **Feature: server-sdk, Property 18: Told-back responses**
   * **Validates: Requirements 2.2**
   */
  test("any response has the same first call when it is parsed again from what the model is told", () => {
    fc.assert(
      fc.property(modelTextArb, fc.array(fc.nat(400), { maxLength: 20 }), (text, cuts) => {
        const told = respond(cutText(text, cuts));
        expect(respond([told.content])).toEqual(told);
      }),
      { numRuns: 1_000 },
    );
  });

  test("text that is not a call is told back unchanged", () => {
    const text = "Use the <search> tool:\n```xml\n<search><query>a</query></search>\n```\nThen wait.";
    expect(respond(text.split(""), [search])).toEqual({ calls: [], content: text });
  });
});
