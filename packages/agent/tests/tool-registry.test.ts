import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../src/tools/define-tool.js";
import { RegistrationError, ValidationError } from "../src/shared/errors.js";
import { ToolRegistry } from "../src/tools/tool-registry.js";
import { parseToolParams, toParamsSchema } from "../src/tools/tool-schema.js";
import { plan, search } from "./xml/tools.js";

const complete = {
  name: "a_tool",
  description: "A tool",
  whenToUse: "When needed",
  params: [],
  useExamples: [],
  invoke: async () => ({ message: "Done", toolResult: 1 }),
};
const registerAny = (tool: unknown) => () => new ToolRegistry().register(tool as typeof complete);
const param = (more: object) => ({ name: "a", description: "", optional: false, ...more });

describe("a registry of tools", () => {
  test("A12, A30: gives back the very definitions, in order", () => {
    const registry = new ToolRegistry().register(search).register(plan);
    expect(registry.get("search")).toBe(search);
    expect(registry.getAll()).toEqual([search, plan]);
    expect(registry.getAll()[1]).toBe(plan);
    expect([registry.has("plan"), registry.has("nobody"), registry.size]).toEqual([true, false, 2]);
    expect(registry.get("nobody")).toBeUndefined();
    expect(registry.get("constructor")).toBeUndefined();
  });

  test("register gives the same registry back", () => {
    const registry = new ToolRegistry();
    expect(registry.register(search)).toBe(registry);
  });

  test("a copy has the same definitions and goes its own way", () => {
    const registry = new ToolRegistry().register(search);
    const copy = registry.copy();
    registry.register(plan);
    expect(copy.getAll()).toEqual([search]);
    expect(copy.get("search")).toBe(search);
  });

  test("A22, A33, A37: refuses a name that is taken", () => {
    const registry = new ToolRegistry().register(search);
    const again = () => registry.register({ ...plan, name: "search" });
    expect(again).toThrow(new RegistrationError("Tool 'search' is already registered"));
    expect(again).toThrow(RegistrationError);
    expect(registry.get("search")).toBe(search);
    const error = new RegistrationError("x");
    expect([error instanceof Error, error.name]).toEqual([true, "RegistrationError"]);
  });

  test.each([
    [{ ...complete, name: undefined }, "Tool definition is incomplete: name is missing"],
    [{ ...complete, name: " " }, "Tool definition ' ' is incomplete: name is missing"],
    [{ ...complete, description: "" }, "Tool definition 'a_tool' is incomplete: description is missing"],
    [{ ...complete, whenToUse: 1 }, "Tool definition 'a_tool' is incomplete: whenToUse is missing"],
    [{ ...complete, params: undefined }, "Tool definition 'a_tool' is incomplete: params is missing"],
    [{ ...complete, invoke: "x" }, "Tool definition 'a_tool' is incomplete: invoke is missing"],
    [
      {},
      "Tool definition is incomplete: name is missing; description is missing; whenToUse is missing; params is missing; invoke is missing",
    ],
    [null, "Tool definition is incomplete: it is not an object; invoke is missing"],
    [{ ...complete, name: "my tool" }, "Tool definition 'my tool' is incomplete: its name cannot be a tag"],
    [
      { ...complete, useExamples: [1] },
      "Tool definition 'a_tool' is incomplete: useExamples is not a list of texts",
    ],
  ])("A21: refuses %j", (tool, message) => {
    expect(registerAny(tool)).toThrow(new RegistrationError(message));
  });

  test("examples may be missing where nobody checked types", () => {
    expect(registerAny({ ...complete, useExamples: undefined })).not.toThrow();
  });

  test.each([
    [["x"], "params[0] is not an object"],
    [[param({ name: "<a>" })], "params[0] has no name that can be a tag"],
    [[param({ name: "a".repeat(129) })], "params[0] has no name that can be a tag"],
    [[param({ name: "__proto__" })], "params[0] has a name that every object has"],
    [[param({ name: "toString" })], "params[0] has a name that every object has"],
    [[param({ description: undefined })], "parameter 'a' has no description"],
    [[param({ optional: "no" })], "parameter 'a' does not say whether it is optional"],
    [[param({ type: "date" })], "parameter 'a' has an unknown type"],
    [[param({}), param({})], "parameter 'a' is declared twice"],
    [
      [param({ type: "array" })],
      "parameter 'a' is an array and needs exactly one parameter for its elements",
    ],
    [
      [param({ type: "array", params: [param({}), param({ name: "b" })] })],
      "parameter 'a' is an array and needs exactly one parameter for its elements",
    ],
    [[param({ type: "object" })], "parameter 'a' is an object and needs parameters for its members"],
    [[param({ params: [param({})] })], "parameter 'a' has params, but is neither an array nor an object"],
    [[param({ params: {} })], "parameter 'a' has params that are not a list"],
    [
      [param({ type: "object", params: [param({ name: "b", optional: 0 })] })],
      "parameter 'b' does not say whether it is optional",
    ],
    [[param({ type: "object", params: [param({}), param({})] })], "parameter 'a.a' is declared twice"],
  ])("A4: refuses the parameters %j", (params, problem) => {
    expect(registerAny({ ...complete, params })).toThrow(
      new RegistrationError(`Tool definition 'a_tool' is incomplete: ${problem}`),
    );
  });

  test("bounds how deep and how many parameters are", () => {
    let deep: object = param({});
    for (let level = 0; level < 16; level++) deep = param({ type: "array", params: [deep] });
    expect(registerAny({ ...complete, params: [deep] })).toThrow("parameters nest deeper than 16");
    const many = Array.from({ length: 1_001 }, (_, index) => param({ name: `a${index}` }));
    expect(registerAny({ ...complete, params: many })).toThrow("there are more than 1000 parameters");
  });
});

describe("the schema of a tool's parameters", () => {
  test("A5, A38: is a real Zod schema, and its error a real ZodError", () => {
    expect(toParamsSchema(search.params)).toBeInstanceOf(z.ZodObject);
    expect(toParamsSchema(search.params)).toBe(toParamsSchema(search.params));
    let caught: unknown;
    try {
      parseToolParams(search, { query: 1, filters: "x" });
    } catch (error) {
      caught = error;
    }
    if (!(caught instanceof ValidationError)) throw new Error("nothing was thrown");
    expect([caught.name, caught instanceof Error, caught.details instanceof z.ZodError]).toEqual([
      "ValidationError",
      true,
      true,
    ]);
    expect(caught.message).toBe(
      "Tool 'search' parameter validation failed: query: Expected text, got 1; filters: Expected a list, got \"x\"",
    );
    expect(caught.details.issues.map(({ path }) => path)).toEqual([["query"], ["filters"]]);
  });

  test("shows clients what the definition says", () => {
    expect(z.toJSONSchema(toParamsSchema(search.params))).toMatchObject({
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for" },
        limit: { type: "number", description: "How many" },
        exact: { type: "boolean" },
        filters: { type: "array", items: { type: "string", description: "One place" } },
      },
      required: ["query"],
      additionalProperties: false,
    });
  });

  test("A16: defineTool gives the definition itself", () => {
    expect(defineTool(complete)).toBe(complete);
  });
});
