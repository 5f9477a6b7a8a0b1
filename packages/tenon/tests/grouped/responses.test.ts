import { describe, expect, test } from "vitest";
import { error, required, success } from "../../src/grouped/index.js";
import { createTool } from "../../src/grouped/index.js";
import { failure, text } from "../support/grouped/results.js";

describe("success", () => {
  test.each<readonly [string, unknown, string]>([
    ["unchanged text", "done", "done"],
    ["OK for an empty text", "", "OK"],
    ["OK for undefined", undefined, "OK"],
    ["indented JSON for an object", { id: 1, tags: ["a"] }, '{\n  "id": 1,\n  "tags": [\n    "a"\n  ]\n}'],
    ["indented JSON for a list", [1], "[\n  1\n]"],
    ["null", null, "null"],
    ["a number", 0, "0"],
    ["a boolean", false, "false"],
  ])("returns %s", (_what, data, expected) => {
    expect(success(data)).toEqual(text(expected));
  });

  test("F57: a value without JSON fails inside the action", async () => {
    const round: Record<string, unknown> = {};
    round["self"] = round;
    const builder = createTool("t").action({ name: "a", handler: () => success(round) });
    const { isError } = await builder.execute(undefined, { action: "a" });
    expect(isError).toBe(true);
  });
});

describe("failures", () => {
  test("F51: error() returns its text without a prefix", () => {
    expect(error("no such user")).toEqual(failure("no such user"));
  });

  test("F54: required() names the field", () => {
    expect(required("email")).toEqual(failure("Error: email required"));
  });

  test("F57: a failure that a handler returns is not an error in the chain", async () => {
    const builder = createTool("t").action({ name: "a", handler: () => error("taken") });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(failure("taken"));
  });
});
