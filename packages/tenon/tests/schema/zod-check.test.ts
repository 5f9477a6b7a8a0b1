import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.js";
import type { CheckResult } from "../../src/schema/schema.js";
import { createZodCheck, isZodSchema, type ZodSchema } from "../../src/schema/zod-check.js";

const checkOf = (schema: z.ZodType) => compileSchema(schema, { label: "x", side: "input" }).check;
const many = <T>(item: T, count = 2_000) => Array.from({ length: count }, () => item);
const issuesOf = (result: CheckResult) =>
  result.issues?.map(({ path = [], message }) => `${path.map(String).join(".")}: ${message}`);

describe("a small value", () => {
  test("is reported with all of Zod's issues", async () => {
    const check = checkOf(z.object({ a: z.string(), b: z.array(z.number()), c: z.email() }));
    for (let count = 0; count < 3; count++) {
      expect(issuesOf(await check({ a: 1, b: ["x", "y"], c: "no" }))).toEqual([
        "a: Invalid input: expected string, received number",
        "b.0: Invalid input: expected number, received string",
        "b.1: Invalid input: expected number, received string",
        "c: Invalid email address",
      ]);
    }
  });

  test("is checked once if it is valid", async () => {
    const refine = vi.fn(() => true);
    const check = checkOf(z.string().refine(refine));
    expect(await check("a")).toEqual({ value: "a" });
    expect(await check("b")).toEqual({ value: "b" });
    expect(refine).toHaveBeenCalledTimes(2);
  });
});

describe("a large value", () => {
  test("that is valid is transformed by the schema", async () => {
    const check = checkOf(z.array(z.coerce.number()));
    expect(await check(many("1"))).toEqual({ value: many(1) });
  });

  test.each([
    ["lists", z.array(z.number()), many("x"), "0: Invalid input: expected number, received string"],
    [
      "objects",
      z.array(z.object({ a: z.number() })),
      many({}),
      "0.a: Invalid input: expected number, received undefined",
    ],
    ["an own message", z.array(z.number("Not a figure")), many("x"), "0: Not a figure"],
  ])("is reported with its first issue: %s", async (_, schema, value, first) => {
    const check = checkOf(schema);
    for (let count = 0; count < 3; count++) expect(issuesOf(await check(value))).toEqual([first]);
  });

  test.each([
    ["maps", z.record(z.string(), z.number()), "Invalid input: expected number"],
    ["formats", z.record(z.string(), z.email()), "Invalid email"],
    [
      "refinements",
      z.record(
        z.string(),
        z.string().refine(() => false, "Wrong"),
      ),
      "Wrong",
    ],
    ["choices", z.record(z.string(), z.enum(["a", "b"])), "Invalid input"],
  ])("is reported with short messages if Zod cannot stop early: %s", async (_, schema, message) => {
    const value = Object.fromEntries(many("x").map((item, index) => [`k${index}`, item]));
    const issues = issuesOf(await checkOf(schema)(value));
    expect(issues).toHaveLength(2_000);
    expect(issues?.[0]).toBe(`k0: ${message}`);
  });

  test("is reported with all issues by a Zod version without abortEarly", async () => {
    const schema = z.array(z.number());
    const old: ZodSchema = {
      _zod: {
        run: (payload, { async }) =>
          schema._zod.run(payload as never, { async }) as ReturnType<ZodSchema["_zod"]["run"]>,
      },
      safeParse: (value) => schema.safeParse(value),
      safeParseAsync: async (value) => schema.safeParseAsync(value),
    };
    const check = createZodCheck(old, schema["~standard"].validate);
    expect(issuesOf(await check(many("x")))).toHaveLength(2_000);
    expect(issuesOf(await check(["x"]))).toEqual(["0: Invalid input: expected number, received string"]);
  });
});

describe("an asynchronous schema", () => {
  const schema = () =>
    z.object({
      items: z.array(z.number()),
      name: z.string().refine(async (name) => name !== "taken", "is taken"),
    });

  test("reports the issues of small and large values", async () => {
    const check = checkOf(schema());
    for (let count = 0; count < 2; count++) {
      expect(issuesOf(await check({ items: ["x", "y"], name: "taken" }))).toHaveLength(3);
      expect(issuesOf(await check({ items: many("x"), name: "free" }))).toEqual([
        "items.0: Invalid input: expected number, received string",
      ]);
      expect(await check({ items: [1], name: "free" })).toEqual({ value: { items: [1], name: "free" } });
    }
  });

  test("is detected later if the first values do not reach its asynchronous part", async () => {
    const check = checkOf(z.union([z.number(), z.string().refine(async (text) => text === "yes", "No")]));
    expect(await check(1)).toEqual({ value: 1 });
    expect(await check("yes")).toEqual({ value: "yes" });
    expect(issuesOf(await check("no"))).toEqual([": No"]);
    expect(await check(2)).toEqual({ value: 2 });
  });
});

test("a check that overflows the stack is not run again", async () => {
  const overflow = vi.fn((): boolean => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  const check = checkOf(z.union([z.number(), z.string().refine(overflow)]));
  await check(1);
  expect(() => check("x")).toThrow(RangeError);
  expect(overflow).toHaveBeenCalledTimes(1);
});

test("a schema from Zod's core, which does not have methods, uses its own check", () => {
  expect(isZodSchema(z.string())).toBe(true);
  expect(isZodSchema({ _zod: { run: () => undefined } })).toBe(false);
});
