import { describe, expect, test } from "vitest";
import { error, required, success } from "../../src/grouped/index.js";
import { createTool } from "../../src/grouped/index.js";
import { failure, text } from "./results.js";

describe("success", () => {
  test.each<readonly [string, unknown, string]>([
    ["text as it is", "done", "done"],
    ["an empty text as OK", "", "OK"],
    ["nothing as OK", undefined, "OK"],
    ["an object indented", { id: 1, tags: ["a"] }, '{\n  "id": 1,\n  "tags": [\n    "a"\n  ]\n}'],
    ["a list indented", [1], "[\n  1\n]"],
    ["null", null, "null"],
    ["a number", 0, "0"],
    ["a truth value", false, "false"],
  ])("gives %s", (_what, data, expected) => {
    expect(success(data)).toEqual(text(expected));
  });

  test("F57: of what has no JSON fails inside the action", async () => {
    const round: Record<string, unknown> = {};
    round["self"] = round;
    const builder = createTool("t").action({ name: "a", handler: () => success(round) });
    const { isError } = await builder.execute(undefined, { action: "a" });
    expect(isError).toBe(true);
  });
});

describe("failures", () => {
  test("F51: error() gives its text without a prefix", () => {
    expect(error("no such user")).toEqual(failure("no such user"));
  });

  test("F54: required() names the field", () => {
    expect(required("email")).toEqual(failure("Error: email required"));
  });

  test("F57: a failure that a handler returns is no error of the chain", async () => {
    const builder = createTool("t").action({ name: "a", handler: () => error("taken") });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(failure("taken"));
  });
});
