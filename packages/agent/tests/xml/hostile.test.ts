import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { modelTextArb } from "../support/xml/arbitraries.js";
import { ping, read, search, TOOLS, writeFile } from "../support/xml/tools.js";

/** Number of runs. Set `XML_FUZZ_RUNS=100000` for an extensive run. */
const RUNS = Number(process.env.XML_FUZZ_RUNS ?? 20_000);

/** Text that is not a call is read again, at most four times, and each read takes at most three steps. */
const MAX_STEPS = 15;

describe("hostile text", () => {
  test("neither throws nor hangs, and its calls are valid or rejected", () => {
    const mutatedArb = fc
      .tuple(modelTextArb, fc.array(fc.tuple(fc.nat(500), fc.nat(0x7f)), { maxLength: 6 }))
      .map(([text, changes]) =>
        changes.reduce((mutated, [at, code]) => {
          const place = at % (mutated.length + 1);
          return mutated.slice(0, place) + String.fromCharCode(code) + mutated.slice(place + (at % 3));
        }, text),
      );
    fc.assert(
      fc.property(mutatedArb, (text) => {
        let steps = 0;
        const onSteps = (count: number) => {
          steps += count;
        };
        const stream = new ToolCallStream(TOOLS, { onSteps });
        const events = [...stream.feed(text), ...stream.finish()];
        if (steps > MAX_STEPS * text.length) throw new Error(`${steps} steps for ${text.length} characters`);
        const starts = events.filter(({ type }) => type === "start").length;
        const calls = events.flatMap((event) => (event.type === "call" ? event.call : []));
        if (calls.length !== starts) throw new Error("a call was lost");
        for (const { error } of calls) {
          if (error !== undefined && error.details.issues.length === 0)
            throw new Error("a valid call was rejected");
        }
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  test("too many tags end the call and the stream", () => {
    const stream = new ToolCallStream([search], { maxTags: 10 });
    const events = stream.feed(`<search><query>a</query><filters>${"<filter>x</filter>".repeat(10)}`);
    const call = events.flatMap((event) => (event.type === "call" ? event.call : []))[0];
    expect(call?.error?.message).toBe(
      "Tool 'search' parameter validation failed: The call has too many tags (limit: 10)",
    );
    expect(call?.params).toEqual({ query: "a", filters: ["x", "x", "x"] });
    expect(stream.feed("</filters></search><search/>")).toEqual([]);
    expect(stream.finish()).toEqual([]);
  });

  test("too much text ends the call, regardless of how it is split", () => {
    for (const size of [1, 7, 100]) {
      const stream = new ToolCallStream([writeFile], { maxLength: 20 });
      const text = `<write_file><path>a</path><content>${"x".repeat(100)}</content></write_file><write_file>`;
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
      const calls = events.flatMap((event) => (event.type === "call" ? event.call : []));
      expect(calls.map(({ params }) => params)).toEqual([{ path: "a" }]);
      expect(calls[0]?.error?.message).toBe(
        "Tool 'write_file' parameter validation failed: The call is too long (limit: 20 characters); content: Required parameter is missing",
      );
      expect(events.filter(({ type }) => type === "start")).toHaveLength(1);
    }
  });

  test("1,000 issues result in a message of limited length", () => {
    const [call] = read([`<search><query/>${"<x></x>".repeat(1_000)}</search>`]).calls;
    expect(call?.error?.details.issues).toHaveLength(20);
    expect(call?.error?.message.length).toBeLessThan(5_000);
  });

  test("text outside calls and the number of calls are unlimited", () => {
    const { calls, text } = read([`${"x".repeat(2_000_000)}\n${"<ping/>".repeat(20_000)}`], [ping]);
    expect(calls).toHaveLength(20_000);
    expect(text).toHaveLength(2_000_001);
  });

  test("parameters cannot reach a prototype", () => {
    const text = "<search><query>a</query><constructor><prototype>x</prototype></constructor></search>";
    expect(Object.keys(read([text]).calls[0]?.params ?? {})).toEqual(["query"]);
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });
});
