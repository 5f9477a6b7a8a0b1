import { describe, expect, test } from "vitest";
import { type ToolCallEvent, ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { read, search, TOOLS, writeFile } from "../support/xml/tools.js";

/** Lists the events of each piece in a short form. */
function show(events: readonly ToolCallEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === "text") return event.text;
    if (event.type === "start") return `start ${event.name}`;
    if (event.type === "delta") return `${event.path.join(".")} + ${event.delta}`;
    return event.call.error === undefined ? `call ${event.call.name}` : "failed call";
  });
}

describe("issue 29: a stream shows calls and text early", () => {
  test("a call starts when the last required parameter opens", () => {
    const stream = new ToolCallStream([search, writeFile]);
    expect(show(stream.feed("I look.\n<search>\n"))).toEqual(["I look.\n"]);
    expect(show(stream.feed("<query>"))).toEqual(["start search"]);
    expect(show(stream.feed("ca"))).toEqual(["query + ca"]);
    expect(show(stream.feed("ts</query></search>"))).toEqual(["query + ts", "call search"]);
  });

  test("parameters before the last required one are reported when the call starts", () => {
    const stream = new ToolCallStream([writeFile]);
    expect(show(stream.feed("<write_file><path>a.txt</path>"))).toEqual([]);
    expect(stream.current).toBeUndefined();
    expect(show(stream.feed("<content>x"))).toEqual(["start write_file", "path + a.txt", "content + x"]);
    expect(stream.current).toEqual({ name: "write_file", params: { path: "a.txt", content: "x" } });
  });

  test("text is not delayed, including tags in the middle of a line and in code", () => {
    const stream = new ToolCallStream(TOOLS);
    const pieces = [
      "Use <",
      "search",
      "> or `<ping",
      "/>`.\n",
      "```xml\n<",
      "ping/>\n",
      "```",
      "\n",
      "a < b\n",
    ];
    for (const piece of pieces) expect(show(stream.feed(piece))).toEqual([piece]);
    expect(stream.finish()).toEqual([]);
  });

  test("a mention at the start of a line is shown as soon as it cannot be a call", () => {
    const stream = new ToolCallStream(TOOLS);
    expect(show(stream.feed("<search>"))).toEqual([]);
    expect(show(stream.feed(" i"))).toEqual(["<search> i"]);
    expect(show(stream.feed("s a tool."))).toEqual(["s a tool."]);
  });

  test("a tag without required parameters is text if other text follows, and a failed call if not", () => {
    const text = "<search><limit>5</limit></search>";
    expect(show(read([text]).events)).toEqual(["start search", "failed call"]);
    expect(show(read([text, "\n "]).events)).toEqual(["start search", "failed call", "\n "]);
    expect(read([text, "\n", "lacks the query"])).toMatchObject({
      calls: [],
      text: `${text}\nlacks the query`,
    });
  });

  test("with `reportInvalid`, each tag at the start of a line is a call, with an error if it is invalid", () => {
    const found = (text: string) => read([text], TOOLS, { reportInvalid: true }).events;
    expect(show(found("<search></search>\nis empty"))).toEqual(["start search", "failed call", "\nis empty"]);
    expect(show(found("<search>text</search>"))).toEqual(["start search", "failed call"]);
    expect(show(found("a <ping/>\n```\n<ping/>\n```"))).toEqual(["a <ping/>\n```\n<ping/>\n```"]);
  });

  test("the end of the first call is known", () => {
    const stream = new ToolCallStream(TOOLS);
    stream.feed("One:\n<pi");
    expect(stream.firstCallEnd).toBeUndefined();
    stream.feed("ng/> two <ping/>\n<ping/>");
    expect(stream.firstCallEnd).toBe("One:\n<ping/>".length);
  });
});
