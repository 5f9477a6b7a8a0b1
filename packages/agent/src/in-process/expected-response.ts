/**
 * @fileoverview Structured output: the JSON Schema for the model, and the check of its response.
 * @module agent/in-process/expected-response
 */
import { readJson } from "@tenon/internal/json";
import type { StandardSchema } from "tenon";
import { compileParams } from "../tools/compile-params.js";

/** Response that a schema describes. */
export type ExpectedResponse = ReturnType<typeof toExpectedResponse>;

/** Compiles the schema of a response. @throws {RegistrationError} if it cannot be converted to JSON Schema */
export function toExpectedResponse(schema: StandardSchema, isNative: boolean) {
  const { jsonSchema } = compileParams(schema, "`schema`");
  const described = `Respond only with JSON that matches this JSON Schema:\n${JSON.stringify(jsonSchema)}`;
  return {
    jsonSchema,
    /** Text that describes the response to models without structured output. */
    instruction: isNative ? undefined : described,
    /** Parses and validates a response. Returns the value, or the problem for the model. */
    async check(text: string): Promise<{ readonly value?: unknown; readonly problem?: string }> {
      const value = readJson(withoutFence(text));
      if (value === undefined) return { problem: "The response is not valid JSON." };
      const checked = await schema["~standard"].validate(value);
      if (checked.issues === undefined) return { value: checked.value };
      const problems = checked.issues.slice(0, MAX_ISSUES).map(({ message, path }) => {
        const where = (path ?? [])
          .map((part) => String(typeof part === "object" ? part.key : part))
          .join(".");
        return where === "" ? message : `${where}: ${message}`;
      });
      return { problem: `The response does not match the schema: ${problems.join("; ")}.` };
    },
  };
}

const MAX_ISSUES = 10;

/** Removes the code fence that some models put around JSON. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```")) return trimmed;
  const start = trimmed.indexOf("\n");
  return start === -1 ? trimmed : trimmed.slice(start + 1, -3);
}
