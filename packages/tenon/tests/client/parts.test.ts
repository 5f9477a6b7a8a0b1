import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startCountdown } from "../../src/client/messages/countdown.js";
import { ToolHeaders } from "../../src/client/messages/request-headers.js";
import { readEvents, readText } from "../../src/client/transports/read-body.js";
import { decodeHeaderValue } from "../../src/protocol/revisions/headers.js";

describe("response bodies", () => {
  const chunked = (text: string, cuts: readonly number[]) => {
    const bytes = new TextEncoder().encode(text);
    const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
    return new ReadableStream<Uint8Array>({
      start(controller) {
        for (const [index, start] of at.entries())
          controller.enqueue(bytes.slice(start, at[index + 1] ?? bytes.length));
        controller.close();
      },
    });
  };

  test("yield the same events for any chunking and any line ending", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[^\r\n\u{d800}-\u{dfff}]*$/u), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (datas, end, cuts) => {
          const text =
            datas.map((data, id) => `id: ${id}${end}data: ${data}${end}${end}`).join("") + `:${end}`;
          const events: unknown[] = [];
          for await (const event of readEvents(chunked(text, cuts), 1_000_000)) events.push(event);
          const expected = datas.map((data, id) => ({ data, id: String(id), retryMs: undefined }));
          expect(events.slice(0, datas.length)).toEqual(expected);
        },
      ),
    );
  });

  test("yield the same text for any chunking, up to the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (text, cuts) => {
          expect(await readText(chunked(text, cuts), 1_000)).toBe(text.replace(/^\ufeff/, ""));
        },
      ),
    );
    await expect(readText(chunked("12345", [2]), 4)).rejects.toThrow(
      "The server's response is too large (limit: 4 bytes).",
    );
  });
});

describe("headers of a call", () => {
  const schema = (annotation: string, type = "string") => ({
    type: "object",
    properties: { value: { type, "x-mcp-header": annotation }, other: { type: "string" } },
  });

  test("repeat any value of an annotated argument", () => {
    const headers = new ToolHeaders();
    headers.learn([{ name: "a", inputSchema: schema("Value") }]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        const header =
          headers.headersFor({ name: "a", arguments: { value, other: "x" } })["mcp-param-value"] ?? "";
        expect(new Headers({ x: header }).get("x")).toBe(header);
        expect(decodeHeaderValue(header)).toBe(value);
      }),
    );
  });

  test("omit missing arguments, null, and tools that are not known", () => {
    const headers = new ToolHeaders();
    headers.learn([{ name: "a", inputSchema: schema("Value") }]);
    expect(headers.headersFor({ name: "a", arguments: { value: null } })).toEqual({});
    expect(headers.headersFor({ name: "a", arguments: { other: "x" } })).toEqual({});
    expect(headers.headersFor({ name: "a" })).toEqual({});
    expect(headers.headersFor({ name: "b", arguments: { value: "x" } })).toEqual({});
  });

  test("exclude tools with an invalid annotation", () => {
    const tools = [
      { name: "valid", inputSchema: schema("Value", "integer") },
      { name: "empty", inputSchema: schema("") },
      { name: "space", inputSchema: schema("a b") },
      { name: "number", inputSchema: schema("Value", "number") },
      { name: "no schema" },
    ];
    expect(new ToolHeaders().learn(tools).map(({ name }) => name)).toEqual(["valid", "no schema"]);
  });
});

describe("a time limit", () => {
  test("does not include the time while it is paused", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const onEnd = vi.fn();
    const countdown = startCountdown({ ms: 100, maxMs: Number.POSITIVE_INFINITY }, onEnd);
    vi.advanceTimersByTime(60);
    countdown.pause();
    countdown.pause();
    vi.advanceTimersByTime(10_000);
    countdown.resume();
    vi.advanceTimersByTime(39);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test("starts again with the whole time, also after a pause", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const onEnd = vi.fn();
    const countdown = startCountdown({ ms: 100, maxMs: Number.POSITIVE_INFINITY }, onEnd);
    vi.advanceTimersByTime(90);
    countdown.restart();
    vi.advanceTimersByTime(90);
    countdown.pause();
    countdown.restart();
    vi.advanceTimersByTime(1_000);
    countdown.resume();
    vi.advanceTimersByTime(99);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test.each([0, 40])("ends after the total time, with all restarts and pauses of %i ms", (pauseMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const onEnd = vi.fn();
    const countdown = startCountdown({ ms: 100, maxMs: 250 }, onEnd);
    for (let elapsed = 0; elapsed < 200; elapsed += 50) {
      vi.advanceTimersByTime(50 - pauseMs);
      countdown.pause();
      vi.advanceTimersByTime(pauseMs);
      countdown.restart();
      countdown.resume();
    }
    countdown.pause();
    vi.advanceTimersByTime(49);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onEnd.mock.calls).toEqual([[true]]);
  });
});
