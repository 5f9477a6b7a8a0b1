import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ExtraFlag } from "../src/config/flags.js";
import { parseConfig } from "../src/config/parse-config.js";
import { LOG_LEVELS } from "tenon/protocol";

const extra: readonly ExtraFlag[] = [
  { name: "tag", kind: "string", env: "TAG", description: "A label" },
  { name: "dry-run", kind: "boolean", env: "DRY_RUN", description: "Change nothing" },
];
const VARIABLES = ["PORT", "HOST", "HEADLESS", "REDIRECT_URI", "LOG_LEVEL", "TAG", "DRY_RUN"];

const port = fc.nat({ max: 65_535 }).map(String);
const level = fc.constantFrom(...LOG_LEVELS);
const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
const url = fc.webUrl({ validSchemes: ["https"], withQueryParameters: true });
const text = fc.string({ minLength: 1, unit: "binary" });
/** A valid value, or any other: overridden variables are not validated. */
const anything = (good: fc.Arbitrary<string>) => fc.option(fc.oneof(good, text), { nil: undefined });

/** A flag in either spelling. */
const value = (name: string, values: fc.Arbitrary<string>) =>
  fc
    .tuple(values, fc.boolean())
    .map(([given, inline]) =>
      inline || given.startsWith("--") ? [`--${name}=${given}`] : [`--${name}`, given],
    );
const either = (name: string) => fc.constantFrom([`--${name}`], [`--no-${name}`]);

const KEYS = {
  PORT: { flag: value("port", port), env: anything(port) },
  HOST: { flag: value("host", host), env: anything(host) },
  HEADLESS: { flag: either("headless"), env: anything(fc.constantFrom("true", "false")) },
  REDIRECT_URI: { flag: value("redirect-uri", url), env: anything(url) },
  LOG_LEVEL: { flag: value("log-level", level), env: anything(level) },
  TAG: { flag: value("tag", text), env: anything(text) },
  DRY_RUN: { flag: either("dry-run"), env: anything(fc.constantFrom("true", "false")) },
};

const looksLikeFlags = fc.oneof(
  fc.constantFrom("--", "-", "", "--port", "--port=80", "--stdio", "--headless", "--no-headless", "--help"),
  fc.constantFrom(
    "--host",
    "--log-level",
    "--redirect-uri",
    "--tag",
    "--dry-run",
    "https://a.example",
    "info",
  ),
  fc.string({ unit: "binary" }),
  fc.string().map((rest) => `--${rest}`),
);
const someEnv = fc.dictionary(
  fc.oneof(fc.constantFrom(...VARIABLES), fc.string()),
  fc.option(fc.oneof(looksLikeFlags, port, fc.constantFrom("true", "false")), { nil: undefined }),
);

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("parseConfig, for any input", () => {
  test.each(Object.entries(KEYS))(
    "Z7: the flag takes precedence over any value of %s",
    (name, { flag, env }) => {
      const base = name === "REDIRECT_URI" ? ["--port=80"] : [];
      fc.assert(
        fc.property(flag, env, (args, variable) => {
          const alone = parseConfig([...base, ...args], {}, { extra });
          expect(parseConfig([...base, ...args], { [name]: variable }, { extra })).toStrictEqual(alone);
        }),
      );
    },
  );

  test("Z7: all flags take precedence over all variables", () => {
    const flags = fc.tuple(...Object.values(KEYS).map(({ flag }) => flag));
    const variables = fc.tuple(...Object.values(KEYS).map(({ env }) => env));
    fc.assert(
      fc.property(flags, variables, (args, values) => {
        const env = Object.fromEntries(Object.keys(KEYS).map((name, at) => [name, values[at]]));
        expect(parseConfig(args.flat(), env, { extra })).toStrictEqual(
          parseConfig(args.flat(), {}, { extra }),
        );
      }),
    );
  });

  test("Z6: --stdio takes precedence over any PORT", () => {
    fc.assert(
      fc.property(anything(port), (PORT) => {
        expect(parseConfig(["--stdio"], { PORT }).transport).toStrictEqual({ type: "stdio" });
      }),
    );
  });

  test("Z3: returns a valid result or throws an Error with one line per problem", () => {
    fc.assert(
      fc.property(fc.array(looksLikeFlags), someEnv, (args, env) => {
        const outcome = attempt(args, env);
        if (outcome instanceof Error) {
          expect(outcome.constructor).toBe(Error);
          for (const line of outcome.message.split("\n")) expect(line).toMatch(/^[\x20-\x7e]{10,}$/);
          return;
        }
        const { transport, port: extracted, redirectUri, redirectUrl } = outcome;
        expect(extracted).toBe(transport.type === "http" ? transport.port : undefined);
        expect(redirectUri === undefined).toBe(redirectUrl === undefined);
        if (redirectUri !== undefined) expect(transport.type).toBe("http");
      }),
      { numRuns: 2_000 },
    );
  });

  test("Z3: messages never contain the value of an application's flag", () => {
    const secret = "Correct-Horse-Battery-Staple";
    fc.assert(
      fc.property(fc.array(looksLikeFlags), fc.nat(), (args, at) => {
        const line = args.toSpliced(at % (args.length + 1), 0, `--tag=${secret}`);
        for (const outcome of [
          attempt(line, {}),
          attempt(args, { TAG: secret, DRY_RUN: secret, REDIRECT_URI: secret }),
        ]) {
          expect(outcome instanceof Error ? outcome.message : "").not.toContain(secret);
        }
      }),
    );
  });
});

describe("parseConfig is pure", () => {
  test("Z2: the same input gives the same output and is not modified", () => {
    fc.assert(
      fc.property(fc.array(looksLikeFlags), someEnv, (args, env) => {
        const before = structuredClone([args, env, extra]);
        const first = attempt(Object.freeze(args), Object.freeze(env));
        expect(attempt(args, env)).toEqual(first);
        expect([args, env, extra]).toEqual(before);
      }),
    );
  });

  test("Z2: reads only the environment variables of its flags", () => {
    fc.assert(
      fc.property(fc.array(looksLikeFlags), someEnv, (args, env) => {
        const touched = new Set<PropertyKey>();
        const forbidden = () => {
          throw new TypeError("the environment must only be read by name");
        };
        const watched = new Proxy(env, {
          get: (target, key) => {
            touched.add(key);
            return Reflect.get(target, key) as unknown;
          },
          ownKeys: forbidden,
          has: forbidden,
          set: forbidden,
          deleteProperty: forbidden,
        });
        expect(attempt(args, watched)).toEqual(attempt(args, env));
        expect([...touched].filter((key) => !VARIABLES.includes(String(key)))).toEqual([]);
      }),
    );
  });

  test("Z2: runs without a `process` global", () => {
    const outcomes = (): readonly unknown[] => [
      attempt(["--port", "3000", "--tag", "x"], { HOST: "::1" }),
      attempt([], { PORT: "x" }),
    ];
    const expected = outcomes();
    const { argv, env } = process;
    const [argvBefore, envBefore] = [[...argv], { ...env }];
    vi.stubGlobal("process", undefined);
    const without = outcomes();
    vi.unstubAllGlobals();
    expect(without).toEqual(expected);
    expect([[...argv], { ...env }]).toEqual([argvBefore, envBefore]);
  });
});

/** Returns the configuration or the thrown `Error`. Any other thrown value fails the test. */
function attempt(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  try {
    return parseConfig(args, env, { extra });
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error as Error;
  }
}
