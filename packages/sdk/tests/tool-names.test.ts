/**
 * @fileoverview Warnings about tool names, compared with both versions of the official SDK.
 * @module tests/sdk/tool-names
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { ours, theirs } from "./support/both-sides.js";
import { INFO, SDKS, text } from "./support/v2/both-sides.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs code, and returns the lines that it prints with `console.warn`. */
function warningsOf(run: () => unknown): readonly unknown[] {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  run();
  const lines = warn.mock.calls.map(([line]) => line as unknown);
  warn.mockRestore();
  return lines;
}

const NAMES = [
  ["get_user", 0],
  ["get.user-2", 0],
  ["get user", 7],
  ["get,user", 7],
  ["-start", 5],
  ["end.", 5],
  ["-both.", 6],
  ["größe, ünd größe/", 8],
] as const;

describe("warnings about tool names", () => {
  test.each(NAMES)("version 1: %j prints %i lines, as on the official SDK (drop-in B12)", (name, count) => {
    const [wanted, given] = [theirs(), ours()].map((server) =>
      warningsOf(() => server.registerTool(name, {}, () => ({ content: [] }))),
    );
    expect(wanted).toHaveLength(count);
    expect(given).toEqual(wanted);
  });

  test.each(NAMES)("version 2: %j prints %i lines, as on the official SDK (drop-in B12)", (name, count) => {
    const [wanted, given] = SDKS.map(([, sdk]) => {
      const server = new sdk.McpServer(INFO);
      return warningsOf(() => server.registerTool(name, {}, () => text("")));
    });
    expect(wanted).toHaveLength(count);
    expect(given).toEqual(wanted);
  });

  test("a new name is checked too, and other changes are not (drop-in B12)", () => {
    const [wanted, given] = [theirs(), ours()].map((server) => {
      const tool = server.registerTool("plain", {}, () => ({ content: [] }));
      const renamed = warningsOf(() => tool.update({ name: "not plain" }));
      return [renamed, warningsOf(() => tool.update({ title: "Title" }))];
    });
    expect(wanted?.map((lines) => lines.length)).toEqual([7, 0]);
    expect(given).toEqual(wanted);
  });

  test("a name that is rejected is not printed (drop-in B12)", () => {
    const register = () => ours().registerTool("a\u001b[31m", {}, () => ({ content: [] }));
    expect(warningsOf(() => expect(register).toThrow("without control characters"))).toEqual([]);
  });

  test("marks of the text direction are escaped (drop-in B12)", () => {
    const lines = warningsOf(() => ours().registerTool("a\u202eb", {}, () => ({ content: [] })));
    expect(lines[0]).toBe('Tool name validation warning for "a\\u202eb":');
    expect(lines.join("")).not.toContain("\u202e");
  });
});
