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

describe("the tool registry", () => {
  test("A12, A30: returns the exact definitions, in order", () => {
    const registry = new ToolRegistry().register(search).register(plan);
    expect(registry.get("search")).toBe(search);
    expect(registry.getAll()).toEqual([search, plan]);
    expect(registry.getAll()[1]).toBe(plan);
    expect([registry.has("plan"), registry.has("nobody"), registry.size]).toEqual([true, false, 2]);
    expect(registry.get("nobody")).toBeUndefined();
    expect(registry.get("constructor")).toBeUndefined();
  });

  test("register returns the same registry", () => {
    const registry = new ToolRegistry();
    expect(registry.register(search)).toBe(registry);
  });

  test("a copy has the same definitions and is independent", () => {
    const registry = new ToolRegistry().register(search);
    const copy = registry.copy();
    registry.register(plan);
    expect(copy.getAll()).toEqual([search]);
    expect(copy.get("search")).toBe(search);
  });

  test("A22, A33, A37: rejects a name that is taken", () => {
    const registry = new ToolRegistry().register(search);
    const again = () => registry.register({ ...plan, name: "search" });
    expect(again).toThrow(new RegistrationError("Tool 'search' is already registered"));
    expect(again).toThrow(RegistrationError);
    expect(registry.get("search")).toBe(search);
    const error = new RegistrationError("x");
    expect([error instanceof Error, error.name]).toEqual([true, "RegistrationError"]);
  });

  test.each([
    [{ ...complete, name: undefined }, "Tool definition is invalid: `name` is missing."],
    [{ ...complete, name: " " }, "Tool definition ' ' is invalid: `name` is missing."],
    [{ ...complete, description: "" }, "Tool definition 'a_tool' is invalid: `description` is missing."],
    [{ ...complete, whenToUse: 1 }, "Tool definition 'a_tool' is invalid: `whenToUse` is missing."],
    [{ ...complete, params: undefined }, "Tool definition 'a_tool' is invalid: `params` is missing."],
    [{ ...complete, invoke: "x" }, "Tool definition 'a_tool' is invalid: `invoke` is missing."],
    [
      {},
      "Tool definition is invalid: `name` is missing; `description` is missing; `whenToUse` is missing; `params` is missing; `invoke` is missing.",
    ],
    [null, "Tool definition is invalid: the definition is not an object; `invoke` is missing."],
    [
      { ...complete, name: "my tool" },
      "Tool definition 'my tool' is invalid: `name` is not a valid tag name.",
    ],
    [
      { ...complete, useExamples: [1] },
      "Tool definition 'a_tool' is invalid: `useExamples` is not a list of strings.",
    ],
  ])("A21: refuses %j", (tool, message) => {
    expect(registerAny(tool)).toThrow(new RegistrationError(message));
  });

  test("examples are optional in untyped code", () => {
    expect(registerAny({ ...complete, useExamples: undefined })).not.toThrow();
  });

  test.each([
    [["x"], "params[0] is not an object"],
    [[param({ name: "<a>" })], "params[0] has no valid tag name"],
    [[param({ name: "a".repeat(129) })], "params[0] has no valid tag name"],
    [[param({ name: "__proto__" })], "params[0] has a reserved name, which every object inherits"],
    [[param({ name: "toString" })], "params[0] has a reserved name, which every object inherits"],
    [[param({ description: undefined })], "parameter 'a' has no description"],
    [[param({ optional: "no" })], "parameter 'a' has no boolean `optional`"],
    [[param({ type: "date" })], "parameter 'a' has an unknown type"],
    [[param({}), param({})], "parameter 'a' is declared twice"],
    [[param({ type: "array" })], "array parameter 'a' needs exactly one nested parameter for its elements"],
    [
      [param({ type: "array", params: [param({}), param({ name: "b" })] })],
      "array parameter 'a' needs exactly one nested parameter for its elements",
    ],
    [[param({ type: "object" })], "object parameter 'a' needs nested parameters for its members"],
    [[param({ params: [param({})] })], "parameter 'a' has nested `params` but is not an array or object"],
    [[param({ params: {} })], "`params` of parameter 'a' is not a list"],
    [
      [param({ type: "object", params: [param({ name: "b", optional: 0 })] })],
      "parameter 'b' has no boolean `optional`",
    ],
    [[param({ type: "object", params: [param({}), param({})] })], "parameter 'a.a' is declared twice"],
  ])("A4: rejects the parameters %j", (params, problem) => {
    expect(registerAny({ ...complete, params })).toThrow(
      new RegistrationError(`Tool definition 'a_tool' is invalid: ${problem}.`),
    );
  });

  test("limits the depth and number of parameters", () => {
    let deep: object = param({});
    for (let level = 0; level < 16; level++) deep = param({ type: "array", params: [deep] });
    expect(registerAny({ ...complete, params: [deep] })).toThrow(
      "parameters are nested deeper than 16 levels",
    );
    const many = Array.from({ length: 1_001 }, (_, index) => param({ name: `a${index}` }));
    expect(registerAny({ ...complete, params: many })).toThrow("there are more than 1000 parameters");
  });
});

describe("the schema of a tool's parameters", () => {
  test("A5, A38: is a Zod schema, and its error is a ZodError", () => {
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

  test("describes the parameters to clients", () => {
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

  test("A16: defineTool returns the definition itself", () => {
    expect(defineTool(complete)).toBe(complete);
  });
});
