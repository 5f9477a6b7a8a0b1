import { describe, expect, expectTypeOf, test } from "vitest";
import {
  assertOptions,
  defineOptions,
  listEnvProblems,
  listOptionProblems,
  optionsFromEnv,
  type OptionsOf,
  OTHER_OPTIONS,
  parseOptions,
  pickOptions,
} from "../src/options/define-options.js";
import {
  callback,
  custom,
  flag,
  integer,
  number,
  object,
  oneOf,
  text,
  texts,
} from "../src/options/option-rows.js";

const STREAMS = defineOptions("streams", {
  /** Maximum number of events. */
  maxEvents: integer({ default: 1_000 }),
});

const LISTEN = defineOptions("listen", {
  /** Port to listen on. */
  port: integer({ min: 0, max: 65_535, required: true, env: "PORT" }),
  host: text({ default: "127.0.0.1", aliases: ["hostname"], env: "HOST" }),
  workers: integer({ max: 512, or: ["auto"] }),
  ttlMs: integer({ default: 3_600_000, or: [null] }),
  skewSeconds: number({ max: 300 }),
  maxBytes: number(),
  mode: oneOf(["stateful", "stateless"], { default: "stateful", env: "MODE" }),
  banner: flag({ default: true, env: "BANNER" }),
  hosts: texts({ env: "HOSTS" }),
  streams: object(STREAMS),
  onClose: callback<() => void>(),
  names: texts({ isItem: (item) => item !== "", expected: "names" }),
  size: custom<number>({ accepts: (value) => Number(value) > 0, got: (value) => `${String(value)} px` }),
  token: text({ isSecret: true, env: "TOKEN" }),
  title: text({ allowEmpty: true }),
  store: custom<Map<string, number>>({
    expected: "a map",
    accepts: (value) => value instanceof Map,
    fix: () => "Use `new Map()`.",
  }),
});
type ListenOptions = OptionsOf<typeof LISTEN>;

describe("parseOptions", () => {
  test("sets the defaults, also inside an object", () => {
    expect(parseOptions(LISTEN, { port: 80, host: undefined })).toEqual({
      port: 80,
      host: "127.0.0.1",
      ttlMs: 3_600_000,
      mode: "stateful",
      banner: true,
      streams: { maxEvents: 1_000 },
    });
    expect(parseOptions(LISTEN, { port: 80, streams: {} }).streams).toEqual({ maxEvents: 1_000 });
    expect(parseOptions(LISTEN, { port: 80, streams: { maxEvents: 5 } }).streams.maxEvents).toBe(5);
  });

  test.each<[unknown, string]>([
    ["http", "the options must be an object; got a string."],
    [{}, "`port` is required. Set it to an integer from 0 to 65535."],
    [{ port: 65_536 }, "`port` must be an integer from 0 to 65535; got 65536."],
    [{ port: "80" }, '`port` must be an integer from 0 to 65535; got "80".'],
    [{ port: 1, prot: undefined }, "unknown option `prot`. Did you mean `port`?"],
    [{ port: 1, hostname: "a" }, "unknown option `hostname`. Did you mean `host`?"],
    [{ port: 1, toString: 1 }, expect.stringContaining("unknown option `toString`. Known options: `port`")],
    [{ port: 1, host: "" }, '`host` must be a non-empty string; got "".'],
    [{ port: 1, title: 5 }, "`title` must be a string; got 5."],
    [{ port: 1, workers: 0 }, '`workers` must be an integer from 1 to 512 or "auto"; got 0.'],
    [{ port: 1, ttlMs: 0.5 }, "`ttlMs` must be a positive integer (milliseconds) or null; got 0.5."],
    [{ port: 1, skewSeconds: 301 }, "`skewSeconds` must be a number from 0 to 300 (seconds); got 301."],
    [{ port: 1, maxBytes: Number.NaN }, "`maxBytes` must be a non-negative number (bytes); got NaN."],
    [{ port: 1, mode: "x" }, '`mode` must be "stateful" or "stateless"; got "x".'],
    [{ port: 1, banner: "no" }, '`banner` must be true or false; got "no".'],
    [
      { port: 1, hosts: ["a", 1] },
      "`hosts` must be an array of strings; got an array whose item 1 is invalid.",
    ],
    [{ port: 1, hosts: "a" }, '`hosts` must be an array of strings; got "a".'],
    [{ port: 1, names: [""] }, "`names` must be names; got an array whose item 0 is invalid."],
    [{ port: 1, size: -1 }, "`size` must be valid; got -1 px."],
    [{ port: 1, streams: 5 }, "`streams` must be an object; got a number."],
    [{ port: 1, streams: { max: 1 } }, expect.stringContaining("`streams`: unknown option `max`.")],
    [{ port: 1, streams: { maxEvents: 0 } }, "`streams.maxEvents` must be a positive integer; got 0."],
    [{ port: 1, onClose: 1 }, "`onClose` must be a function; got 1."],
    [{ port: 1, token: 7 }, "`token` must be a non-empty string; got a number."],
    [{ port: 1, store: {} }, "`store` must be a map; got an object. Use `new Map()`."],
  ])("rejects %j", (options, problem) => {
    expect([...listOptionProblems(LISTEN, options)]).toEqual([problem]);
    expect(() => assertOptions(LISTEN, options)).toThrow(TypeError);
  });

  test("shows an example of the options", () => {
    const table = defineOptions("listen", { port: integer() }, "an object such as { port: 80 }");
    expect(() => assertOptions(table, 80)).toThrow(
      "listen: the options must be an object such as { port: 80 }; got a number.",
    );
  });

  test("accepts an empty text only if it may be empty", () => {
    expect(parseOptions(LISTEN, { port: 1, title: "" }).title).toBe("");
    expect(parseOptions(LISTEN, { port: 1, host: "\n" }).host).toBe("\n");
  });

  test("starts the error with the label, and reports unknown names first", () => {
    const options = { port: -1, x: 1 } as ListenOptions;
    expect(() => parseOptions(LISTEN, options, "serve")).toThrow(/^serve: unknown option `x`/);
    expect(() => parseOptions(LISTEN, { port: -1 })).toThrow(/^listen: `port` must be/);
  });

  test("lists all problems", () => {
    expect([...listOptionProblems(LISTEN, { port: -1, mode: 1, ttlMs: -1 })]).toHaveLength(3);
  });

  test("ignores members that the object declares as someone else's", () => {
    const options = { port: 1, logLevel: "debug", [OTHER_OPTIONS]: ["logLevel"] };
    expect([...listOptionProblems(LISTEN, { ...options })]).toEqual([]);
    expect([...listOptionProblems(LISTEN, { ...options, logLevels: 1 })]).toHaveLength(1);
  });

  test("never reads inherited names from the table", () => {
    expect([...listOptionProblems(LISTEN, JSON.parse('{"port":1,"__proto__":{}}'))]).toHaveLength(1);
  });

  test("has the types of the rows", () => {
    const parsed = parseOptions(LISTEN, { port: 1 });
    expectTypeOf(parsed.port).toEqualTypeOf<number>();
    expectTypeOf(parsed.workers).toEqualTypeOf<number | "auto" | undefined>();
    expectTypeOf(parsed.ttlMs).toEqualTypeOf<number | null>();
    expectTypeOf(parsed.mode).toEqualTypeOf<"stateful" | "stateless">();
    expectTypeOf(parsed.streams.maxEvents).toEqualTypeOf<number>();
    expectTypeOf<ListenOptions["host"]>().toEqualTypeOf<string | undefined>();
    // @ts-expect-error `port` is required
    const missing: ListenOptions = {};
    expect(missing).toEqual({});
  });
});

