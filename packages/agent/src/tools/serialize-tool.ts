/**
 * @fileoverview Converts tool definitions to JSON and back. The JSON does not include `invoke`.
 * @module agent/tools/serialize-tool
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { findDescriptionProblems, type AgentToolDescription } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";
import { copyParams } from "./tool-param.js";

/**
 * Serializes a tool definition to JSON, without `invoke`.
 *
 * @throws {RegistrationError} if the definition is invalid
 */
export function serializeTool(tool: AgentToolDescription): string {
  return JSON.stringify(toDescription(tool));
}

/**
 * Parses a tool definition from JSON. Unknown fields are dropped.
 *
 * @throws {RegistrationError} if the text is too long, too deeply nested, not JSON, or not a valid tool definition
 */
export function parseTool(json: string): AgentToolDescription {
  if (json.length > MAX_LENGTH) {
    throw new RegistrationError(
      `Tool definition is too long: ${json.length} characters (limit: ${MAX_LENGTH}).`,
    );
  }
  if (exceedsDepth(json, MAX_DEPTH)) {
    throw new RegistrationError(`Tool definition is nested deeper than ${MAX_DEPTH} levels.`);
  }
  const value = readJson(json);
  if (value === undefined) throw new RegistrationError("Tool definition is not valid JSON.");
  return frozenCopy(toDescription(value));
}

const MAX_LENGTH = 1_000_000;
/**
 * Maximum nesting depth of the JSON. Each parameter level adds two (an array and an object). The rest of the depth is
 * for unknown fields, which are dropped.
 */
const MAX_DEPTH = 64;

/** Validated definition. Untyped callers may omit `useExamples`. */
type Described = Omit<AgentToolDescription, "useExamples"> &
  Partial<Pick<AgentToolDescription, "useExamples">>;

function toDescription(value: unknown): AgentToolDescription {
  const problems = findDescriptionProblems(value);
  if (problems.length > 0 || !isJsonObject(value)) {
    throw new RegistrationError(`Tool definition is invalid: ${problems.join("; ")}.`);
  }
  // Safe: validated above.
  const described = value as unknown as Described;
  const { name, description, whenToUse, useExamples = [], inputSchema, annotations, parallel } = described;
  const params = copyParams(described.params);
  return { name, description, whenToUse, params, useExamples, inputSchema, annotations, parallel };
}
