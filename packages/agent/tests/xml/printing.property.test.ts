import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ValidationError } from "../../src/shared/errors.js";
import { printToolCall } from "../../src/xml/print-tool-call.js";
import { toolArb, valuesArb } from "../support/xml/arbitraries.js";
import { ping, plan, read, search } from "../support/xml/tools.js";

describe("a printed call", () => {
  test("has the layout that models should write", () => {
    const params = {
      steps: [
        { title: "a<b", tags: [] },
        { title: "\n", minutes: -0 },
      ],
      owner: { name: "Ada" },
    };
    expect(printToolCall(plan, params)).toBe(
      `<plan>
  <steps>
    <step>
      <title>a&lt;b</title>
      <tags></tags>
    </step>
    <step>
      <title>&#10;</title>
      <minutes>-0</minutes>
    </step>
  </steps>
  <owner>
    <name>Ada</name>
  </owner>
</plan>`,
    );
    expect(printToolCall(ping, {})).toBe("<ping></ping>");
  });

  test("is not printed if the parameters are invalid", () => {
    expect(() => printToolCall(search, { query: "a", limit: Number.NaN })).toThrow(ValidationError);
    expect(() => printToolCall(search, { query: "a", limit: Infinity })).toThrow(
      "Tool 'search' parameter validation failed: limit: Expected a number; got Infinity",
    );
  });

  test("is printed in linear time", () => {
    const query = `${" ".repeat(300_000)}x${"\n".repeat(300_000)}y`;
    expect(read([printToolCall(search, { query })]).calls[0]?.params).toEqual({ query });
  });

  /**
   * **Feature: server-sdk, Property 16: Printing round-trip**
   * **Validates: Requirements 2.2**
   */
  test("can be parsed back to the same parameters", () => {
    const arb = toolArb.chain((tool) => fc.tuple(fc.constant(tool), valuesArb(tool.params)));
    fc.assert(
      fc.property(arb, fc.string(), ([tool, params], text) => {
        // A call is at the start of a line, outside code.
        const around = `${text.replace(/[<`~]/g, "")}\n`;
        const reading = read([around, printToolCall(tool, params), around], [tool]);
        expect(reading.calls).toEqual([{ name: tool.name, params }]);
        expect(reading.text).toBe(around + around);
      }),
      { numRuns: 1_000 },
    );
  });
});
