import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelError, type ModelPiece } from "../../src/models/model-port.js";
import { EventReader } from "@tenon/internal/event-stream";
import {
  ask,
  beginStream,
  chunk,
  createTestPorts,
  DONE,
  event,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

async function answerTo(text: string | readonly Uint8Array[], contentType = "text/event-stream") {
  const server = await startModelServer((response) => {
    response.writeHead(200, { "content-type": contentType });
    for (const part of typeof text === "string" ? [text] : text) response.write(part);
    response.end();
  });
  const { ports, running } = createTestPorts();
  const result = await ask(modelOn(server.baseUrl, { ports, maxAttempts: 1 }));
  expect(running.size).toBe(0);
  return result;
}

const NOT_UNDERSTOOD = "The model server sent a response that is not OpenAI-compatible. Check `baseUrl`.";
const BROKEN = "The model server failed while sending the response.";
const LOST = "The connection to the model server was lost.";
const stop = chunk({}, "stop");
const call = (part: object, ...more: object[]) => chunk({ tool_calls: [part, ...more] });

describe("reading an event stream", () => {
  test.each<[string, string, readonly ModelPiece[]]>([
    [
      "text",
      chunk({ role: "assistant", content: "" }) +
        chunk({ content: "Hi" }) +
        chunk({ content: "!" }) +
        stop +
        DONE,
      ["Hi", "!"],
    ],
    ["an answer without [DONE]", chunk({ content: "Hi" }) + stop, ["Hi"]],
    ["an answer without a finish reason", chunk({ content: "Hi" }) + DONE, ["Hi"]],
    ["a response that ends at the token limit", chunk({ content: "Hi" }, "length"), ["Hi"]],
    ["an empty answer", stop + DONE, []],
    ["lines that end with CR and LF", (chunk({ content: "Hi" }) + DONE).replaceAll("\n", "\r\n"), ["Hi"]],
    ["lines that end with CR", (chunk({ content: "Hi" }) + DONE).replaceAll("\n", "\r"), ["Hi"]],
    ["a byte order mark", `\ufeff${chunk({ content: "Hi" })}${DONE}`, ["Hi"]],
    [
      "comments and other fields",
      `: wait\n\nevent: x\nid: 1\nretry: 5\n${chunk({ content: "Hi" })}:\n\n${DONE}`,
      ["Hi"],
    ],
    ["no space after the colon", chunk({ content: "Hi" }).replace("data: ", "data:") + DONE, ["Hi"]],
    ["data on several lines", 'data: {"choices":[{"delta":\ndata: {"content":"Hi"}}]}\n\n' + DONE, ["Hi"]],
    ["empty data", `data:\n\ndata\n\n${chunk({ content: "Hi" })}${DONE}`, ["Hi"]],
    ["a last event without an empty line", chunk({ content: "Hi" }) + "data: [DONE]", ["Hi"]],
    [
      "events without choices",
      event({ choices: null }) +
        event({ choices: [], usage: {} }) +
        event({ type: "ping" }) +
        chunk({ content: "Hi" }) +
        DONE,
      ["Hi"],
    ],
    ["null as error and content", event({ error: null, choices: [{ delta: { content: null } }] }) + stop, []],
    ["a choice without delta", event({ choices: [{ finish_reason: "stop" }] }), []],
    [
      "additional choices, which are ignored",
      event({
        choices: [
          { index: 1, delta: { content: "no" } },
          { index: 0, delta: { content: "yes" } },
        ],
      }) + stop,
      ["yes"],
    ],
    [
      "text after a finish reason",
      chunk({ content: "a" }, "stop") + chunk({ content: "b" }, "stop"),
      ["a", "b"],
    ],
    ["an empty finish reason", chunk({ content: "a" }, "") + DONE, ["a"]],
    ["data after [DONE]", chunk({ content: "a" }) + DONE + chunk({ content: "b" }), ["a"]],
    [
      "reasoning_content",
      chunk({ reasoning_content: "hm" }) + chunk({ content: "a" }) + stop,
      [{ think: "hm" }, "a"],
    ],
    ["reasoning", chunk({ reasoning: "hm", content: "a" }) + stop, [{ think: "hm" }, "a"]],
    [
      "both reasoning fields with the same text",
      chunk({ reasoning: "hm", reasoning_content: "hm" }) + stop,
      [{ think: "hm" }],
    ],
    [
      "content in parts",
      chunk({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "a" },
        ],
      }) + stop,
      [{ think: "hm" }, "a"],
    ],
    ["a refusal", chunk({ refusal: "I will not" }) + stop, ["I will not"]],
    [
      "a surrogate pair split by escapes",
      'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\ude00"}}]}\n\n' +
        stop,
      ["a", "😀"],
    ],
    [
      "half of a surrogate pair at the end",
      'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n' + stop,
      ["a", "\ud83d"],
    ],
    [
      "a native call in parts",
      call({ index: 0, id: "c1", type: "function", function: { name: "find", arguments: "" } }) +
        call({ index: 0, function: { arguments: '{"a":' } }) +
        call({ index: 0, function: { arguments: "1}" } }) +
        chunk({}, "tool_calls") +
        DONE,
      [
        { call: { index: 0, id: "c1", name: "find" } },
        { call: { index: 0, arguments: '{"a":' } },
        { call: { index: 0, arguments: "1}" } },
      ],
    ],
    [
      "repeated or empty ids and names",
      call({ index: 0, id: "c1", function: { name: "find", arguments: "{" } }) +
        call({ index: 0, id: "c1", function: { name: "find", arguments: "}" } }) +
        call({ index: 0, id: "", function: { name: "", arguments: " " } }) +
        stop,
      [
        { call: { index: 0, id: "c1", name: "find", arguments: "{" } },
        { call: { index: 0, arguments: "}" } },
        { call: { index: 0, arguments: " " } },
      ],
    ],
    [
      "arguments as an object",
      call({ index: 0, id: "c1", function: { name: "find", arguments: { a: [1] } } }) + stop,
      [{ call: { index: 0, id: "c1", name: "find", arguments: '{"a":[1]}' } }],
    ],
    [
      "a missing index",
      call({ id: "c1", function: { name: "find", arguments: "{" } }) +
        call({ function: { arguments: "}" } }) +
        stop,
      [
        { call: { index: 0, id: "c1", name: "find", arguments: "{" } },
        { call: { index: 0, arguments: "}" } },
      ],
    ],
    [
      "several calls without an index, in one chunk and in separate chunks",
      call({ id: "c1", function: { name: "a" } }, { id: "c2", function: { name: "b" } }) +
        call({ id: "c3", function: { name: "c" } }) +
        call({ id: "c2", function: { arguments: "{}" } }) +
        stop,
      [
        { call: { index: 0, id: "c1", name: "a" } },
        { call: { index: 1, id: "c2", name: "b" } },
        { call: { index: 2, id: "c3", name: "c" } },
        { call: { index: 1, arguments: "{}" } },
      ],
    ],
    [
      "a call without an id, which gets a new id",
      call({ index: 0, function: { name: "find" } }) + stop,
      [{ call: { index: 0, id: `call_${"00".repeat(11)}80`, name: "find" } }],
    ],
    ["malformed calls", chunk({ tool_calls: [null, 5] }) + chunk({ tool_calls: "x" }) + stop, []],
  ])("%s", async (_title, text, pieces) => {
    expect(await answerTo(text)).toEqual({ pieces, error: undefined });
  });

  const sample = Buffer.from(
    "\ufeff: hi\r\n\r\n" +
      chunk({ content: "Grüße, 😀 €" }).replaceAll("\n", "\r\n") +
      chunk({ reasoning: "…" }) +
      stop +
      DONE,
  );
  const wanted = { pieces: ["Grüße, 😀 €", { think: "…" }], error: undefined };

  test("returns the same pieces regardless of how the bytes are split", async () => {
    const server = await startModelServer((response, count) => {
      beginStream(response).write(sample.subarray(0, count));
      response.end(sample.subarray(count));
    });
    const model = modelOn(server.baseUrl);
    for (let cut = 1; cut < sample.length; cut++) expect(await ask(model)).toEqual(wanted);
    expect(server.requests).toHaveLength(sample.length - 1);
    expect(server.connections).toBeLessThan(5); // connections are reused after a response was read to its end
  });

  test("returns the same pieces byte by byte", async () => {
    expect(await answerTo(Array.from(sample, (byte) => Buffer.from([byte])))).toEqual(wanted);
  });

  test("parses the same events regardless of how the text is split", () => {
    const lines = fc.array(fc.constantFrom("data: a", "data:b", ": c", "event: d", "", "data", "\u2028"));
    const ends = fc.constantFrom("\n", "\r", "\r\n");
    fc.assert(
      fc.property(lines, ends, fc.array(fc.nat(80)), (parts, end, cuts) => {
        const text = Buffer.from(parts.map((line) => line + end).join(""));
        const whole = new EventReader(1_000);
        const cut = new EventReader(1_000);
        const places = [
          0,
          ...cuts.filter((place) => place < text.length).toSorted((a, b) => a - b),
          text.length,
        ];
        const pieces = places.slice(1).map((place, index) => text.subarray(places[index], place));
        const found = pieces.flatMap((piece) => [...cut.feed(piece)]);
        expect([...found, ...cut.finish()]).toEqual([...whole.feed(text), ...whole.finish()]);
        expect(cut.isStrange).toBe(whole.isStrange);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a server that does not stream", () => {
  test("is supported", async () => {
    const message = {
      role: "assistant",
      content: "Let me see",
      reasoning_content: "hm",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "a", arguments: "{}" } },
        { id: "c2", type: "function", function: { name: "b", arguments: '{"x":1}' } },
      ],
    };
    const text = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    expect(await answerTo(text, "application/json; charset=utf-8")).toEqual({
      pieces: [
        { think: "hm" },
        "Let me see",
        { call: { index: 0, id: "c1", name: "a", arguments: "{}" } },
        { call: { index: 1, id: "c2", name: "b", arguments: '{"x":1}' } },
      ],
      error: undefined,
    });
  });

  test.each([
    ["text that is not JSON", "hello", NOT_UNDERSTOOD],
    ["an array", "[]", NOT_UNDERSTOOD],
    ["an unrelated object", '{"message":"hello"}', NOT_UNDERSTOOD],
    ["deeply nested JSON", `{"choices":${"[".repeat(100)}${"]".repeat(100)}}`, NOT_UNDERSTOOD],
    [
      "an error",
      '{"error":{"message":"no","type":"invalid_request_error"}}',
      "The model server failed while sending the response.",
    ],
  ])("%s is rejected", async (_title, text, message) => {
    expect(await answerTo(text, "application/json")).toEqual({ pieces: [], error: new ModelError(message) });
  });
});

describe("errors in a stream", () => {
  test.each<[string, string, readonly ModelPiece[], string, boolean]>([
    [
      "an error",
      chunk({ content: "a" }) + event({ error: { message: "out of memory" } }),
      ["a"],
      BROKEN,
      true,
    ],
    ["an error with a client status", event({ error: { code: 400 } }), [], BROKEN, false],
    ["an error with a busy status", event({ error: { code: "429" } }), [], BROKEN, true],
    ["an error as text", event({ error: "no" }), [], BROKEN, true],
    ["an error in the older format", event({ object: "error", message: "no", code: 400 }), [], BROKEN, false],
    ['the finish reason "error"', chunk({ content: "a" }, "error"), ["a"], BROKEN, true],
    [
      "data that is not JSON",
      chunk({ content: "a" }) + "data: {oops\n\n" + DONE,
      ["a"],
      NOT_UNDERSTOOD,
      false,
    ],
    ["data that is not an object", "data: 5\n\n" + DONE, [], NOT_UNDERSTOOD, false],
    ["a call with an invalid index", call({ index: -1 }), [], NOT_UNDERSTOOD, false],
    ["a call with an index that is too large", call({ index: 1e9, id: "a" }), [], NOT_UNDERSTOOD, false],
    ["an HTML page instead of events", "<!doctype html>\n<html></html>\n", [], NOT_UNDERSTOOD, false],
    [
      "a stream that ends in the middle of an event",
      chunk({ content: "a" }) + 'data: {"choi',
      ["a"],
      LOST,
      true,
    ],
    ["a stream that ends in a field name", chunk({ content: "a" }) + "dat", ["a"], LOST, true],
    ["a stream that ends without a finish reason", chunk({ content: "a" }), ["a"], LOST, true],
    ["an empty stream", "", [], LOST, true],
  ])("%s", async (_title, text, pieces, message, isTransient) => {
    const result = await answerTo(text);
    expect(result.pieces).toEqual(pieces);
    expect(result.error).toBeInstanceOf(ModelError);
    expect(result.error).toMatchObject({ message, isTransient });
  });

  test("a response ends at the character limit, including reasoning and calls", async () => {
    const server = await startModelServer(
      stream(
        chunk({ content: "12345" }),
        chunk({ reasoning: "678" }),
        call({ index: 0, id: "c", function: { name: "f", arguments: "1" } }),
        stop,
      ),
    );
    const exact = await ask(modelOn(server.baseUrl, { maxAnswerChars: 11 }));
    expect(exact).toMatchObject({ pieces: { length: 3 }, error: undefined });
    const { pieces, error } = await ask(modelOn(server.baseUrl, { maxAnswerChars: 10 }));
    expect([pieces.length, error]).toEqual([
      2,
      new ModelError("The model's response is too long (limit: 10 characters). Raise `maxAnswerChars`."),
    ]);
  });

  test.each([
    ["an endless line", Buffer.alloc(65_536, "data: x"), NOT_UNDERSTOOD],
    ["an endless event", Buffer.from(`data: ${"x".repeat(4_090)}\n`.repeat(16)), NOT_UNDERSTOOD],
    [
      "endless comments",
      Buffer.from(`: ${"x".repeat(4_093)}\n`.repeat(16)),
      "The model's response is too long (limit: 1000 characters). Raise `maxAnswerChars`.",
    ],
  ])("%s is aborted, and its connection is closed", async (_title, part, message) => {
    let written = 0;
    const server = await startModelServer((response) => {
      beginStream(response);
      const write = () => {
        written += part.length;
        if (!response.destroyed) response.write(part, write);
      };
      write();
    });
    const { error } = await ask(modelOn(server.baseUrl, { maxAnswerChars: 1_000 }));
    expect(error).toEqual(new ModelError(message));
    await server.closed();
    expect(written).toBeLessThan(20_000_000);
  });
});
