import { describe, expect, test } from "vitest";
import { assertKnownOptions, type OptionNames } from "../src/names/known-options.js";

interface Options {
  readonly input?: unknown;
  readonly scopes?: readonly string[];
}

const NAMES: OptionNames<Options> = { input: true, scopes: true };
const RULE = { label: 'Tool "forecast"', names: NAMES, aliases: { inputSchema: "input" } };

describe("assertKnownOptions", () => {
  test("accepts known options", () => {
    expect(() => assertKnownOptions({ input: 1, scopes: undefined }, RULE)).not.toThrow();
  });

  test.each([
    ["a misspelled name", { scope: [] }, "`scope`. Did you mean `scopes`?"],
    ["a name from another library", { inputSchema: {} }, "`inputSchema`. Did you mean `input`?"],
    ["an unrelated name", { colour: 1 }, "`colour`. Known options: `input`, `scopes`."],
    ["an inherited name", { toString: 1 }, "`toString`. Known options: `input`, `scopes`."],
    ["an unprintable name", { "\u001b[31m": 1 }, "`?[31m`. Known options: `input`, `scopes`."],
  ])("first-run-a3: rejects %s", (_, options, text) => {
    expect(() => assertKnownOptions(options, RULE)).toThrow(
      new TypeError(`Tool "forecast": unknown option ${text}`),
    );
  });
});