test("optionsFromEnv converts variables, and leaves the check to the caller", () => {
  const env = { PORT: " 80 ", HOST: "", MODE: "x", BANNER: "false", HOSTS: "a, b", OTHER: "1" };
  expect(optionsFromEnv(LISTEN, env)).toEqual({ port: 80, mode: "x", banner: false, hosts: ["a", "b"] });
  expect(optionsFromEnv(LISTEN, { PORT: "http", BANNER: "maybe" })).toEqual({
    port: "http",
    banner: "maybe",
  });
});

test("optionsFromEnv keeps the spaces around a secret", () => {
  expect(optionsFromEnv(LISTEN, { TOKEN: " a ", HOST: "  " })).toEqual({ token: " a " });
});

test("listEnvProblems names the variables, and leaves out secrets", () => {
  expect([...listEnvProblems(LISTEN, { PORT: "http", MODE: "x", TOKEN: "  " })]).toEqual([
    'PORT must be an integer from 0 to 65535; got "http".',
    'MODE must be "stateful" or "stateless"; got "x".',
  ]);
  expect([...listEnvProblems(LISTEN, {})]).toEqual([
    "PORT is required. Set it to an integer from 0 to 65535.",
  ]);
});

test("options with an explicit type can be required or have a default", () => {
  const table = defineOptions("t", {
    run: callback<() => number>({ required: true }),
    store: custom<Set<string> | undefined>({ required: true }),
    clock: callback<() => number>({ default: Date.now }),
  });
  expectTypeOf<OptionsOf<typeof table>["run"]>().toEqualTypeOf<() => number>();
  expectTypeOf<OptionsOf<typeof table>["store"]>().toEqualTypeOf<Set<string> | undefined>();
  const parsed = parseOptions(table, { run: () => 1, store: new Set() });
  expectTypeOf(parsed.clock).toEqualTypeOf<() => number>();
  expect(parsed.clock).toBe(Date.now);
});

test("pickOptions returns the options of the table that are set", () => {
  expect(pickOptions(STREAMS, { maxEvents: 1, port: 2 })).toEqual({ maxEvents: 1 });
  expect(pickOptions(STREAMS, { maxEvents: undefined })).toEqual({});
});
