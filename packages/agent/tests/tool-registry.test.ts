import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../src/tools/define-tool.js";
import { RegistrationError, ValidationError } from "../src/shared/errors.js";
import { ToolRegistry } from "../src/tools/tool-registry.js";
import { parseToolParams, toParamsSchema } from "../src/tools/tool-schema.js";
import { plan, search } from "./support/xml/tools.js";

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

const NAME_RULE =
  "must be 1 to 128 characters long (letters, digits, _ . -) and start with a letter or underscore";
const RESERVED = "`params[0].name` must not be the name of an Object.prototype member";

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

  test("A22, A33, A37: rejects a name that is already registered", () => {
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
    [
      { ...complete, name: " " },
      "Tool definition ' ' is invalid: `name` must be a non-empty string; got \" \".",
    ],
    [
      { ...complete, description: "" },
      "Tool definition 'a_tool' is invalid: `description` must be a non-empty string; got \"\".",
    ],
    [
      { ...complete, whenToUse: 1 },
      "Tool definition 'a_tool' is invalid: `whenToUse` must be a non-empty string; got 1.",
    ],
    [{ ...complete, params: undefined }, "Tool definition 'a_tool' is invalid: `params` is missing."],
    [
      { ...complete, invoke: "x" },
      "Tool definition 'a_tool' is invalid: `invoke` must be a function; got \"x\".",
    ],
    [
      {},
      "Tool definition is invalid: `name` is missing; `description` is missing; `whenToUse` is missing; `params` is missing; `invoke` is missing.",
    ],
    [null, "Tool definition is invalid: the definition must be an object; got null."],
    [
      { ...complete, name: "my tool" },
      "Tool definition 'my tool' is invalid: `name` must be 1 to 128 characters long (letters, digits, _ . -) and start with a letter or underscore; got \"my tool\".",
    ],
    [
      { ...complete, useExamples: [1] },
      "Tool definition 'a_tool' is invalid: `useExamples` must be an array of strings; got an array.",
    ],
  ])("A21: rejects %j", (tool, message) => {
    expect(registerAny(tool)).toThrow(new RegistrationError(message));
  });

  test("examples are optional in untyped code", () => {
    expect(registerAny({ ...complete, useExamples: undefined })).not.toThrow();
  });

  test.each([
    [["x"], '`params[0]` must be an object; got "x"'],
    [[param({ name: "<a>" })], `\`params[0].name\` ${NAME_RULE}; got "<a>"`],
    [[param({ name: "a".repeat(129) })], `\`params[0].name\` ${NAME_RULE}; got "${"a".repeat(40)}..."`],
    [[param({ name: "__proto__" })], `${RESERVED}; got "__proto__"`],
    [[param({ name: "toString" })], `${RESERVED}; got "toString"`],
    [[param({ description: undefined })], '`description` of parameter "a" must be a string; got undefined'],
    [[param({ optional: "no" })], '`optional` of parameter "a" must be true or false; got "no"'],
    [
      [param({ type: "date" })],
      '`type` of parameter "a" must be "string", "number", "boolean", "array", or "object"; got "date"',
    ],
    [[param({}), param({})], 'parameter "a" is declared twice'],
    [
      [param({ type: "array" })],
      'array parameter "a" must have exactly one nested parameter (its element); got 0',
    ],
    [
      [param({ type: "array", params: [param({}), param({ name: "b" })] })],
      'array parameter "a" must have exactly one nested parameter (its element); got 2',
    ],
    [[param({ type: "object" })], 'object parameter "a" must have at least one nested parameter'],
    [
      [param({ params: [param({})] })],
      'parameter "a" has nested `params`, so its `type` must be "array" or "object"',
    ],
    [[param({ params: {} })], '`params` of parameter "a" must be an array; got an object'],
    [
      [param({ type: "object", params: [param({ name: "b", optional: 0 })] })],
      '`optional` of parameter "b" must be true or false; got 0',
    ],
    [[param({ type: "object", params: [param({}), param({})] })], 'parameter "a.a" is declared twice'],
  ])("A4: rejects the parameters %j", (params, problem) => {
    expect(registerAny({ ...complete, params })).toThrow(
      new RegistrationError(`Tool definition 'a_tool' is invalid: ${problem}.`),
    );
  });

  test("limits the depth and number of parameters", () => {
    let deep: object = param({});
    for (let level = 0; level < 16; level++) deep = param({ type: "array", params: [deep] });
    expect(registerAny({ ...complete, params: [deep] })).toThrow('" is nested deeper than 16 levels');
    const many = Array.from({ length: 1_001 }, (_, index) => param({ name: `a${index}` }));
    expect(registerAny({ ...complete, params: many })).toThrow(
      "the definition has too many parameters (limit: 1000)",
    );
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
      "Tool 'search' parameter validation failed: query: Expected text; got 1; filters: Expected an array; got \"x\"",
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
