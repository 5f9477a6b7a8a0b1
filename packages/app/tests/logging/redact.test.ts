import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/logging/redact.js";
import { createLogger } from "../../src/logging/logger.js";

const redactor = createRedactor();

test("redacts members whose names denote secrets, and keeps the others", () => {
  expect(redactor.value({ apiKey: "x", "Set-Cookie": "y", monkey: "z" })).toEqual({
    apiKey: "[REDACTED]",
    "Set-Cookie": "[REDACTED]",
    monkey: "z",
  });
  const custom = createRedactor({ names: ["PIN"] });
  expect(custom.value({ userPin: "1", spin: "2" })).toEqual({ userPin: "[REDACTED]", spin: "2" });
});

test("redacts text that looks like a credential", () => {
  expect(redactor.text('{"password":"a b c"}')).toBe('{"password":"[REDACTED]"}');
});

describe("data of any kind", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const deep = Array.from({ length: 20 }).reduce((inner) => ({ inner }), "end" as unknown);

  test.each<[string, unknown, unknown]>([
    ["a circle", circle, { self: "[Circular]" }],
    [
      "a getter that throws",
      Object.defineProperty({ a: 1 }, "b", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
      { a: 1, b: "[Unreadable]" },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
      "[Unreadable]",
    ],
    [
      "a map",
      new Map<unknown, unknown>([
        ["token", "x"],
        [3, 4],
      ]),
      { token: "[REDACTED]", 3: 4 },
    ],
    ["a set", new Set([1, "a"]), [1, "a"]],
    ["bytes", new Uint8Array(3), "[3 bytes]"],
    ["a buffer", Buffer.from("abc"), "[3 bytes]"],
    ["a bigint", 12n, "12"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(Number.NaN), "Invalid Date"],
    ["a function", () => 1, "[Function]"],
    ["not a number", [Number.NaN, undefined, null], ["NaN", null, null]],
    [
      "an absent secret",
      { token: "", password: null, auth: false },
      { token: "", password: null, auth: false },
    ],
    [
      "a secret that is a number or a list",
      { cvv: 123, tokens: ["a"] },
      { cvv: "[REDACTED]", tokens: "[REDACTED]" },
    ],
  ])("%s", (_name, value, shown) => {
    expect(redactor.value(value)).toEqual(shown);
  });

  test("limits depth, members, and text length", () => {
    expect(JSON.stringify(redactor.value(deep))).toContain('"[Truncated]"');
    expect(redactor.value(Array.from({ length: 500 }, () => 0))).toHaveLength(101);
    expect(
      Object.keys(
        redactor.value(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, i]))) as object,
      ),
    ).toHaveLength(101);
    expect((redactor.value("x ".repeat(100_000)) as string).length).toBeLessThanOrEqual(8_001);
    const wide = Array.from({ length: 100 }, () =>
      Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 1)),
    );
    expect(JSON.stringify(redactor.value(wide)).length).toBeLessThan(30_000);
  });

  test("copies an error with its cause and without its other members", () => {
    const error = Object.assign(new Error("outer", { cause: new Error("password=hunter22") }), {
      code: "E1",
      request: { huge: true },
    });
    expect(redactor.value(error)).toEqual({
      name: "Error",
      message: "outer",
      code: "E1",
      stack: expect.stringContaining("redact.test.ts") as string,
      cause: expect.objectContaining({ message: "password=[REDACTED]" }) as unknown,
    });
    expect(redactor.value(error, { stacks: false })).not.toHaveProperty("stack");
  });

  test("treats `__proto__` as a plain member", () => {
    const shown = redactor.value(JSON.parse('{"__proto__":{"polluted":1}}')) as object;
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("log output", () => {
  const CANARY = 'Zx9-canary/42+q"uote';
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.bigInt(), fc.date());
  const nested = (secret: fc.Arbitrary<unknown>) =>
    fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        secret,
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 4 }),
        tie("tree").map((value) => new Map([["member", value]])),
        tie("tree").map((value) => new Set([value])),
        tie("tree").map((cause) => new Error("failed", { cause })),
      ),
    })).tree;
  const write = async (redact: { readonly secrets?: readonly string[] }) => {
    const lines: string[] = [];
    return {
      lines,
      logger: await createLogger({ destination: { write: (line) => lines.push(line) }, redact }),
    };
  };

  test("T40: a registered secret never appears in a line, in any position or encoding", async () => {
    const { lines, logger } = await write({ secrets: [CANARY] });
    const forms = [
      CANARY,
      JSON.stringify(CANARY),
      encodeURIComponent(CANARY),
      Buffer.from(CANARY).toString("base64url"),
    ];
    const secret = fc
      .tuple(fc.string(), fc.constantFrom(...forms), fc.string())
      .map(([before, form, after]) => `${before} ${form} ${after}`);
    fc.assert(
      fc.property(nested(secret), nested(secret), fc.constantFrom(...forms), (context, extra, message) => {
        lines.length = 0;
        logger.error(`it is ${message}`, { context }, { extra, [message]: 1, error: new Error(message) });
        expect(lines).toHaveLength(1);
        const line = lines.join("");
        for (const form of [
          ...forms,
          JSON.stringify(CANARY).slice(1, -1),
          JSON.stringify(JSON.stringify(CANARY)).slice(3, -3),
        ]) {
          expect(line).not.toContain(form);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("T40: the value of a secret name never appears in a line", async () => {
    const { lines, logger } = await write({});
    const name = fc.constantFrom(
      "password",
      "apiKey",
      "access_token",
      "X-Auth",
      "creditCard",
      "jwt",
      "cookies",
    );
    const secret = fc
      .tuple(name, nested(fc.constant("Zx9canary42")))
      .map(([key, value]) => ({ [key]: value }));
    const anywhere = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        secret,
        fc.array(tie("tree"), { maxLength: 4 }),
        tie("tree").map((value) => ({ member: value })),
        tie("tree").map((value) => new Map([["member", value]])),
      ),
    })).tree;
    fc.assert(
      fc.property(anywhere, (value) => {
        lines.length = 0;
        logger.info("entry", { requestId: "r", value }, { value });
        expect(lines).toHaveLength(1);
        expect(lines[0]).not.toContain("Zx9canary42");
      }),
      { numRuns: 200 },
    );
  });
});
