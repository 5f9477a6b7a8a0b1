import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  getActionRequiredFields,
  type RequiredFieldsReader,
} from "../../../src/grouped/strategies/schema-utils.js";
import {
  deepFreeze,
  fieldPlan,
  fields,
  mockAction,
  toActions,
  toolPlan,
} from "../../support/grouped/actions.js";

const requiredOf: RequiredFieldsReader = getActionRequiredFields;

describe("an action's required fields", () => {
  test.each([
    ["no schema", undefined, []],
    ["an empty object", z.object({}), []],
    [
      "required, optional, and nullable",
      z.object({ a: z.string(), b: z.string().optional(), c: z.string().nullable() }),
      ["a", "c"],
    ],
    ["nullish", z.object({ a: z.string().nullish(), b: z.number() }), ["b"]],
    [
      "a field with a default is optional for the caller",
      z.object({ a: z.string().default("x"), b: z.string().prefault("y") }),
      [],
    ],
    [
      "a transformation",
      z.object({ a: z.string().transform(Number), b: z.string().optional().transform(String) }),
      ["a"],
    ],
    ["a refined object", z.object({ a: z.string() }).refine(() => true), ["a"]],
    ["a named object", z.object({ a: z.string() }).meta({ id: "Named" }), ["a"]],
    ["a partial object", z.object({ a: z.string(), b: z.string() }).partial({ a: true }), ["b"]],
    ["ArkType", type({ a: "string", "b?": "number" }), ["a"]],
    ["Valibot", toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.string()) })), ["a"]],
  ])("F47: %s", (_title, schema, expected) => {
    expect(requiredOf(mockAction("x", { schema }))).toEqual(expected);
  });

  test.each([
    ["plain", z.string()],
    ["optional", z.string().optional()],
    ["nullable", z.string().nullable()],
    ["nullish", z.string().nullish()],
    ["with a default", z.number().default(1)],
    ["optional in a union", z.string().or(z.number().optional())],
    ["optional and read-only", z.string().optional().readonly()],
    ["lazy", z.lazy(() => z.string().optional())],
    ["no longer optional", z.string().optional().nonoptional()],
    ["optional, then transformed", z.string().optional().transform(String)],
  ])("F47: a field that is %s is required according to Zod's isOptional()", (_title, field) => {
    const required = requiredOf(mockAction("x", { schema: z.object({ field }) }));
    expect(required).toEqual(field.isOptional() ? [] : ["field"]);
  });

  test.each([
    ["any", z.any()],
    ["unknown", z.unknown()],
    ["coerced", z.coerce.string()],
    ["exactly optional", z.string().exactOptional()],
  ])("F47: a field that is %s follows what Zod accepts, because isOptional() is wrong", (_title, field) => {
    const schema = z.object({ field });
    const mayBeAbsent = schema.safeParse({}).success;
    expect(field.isOptional()).toBe(!mayBeAbsent);
    expect(requiredOf(mockAction("x", { schema }))).toEqual(mayBeAbsent ? [] : ["field"]);
  });

  test("F48: the common schema's fields come first, without duplicates", () => {
    const action = mockAction("x", { schema: fields("own", "shared", "tenant?") });
    expect(requiredOf(action, fields("tenant", "shared", "trace?"))).toEqual(["tenant", "shared", "own"]);
  });

  test("F18, F47: any action", () => {
    fc.assert(
      fc.property(toolPlan, fieldPlan, (tool, common) => {
        const names = (plan: Readonly<Record<string, boolean>>) =>
          Object.entries(plan).flatMap(([name, must]) => (must ? [name] : []));
        const commonSchema = deepFreeze(
          fields(...Object.entries(common).map(([k, must]) => (must ? k : `${k}?`))),
        );
        for (const { action, plan } of toActions(tool)) {
          deepFreeze(action);
          expect(requiredOf(action)).toEqual(names(plan.fields ?? {}));
          const both = new Set([...names(common), ...names(plan.fields ?? {})]);
          expect(requiredOf(action, commonSchema)).toEqual([...both]);
          expect(requiredOf(action, commonSchema)).toEqual(requiredOf(action, commonSchema));
        }
      }),
    );
  });
});
