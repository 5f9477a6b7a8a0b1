/**
 * @fileoverview `inputRequired.elicit` accepts and rejects the same schemas of Zod, ArkType, and Valibot as the official
 * SDK, version 2, and creates the same forms.
 * @module tests/sdk/v2/form-schemas
 */
import * as official from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { plain, type Sdk, SDKS } from "../support/v2/both-sides.js";

/** Returns the form for a schema, or the class of the error. */
function formOf({ inputRequired }: Sdk, schema: object): unknown {
  try {
    return plain(inputRequired.elicit({ message: "m", requestedSchema: schema as never }));
  } catch (error) {
    return (error as Error).name;
  }
}

/** Expects the same form, or the same class of error, from both packages. */
function expectSame(schema: object, isForm: boolean): void {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const [wanted, given] = SDKS.map(([, sdk]) => formOf(sdk, schema));
  warn.mockRestore();
  expect(typeof wanted).toBe(isForm ? "object" : "string");
  expect(given).toEqual(wanted);
}

const zod = (field: z.ZodType) => z.object({ field });
const ark = (field: string) => type({ field: field as "string" });
const valibot = (field: v.GenericSchema) => toStandardJsonSchema(v.object({ field }));
const raw = (field: object) => official.fromJsonSchema({ type: "object", properties: { field } });

describe("a form from Zod", () => {
  test.each<readonly [title: string, field: z.ZodType]>([
    ["an address", z.email()],
    ["an address with a length", z.email().min(5).max(50)],
    ["a URL", z.url({ protocol: /^https$/ })],
    ["a date", z.iso.date()],
    ["a time", z.iso.datetime()],
    ["a time with an offset", z.iso.datetime({ offset: true })],
    ["a time in milliseconds", z.iso.datetime({ precision: 3 })],
    ["bounds", z.number().min(0).max(9)],
    ["choices", z.enum(["a", "b"]).default("a")],
    ["choices with names", z.enum(["a"]).meta({ enumNames: ["A"] })],
    ["choices with titles", z.string().meta({ oneOf: [{ const: "a", title: "A", description: "d" }] })],
    [
      "a list of choices",
      z
        .array(z.enum(["a", "b"]).describe("d"))
        .min(1)
        .max(2)
        .default(["a"]),
    ],
    ["annotations", z.boolean().meta({ title: "T", description: "d", examples: [true], "x-y": 1 })],
    ["an optional text", z.string().optional()],
  ])("has %s (drop-in B6)", (_title, field) => expectSame(zod(field), true));

  test.each<readonly [title: string, field: z.ZodType]>([
    ["another pattern for an address", z.email({ pattern: /@example\.com$/ })],
    ["an additional pattern", z.email().regex(/@example\.com$/)],
    ["a pattern with the name of a format", z.string().regex(/x/).meta({ format: "email" })],
    ["a UUID", z.uuid()],
    ["a time without seconds", z.iso.datetime({ precision: -1, offset: true })],
    ["a local time", z.iso.datetime({ local: true })],
    ["a literal", z.literal("a")],
    ["an exclusive bound", z.number().gt(1)],
    ["a bound that JSON does not have", z.number().min(-Infinity)],
    ["a step", z.number().multipleOf(5)],
    ["a default of another type", z.string().meta({ default: 5 })],
    ["a title that is not text", z.string().meta({ title: 5 as never })],
    ["numbers to choose", z.array(z.enum({ A: 1 }))],
    ["a list of literals", z.array(z.union([z.literal("a"), z.literal("b")]))],
    ["a value that JSON does not have", z.bigint()],
  ])("cannot have %s (drop-in B6)", (_title, field) => expectSame(zod(field), false));

  test.each<readonly [title: string, schema: z.ZodType]>([
    ["more properties", z.looseObject({ a: z.string() })],
    ["a catchall", z.object({ a: z.string() }).catchall(z.string())],
    [
      "a property that is required but unknown",
      z.object({ a: z.string() }).meta({ required: ["b"] } as never),
    ],
    ["no properties", z.record(z.string(), z.string())],
  ])("cannot have %s (drop-in B6)", (_title, schema) => expectSame(schema, false));

  test("may come from Zod Mini (drop-in B6)", () =>
    expectSame(mini.object({ a: mini.email(), b: mini.optional(mini.string()) }), true));
});

describe("a form from ArkType", () => {
  test.each([
    "string.email",
    "string.url",
    "string",
    "1 <= string <= 9",
    "number.integer",
    "0 <= number <= 9",
    "boolean",
  ])("has %s (drop-in B6)", (field) => expectSame(ark(field), true));

  test("has an address with a description (drop-in B6)", () =>
    expectSame(type({ field: type("string.email").describe("an address") }), true));

  test.each([
    "string.uuid",
    "string.date.iso",
    "string.alpha",
    "/^x/",
    "number > 5",
    "number % 5",
    "'a' | 'b'",
    "('a' | 'b')[]",
    "string[]",
    "string | null",
  ])("cannot have %s (drop-in B6)", (field) => expectSame(ark(field), false));
});

describe("a form from Valibot", () => {
  test.each<readonly [title: string, field: v.GenericSchema]>([
    ["an address", v.pipe(v.string(), v.email())],
    ["an address with a pattern", v.pipe(v.string(), v.email(), v.regex(/@x/))],
    ["a URL", v.pipe(v.string(), v.url())],
    ["a date", v.pipe(v.string(), v.isoDate())],
    ["an optional text", v.optional(v.string(), "x")],
    ["choices", v.picklist(["a", "b"])],
    ["a list of choices", v.array(v.picklist(["a", "b"]))],
  ])("has %s (drop-in B6)", (_title, field) => expectSame(valibot(field), true));

  test.each<readonly [title: string, field: v.GenericSchema]>([
    ["a pattern", v.pipe(v.string(), v.regex(/x/))],
    ["a UUID", v.pipe(v.string(), v.uuid())],
    ["a literal", v.literal("a")],
    ["a list of texts", v.array(v.string())],
  ])("cannot have %s (drop-in B6)", (_title, field) => expectSame(valibot(field), false));

  test("needs a conversion to JSON Schema (drop-in B6)", () =>
    expectSame(v.object({ field: v.string() }), false));
});

describe("a form from JSON Schema", () => {
  test.each<readonly [title: string, field: object, isForm: boolean]>([
    ["titled choices", { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, true],
    ["choices with a length", { type: "string", minLength: 1, enum: ["a"] }, false],
    ["choices of several types", { type: "string", enum: ["a", 1] }, false],
    ["titled choices with a type", { type: "array", items: { type: "string", anyOf: [] } }, false],
    ["a description that is not text", { type: "string", description: 5 }, false],
  ])("%s (drop-in B6)", (_title, field, isForm) => expectSame(raw(field), isForm));

  test("may omit the type of the object (drop-in B6)", () =>
    expectSame(official.fromJsonSchema({ properties: { a: { type: "string" } } }), true));
});
