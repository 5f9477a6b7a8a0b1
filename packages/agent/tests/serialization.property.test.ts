import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RegistrationError } from "../src/shared/errors.js";
import { parseTool, serializeTool } from "../src/tools/serialize-tool.js";
import { toolArb } from "./support/xml/arbitraries.js";
import { plan } from "./support/xml/tools.js";

const { invoke: _invoke, ...description } = plan;

describe("A39, A41: tool descriptions as JSON", () => {
  /**
   * **Feature: server-sdk, Property 12: Tool definition round-trip**
   * **Validates: Requirements 5.4, 5.5**
   */
  test("A29: parsing restores an equal description, without the function", () => {
    fc.assert(
      fc.property(toolArb, ({ invoke: _work, ...tool }) => {
        const json = serializeTool(tool);
        const parsed = parseTool(json);
        expect(parsed).toEqual(tool);
        expect(serializeTool(parsed)).toBe(json);
      }),
      { numRuns: 500 },
    );
  });

  /**
   * **Feature: server-sdk, Property 12: Tool definition round-trip**
   * **Validates: Requirements 5.5**
   */
  test("A29: any other text is rejected or describes a tool", () => {
    const spoiltArb = fc
      .tuple(toolArb, fc.nat(), fc.nat(20), fc.string({ maxLength: 5 }))
      .map(([tool, at, gone, scrap]) => {
        const json = serializeTool(tool);
        const place = at % (json.length + 1);
        return json.slice(0, place) + scrap + json.slice(place + gone);
      });
    fc.assert(
      fc.property(fc.oneof(spoiltArb, fc.json(), fc.string()), (text) => {
        try {
          expect(parseTool(serializeTool(parseTool(text)))).toEqual(parseTool(text));
        } catch (error) {
          expect(error).toBeInstanceOf(RegistrationError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("contain exactly the five fields, and are frozen", () => {
    const parsed = parseTool(JSON.stringify({ ...description, extra: 1, invoke: "x" }));
    expect(parsed).toEqual(description);
    expect(Object.isFrozen(parsed.params[0]?.params)).toBe(true);
    expect(JSON.parse(serializeTool(plan))).toEqual(description);
    expect(parseTool(JSON.stringify({ ...description, useExamples: undefined })).useExamples).toEqual([]);
  });

  test.each([
    ["Tool definition is not valid JSON.", "{"],
    ["Tool definition is invalid: the definition must be an object; got an array.", "[]"],
    ["Tool definition is invalid: the definition must be an object; got null.", "null"],
    ["Tool definition is invalid: `params` is missing.", '{"name":"a","description":"a","whenToUse":"a"}'],
    ["Tool definition is too long: 1000002 characters (limit: 1000000).", `"${"x".repeat(1_000_000)}"`],
    ["Tool definition is nested deeper than 64 levels.", "[".repeat(100)],
  ])("are rejected if invalid: %s", (message, json) => {
    expect(() => parseTool(json)).toThrow(new RegistrationError(message));
  });

  test("an invalid tool is not serialized", () => {
    expect(() => serializeTool({ ...plan, description: "" })).toThrow(
      new RegistrationError('Tool definition is invalid: `description` must be a non-empty string; got "".'),
    );
  });
});
