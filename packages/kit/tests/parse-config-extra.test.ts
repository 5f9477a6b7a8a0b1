import { describe, expect, expectTypeOf, test } from "vitest";
import { OTHER_OPTIONS } from "@tenon/internal/options/define-options";
import type { ExtraFlag } from "../src/config/flags.js";
import { parseConfig, type ParsedTransportConfig } from "../src/config/parse-config.js";

type Env = Readonly<Record<string, string | undefined>>;

const STDIO = {
  transport: { type: "stdio" },
  headless: false,
  help: undefined,
  [OTHER_OPTIONS]: ["headless", "logLevel", "redirectUri", "redirectUrl", "extra"],
};
/** Splits a command line at single spaces. */
const split = (line: string): readonly string[] => (line === "" ? [] : line.split(" "));
const BAD_NAME = 'the name must be in kebab-case and must not start with "no-".';

describe("parseConfig: the application's own flags", () => {
  const extra = [
    { name: "base-url", kind: "string", env: "BASE_URL", description: "Public address" },
    { name: "dry-run", kind: "boolean", env: "DRY_RUN", description: "Change nothing" },
    { name: "tag", kind: "string", description: "A label" },
  ] as const satisfies readonly ExtraFlag[];

  test.each<readonly [string, Env, Readonly<Record<string, string | boolean>>]>([
    ["", {}, { "dry-run": false }],
    ["--dry-run --base-url=http://a", {}, { "dry-run": true, "base-url": "http://a" }],
    ["--tag -x", { TAG: "unread" }, { "dry-run": false, tag: "-x" }],
    ["--tag=--x=y", {}, { "dry-run": false, tag: "--x=y" }],
    ["", { BASE_URL: "b", DRY_RUN: "true" }, { "dry-run": true, "base-url": "b" }],
    ["--no-dry-run --base-url c", { BASE_URL: "b", DRY_RUN: "true" }, { "dry-run": false, "base-url": "c" }],
    ["", { BASE_URL: "", DRY_RUN: "" }, { "dry-run": false }],
  ])("Z5, Z7: %j with %j", (line, env, values) => {
    expect(parseConfig(split(line), env, { extra })).toStrictEqual({ ...STDIO, extra: values });
  });

  test.each<readonly [string, Env, string]>([
    ["--tag", {}, "--tag requires a value."],
    ["--tag=hunter2 --tag=hunter3", {}, "--tag can be given only once."],
    ["--dry-run=hunter2", {}, "--dry-run does not take a value. Use --dry-run or --no-dry-run."],
    ["--no-tag", {}, "Unknown flag --no-tag. Use --help to list the flags."],
    ["", { DRY_RUN: "hunter2" }, "DRY_RUN must be true or false."],
  ])("Z3: rejects %j with %j without showing the value", (line, env, message) => {
    expect(messageOf(line, env, extra)).toBe(message);
  });

  test("Z38: the values are typed by their declarations", () => {
    const config = parseConfig([], {}, { extra });
    expectTypeOf(config.extra["dry-run"]).toEqualTypeOf<boolean>();
    expectTypeOf(config.extra["base-url"]).toEqualTypeOf<string | undefined>();
    expectTypeOf(config).toExtend<ParsedTransportConfig>();
    // @ts-expect-error: an undeclared flag
    expect(config.extra["other"]).toBeUndefined();
    // @ts-expect-error: no flags are declared
    expect(parseConfig([], {}).extra["tag"]).toBeUndefined();
    const wide: readonly ExtraFlag[] = extra;
    const { extra: values } = parseConfig([], {}, { extra: wide });
    expectTypeOf(values).toEqualTypeOf<Readonly<Record<string, string | boolean>>>();
  });

  test.each<readonly [string, readonly ExtraFlag[], string]>([
    ["a built-in name", [flag("port")], "Extra flag --port is a built-in flag. Choose a different name."],
    ["the help", [flag("help")], "Extra flag --help is a built-in flag. Choose a different name."],
    ["a name twice", [flag("a"), flag("a")], "Extra flag --a is already defined. Names must be unique."],
    [
      "a built-in variable",
      [flag("a", "PORT")],
      "Extra flag --a: PORT is already used by --port. Choose a different variable.",
    ],
    [
      "a variable twice",
      [flag("a", "A"), flag("b", "A")],
      "Extra flag --b: A is already used by --a. Choose a different variable.",
    ],
    ["a negation", [flag("no-headless")], `Extra flag --no-headless: ${BAD_NAME}`],
    ["dashes", [flag("--a")], `Extra flag ----a: ${BAD_NAME}`],
    ["a prototype", [flag("__proto__")], `Extra flag --__proto__: ${BAD_NAME}`],
    [
      "a lower-case variable",
      [flag("a", "constructor")],
      'Extra flag --a: `env` must be an environment variable name such as LOG_LEVEL; got "constructor".',
    ],
    [
      "two lines",
      [{ ...flag("a"), description: "a\nb" }],
      'Extra flag --a: `description` must be a single line of text without leading or trailing spaces; got "a?b".',
    ],
    [
      "no text",
      [{ ...flag("a"), description: "" }],
      'Extra flag --a: `description` must be a single line of text without leading or trailing spaces; got "".',
    ],
    [
      "several",
      [flag("host"), flag("A")],
      `Extra flag --host is a built-in flag. Choose a different name.\nExtra flag --A: ${BAD_NAME}`,
    ],
  ])("Z3: rejects a declaration with %s, even with --help", (_what, declared, message) => {
    expect(messageOf("--help", {}, declared)).toBe(message);
  });
});

function flag(name: string, env?: string): ExtraFlag {
  return { name, kind: "string", description: "A text", ...(env === undefined ? {} : { env }) };
}

function messageOf(line: string, env: Env, extra: readonly ExtraFlag[]): string {
  try {
    parseConfig(split(line), env, { extra });
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("expected an error");
}
