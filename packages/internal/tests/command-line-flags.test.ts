import { type Command, usageError } from "@tenon/internal/command-line/command";
import {
  argument,
  choice,
  type Flags,
  optionalArgument,
  repeated,
  toggle,
  toggleAuto,
  toggleOff,
  value,
} from "@tenon/internal/command-line/flags";
import { parseArguments } from "@tenon/internal/command-line/parse-arguments";
import { integer, text } from "@tenon/internal/options/option-rows";
import { describe, expect, expectTypeOf, test } from "vitest";

const ARGS = {
  file: argument("File"),
  other: optionalArgument("Other file"),
  port: value("number", "Port", { option: integer({ min: 0, max: 65_535 }) }),
  path: value("path", "Path", { option: text({ default: "/mcp" }), excludes: "stdio" }),
  redis: value("url", "Redis", {
    requires: "port",
    option: text({ env: "REDIS_URL", pattern: /^redis:/, expected: "a Redis URL", isSecret: true }),
  }),
  "allow-host": repeated("name", "Host", { requires: "port" }),
  mode: choice(["fast", "safe"], "Mode"),
  stdio: toggle("Stdio"),
  page: toggleOff("Page", "No page"),
  json: toggleAuto("JSON"),
};

function define<Args extends Flags>(args: Args): Command<Args> {
  return { name: "x", usage: "x", description: "", args, examples: [], run: async () => 0 };
}

const parse = (words: string, env = {}) => parseArguments(define(ARGS), words.split(" "), env);

describe("flags", () => {
  test("have their defaults if they are not given", () => {
    expect(parse("a.ts")).toEqual({
      file: "a.ts",
      other: undefined,
      port: undefined,
      path: "/mcp",
      redis: undefined,
      allowHost: [],
      mode: undefined,
      stdio: false,
      page: true,
      json: undefined,
      rest: [],
      program: undefined,
    });
  });

  test("are converted to their types", () => {
    const flags = parse("a.ts b.ts --port 80 --allow-host a --allow-host b --mode safe --no-page --no-json");
    expect(flags).toMatchObject({ other: "b.ts", port: 80, allowHost: ["a", "b"], mode: "safe" });
    expect(flags).toMatchObject({ page: false, json: false });
    expectTypeOf(flags.file).toEqualTypeOf<string>();
    expectTypeOf(flags.port).toEqualTypeOf<number | undefined>();
    expectTypeOf(flags.path).toEqualTypeOf<string>();
    expectTypeOf(flags.allowHost).toEqualTypeOf<readonly string[]>();
    expectTypeOf(flags.mode).toEqualTypeOf<"fast" | "safe" | undefined>();
    expectTypeOf(flags.json).toEqualTypeOf<boolean | undefined>();
  });

  test("read their environment variable, unless a flag that they require is missing", () => {
    const env = { REDIS_URL: "redis://a" };
    expect(parse("a.ts --port 1", env).redis).toBe("redis://a");
    expect(parse("a.ts --port 1 --redis redis://b", env).redis).toBe("redis://b");
    expect(parse("a.ts", env).redis).toBeUndefined();
    expect(parse("a.ts --port 1", { REDIS_URL: " " }).redis).toBeUndefined();
  });

  test.each([
    ["a.ts --port 70000", '--port must be an integer from 0 to 65535; got "70000".'],
    ["a.ts --redis redis://a", "--redis requires --port."],
    ["a.ts --allow-host a", "--allow-host requires --port."],
    ["a.ts --port 1 --redis http://secret", "--redis must be a Redis URL."],
    ["a.ts --stdio --path /x", "--stdio cannot be combined with --path. Remove one of them."],
  ])("reject %s", (words, message) => {
    expect(() => parse(words)).toThrow(usageError(message));
  });

  test("name the environment variable whose value is invalid", () => {
    expect(() => parse("a.ts --port 1", { REDIS_URL: "http://secret" })).toThrow(
      usageError("REDIS_URL must be a Redis URL."),
    );
  });
});
