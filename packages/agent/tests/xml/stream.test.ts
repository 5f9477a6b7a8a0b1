import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ToolCallEvent, ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { cutText, modelTextArb } from "../support/xml/arbitraries.js";
import { ping, plan, read, search, TOOLS } from "../support/xml/tools.js";

const typesOf = (events: readonly ToolCallEvent[]) => events.map(({ type }) => type);

/** Merges events as if the text had arrived in one piece. */
function joined(events: readonly ToolCallEvent[]): readonly ToolCallEvent[] {
  const all: ToolCallEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === "text" && last?.type === "text") {
      all.splice(-1, 1, { ...event, text: last.text + event.text });
    } else if (event.type === "delta" && last?.type === "delta" && String(last.path) === String(event.path)) {
      all.splice(-1, 1, { ...event, delta: last.delta + event.delta });
    } else {
      all.push(event);
    }
  }
  return all;
}

/** Replaces errors with their messages, for comparison. */
function shown(events: readonly ToolCallEvent[]): unknown {
  return events.map((event) =>
    event.type === "call" ? { ...event.call, error: event.call.error?.details.issues } : event,
  );
}

describe("a stream of model output", () => {
  test("returns text as text, and every call at its end", () => {
    const { events } = read(["One:\n<ping/>\ntwo\n<search><query>a</query></search><ping></ping>."]);
    expect(events).toEqual([
      { type: "text", text: "One:\n" },
      { type: "start", name: "ping" },
      { type: "call", call: { name: "ping", params: {} } },
      { type: "text", text: "\ntwo\n" },
      { type: "start", name: "search" },
      { type: "delta", name: "search", path: ["query"], delta: "a" },
      { type: "call", call: { name: "search", params: { query: "a" } } },
      { type: "start", name: "ping" },
      { type: "call", call: { name: "ping", params: {} } },
      { type: "text", text: "." },
    ]);
  });

  test("reports parameters while they arrive, and the call so far", () => {
    const stream = new ToolCallStream([plan]);
    const seen = (piece: string) => {
      stream.feed(piece);
      return stream.current;
    };
    expect(seen("Well,\n<pl")).toBeUndefined();
    expect(seen("an><steps><step><ti")).toEqual({ name: "plan", params: { steps: [{}] } });
    expect(seen("tle>Buy")).toEqual({ name: "plan", params: { steps: [{ title: "Buy" }] } });
    expect(seen(" milk</tit")).toEqual({ name: "plan", params: { steps: [{ title: "Buy milk" }] } });
    expect(seen("le><minutes>1")).toEqual({ name: "plan", params: { steps: [{ title: "Buy milk" }] } });
    expect(seen("5</minutes><tags><tag>x</tag><tag>y")).toEqual({
      name: "plan",
      params: { steps: [{ title: "Buy milk", minutes: 15, tags: ["x", "y"] }] },
    });
    expect(seen("</tag></tags></step></steps></plan>")).toBeUndefined();
    expect(stream.finish()).toEqual([]);
  });

  test("returns copies that the caller can modify", () => {
    const stream = new ToolCallStream([search]);
    stream.feed("<search><query>a</query><filters><filter>x</filter>");
    const filters = stream.current?.params.filters as string[];
    filters.push("mine");
    expect(stream.current?.params).toEqual({ query: "a", filters: ["x"] });
  });

  test("holds back possible layout, incomplete tags, and incomplete references", () => {
    const stream = new ToolCallStream([search]);
    const deltas = (piece: string) =>
      stream.feed(piece).flatMap((event) => (event.type === "delta" ? event.delta : []));
    expect(deltas("<search><query>\n")).toEqual([]);
    expect(deltas("  a")).toEqual(["  a"]);
    expect(deltas("\n")).toEqual([]);
    expect(deltas("b &am")).toEqual(["\nb"]);
    expect(deltas("p;")).toEqual([" &"]);
    expect(deltas("</quer")).toEqual([]);
    expect(deltas("x>")).toEqual(["</querx>"]);
    expect(deltas("\n  ")).toEqual([]);
    expect(deltas("</query>")).toEqual([]);
    expect(stream.current?.params).toEqual({ query: "  a\nb &</querx>" });
  });

  test("finish reports an open call with its error, and later pieces are ignored", () => {
    const stream = new ToolCallStream([search]);
    stream.feed("<search><query>a");
    expect(typesOf(stream.finish())).toEqual(["call"]);
    expect(stream.finish()).toEqual([]);
    expect(stream.feed("<search>")).toEqual([]);
    expect(stream.current).toBeUndefined();
  });

  test("outside a call, an incomplete tag at the end is text", () => {
    expect(read(["a\n<sea"], [search]).events).toEqual([
      { type: "text", text: "a\n" },
      { type: "text", text: "<sea" },
    ]);
  });

  test("finds only the given tools", () => {
    expect(read(["<ping/><search/>"], [ping]).text).toBe("<search/>");
  });

  /**
   * **Feature: server-sdk, Property 14: Split independence**
   * **Validates: Requirements 2.2, 2.3**
   */
  test("calls, deltas, and text do not depend on how the text is split", () => {
    fc.assert(
      fc.property(modelTextArb, fc.array(fc.nat(400), { maxLength: 40 }), (text, cuts) => {
        const whole = shown(joined(read([text]).events));
        expect(shown(joined(read(cutText(text, cuts)).events))).toEqual(whole);
        expect(shown(joined(read(text.split("")).events))).toEqual(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  /**
   * **Feature: server-sdk, Property 15: String parameter growth**
   * **Validates: Requirements 2.2**
   */
  test("a string parameter only grows, and its deltas add up to its value", () => {
    fc.assert(
      fc.property(modelTextArb, (text) => {
        const stream = new ToolCallStream(TOOLS);
        let told = new Map<string, string>();
        const check = (events: readonly ToolCallEvent[]) => {
          for (const event of events) {
            if (event.type === "start") told = new Map();
            if (event.type === "delta") {
              const key = JSON.stringify(event.path);
              told.set(key, (told.get(key) ?? "") + event.delta);
            }
            if (event.type === "call") expect([...told].filter(isUntrue(event.call.params))).toEqual([]);
          }
        };
        for (const char of text.split("")) {
          check(stream.feed(char));
          expect([...told].filter(isUntrue(stream.current?.params))).toEqual([]);
        }
        check(stream.finish());
      }),
      { numRuns: 300 },
    );
  });
});

/** Checks if the deltas of a parameter differ from its value. */
function isUntrue(params: unknown): (entry: readonly [string, string]) => boolean {
  return ([key, text]) => {
    if (params === undefined) return false;
    const path = JSON.parse(key) as readonly (string | number)[];
    return path.reduce<unknown>((value, name) => Object(value)[name] as unknown, params) !== text;
  };
}
