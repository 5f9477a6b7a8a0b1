import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolDefinition } from "../src/tools/define-tool.js";
import { RegistrationError, ValidationError } from "../src/shared/errors.js";
import { ToolRegistry } from "../src/tools/tool-registry.js";
import { parseToolParams, toParamsSchema } from "../src/tools/tool-schema.js";
import { ToolService } from "../src/tool-service.js";
import { printToolCall } from "../src/xml/print-tool-call.js";
import { toolArb, toolNameArb, valuesArb } from "./support/xml/arbitraries.js";

const RUNS = { numRuns: 200 };
const toolsArb = fc.uniqueArray(toolArb, { maxLength: 8, selector: ({ name }) => name });
const toolWithParamsArb = toolArb.chain((tool) => fc.tuple(fc.constant(tool), valuesArb(tool.params)));

describe("A39, A41, A42: properties of tools", () => {
  /**
   * **Feature: server-sdk, Property 3: Tool parameter validation**
   * **Validates: Requirements 2.2, 2.3**
   */
  test("A20: valid parameters reach the tool unchanged, from XML or as values", async () => {
    await fc.assert(
      fc.asyncProperty(toolWithParamsArb, async ([tool, params]) => {
        expect(parseToolParams(tool, params)).toEqual(params);
        const invoke: ToolDefinition["invoke"] = async (context) => ({
          message: "Done",
          toolResult: context.params,
        });
        const service = new ToolService(new ToolRegistry().register({ ...tool, invoke }));
        const xmlParams = printToolCall(tool, params);
        const outcome = await service.parseAndExecute({ xmlParams, getCurrentTask: () => "" });
        expect(outcome).toEqual({ message: "Done", params, toolResult: params });
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 3: Tool parameter validation**
   * **Validates: Requirements 2.2, 2.3**
   */
  test("A20, A35, A38: any value is accepted by the schema or rejected with a clear message", () => {
    fc.assert(
      fc.property(toolArb, fc.anything(), (tool, params) => {
        const fits = toParamsSchema(tool.params).safeParse(params).success;
        try {
          parseToolParams(tool, params);
          expect(fits).toBe(true);
        } catch (error) {
          expect(fits).toBe(false);
          if (!(error instanceof ValidationError)) throw error;
          expect(error.message.startsWith(`Tool '${tool.name}' parameter validation failed: `)).toBe(true);
          expect(error.details).toBeInstanceOf(z.ZodError);
          expect(error.details.issues.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  /**
   * **Feature: server-sdk, Property 3: Tool parameter validation**
   * **Validates: Requirements 2.3**
   */
  test("A20: a missing required parameter is named", () => {
    fc.assert(
      fc.property(toolWithParamsArb, ([tool, params]) => {
        for (const { name } of tool.params.filter(({ optional }) => !optional)) {
          const { [name]: _gone, ...rest } = params;
          expect(() => parseToolParams(tool, rest)).toThrow(`${name}: Required parameter is missing`);
        }
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 4: Tool definition completeness**
   * **Validates: Requirements 2.4**
   */
  test("A21: a definition without a required field is rejected, and the error names the field", () => {
    const fieldArb = fc.constantFrom("name", "description", "whenToUse", "params", "invoke");
    const nothingArb = fc.constantFrom(undefined, null, "", 0, false);
    fc.assert(
      fc.property(toolArb, fieldArb, nothingArb, (tool, field, nothing) => {
        const registry = new ToolRegistry();
        const { [field as "name"]: _gone, ...rest } = tool;
        for (const incomplete of [rest, { ...tool, [field]: nothing }]) {
          const register = () => registry.register(incomplete as ToolDefinition);
          expect(register).toThrow(RegistrationError);
          expect(register).toThrow(new RegExp(`\`${field}\` (?:is missing|must be)`));
        }
        expect(registry.size).toBe(0);
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 5: Duplicate tool rejection**
   * **Validates: Requirements 2.5**
   */
  test("A22, A33: the second of two tools with the same name is rejected", () => {
    fc.assert(
      fc.property(toolNameArb, toolArb, toolArb, (name, one, other) => {
        const first = { ...one, name };
        const registry = new ToolRegistry().register(first);
        expect(() => registry.register({ ...other, name })).toThrow(
          new RegistrationError(`Tool '${name}' is already registered`),
        );
        expect(registry.get(name)).toBe(first);
        expect(registry.size).toBe(1);
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 11: Registry accumulation**
   * **Validates: Requirements 4.3**
   */
  test("A28: N registered tools result in exactly N", () => {
    fc.assert(
      fc.property(toolsArb, (tools) => {
        const registry = new ToolRegistry();
        for (const tool of tools) registry.register(tool);
        expect(registry.size).toBe(tools.length);
        expect(registry.getAll()).toEqual(tools);
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 13: Registry retrieval correctness**
   * **Validates: Requirements 6.4**
   */
  test("A30: a lookup returns the exact definition that was registered", () => {
    fc.assert(
      fc.property(toolsArb, fc.string(), (tools, name) => {
        const registry = new ToolRegistry();
        for (const tool of tools) registry.register(tool);
        for (const tool of tools) expect(registry.get(tool.name)).toBe(tool);
        expect(registry.has(name)).toBe(tools.some((tool) => tool.name === name));
      }),
      RUNS,
    );
  });
});
