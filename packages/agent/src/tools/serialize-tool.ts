/**
 * @fileoverview A tool's description as JSON and back: everything but its work.
 * @module agent/serialize-tool
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { findDescriptionProblems, type AgentToolDescription } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";
import { copyParams } from "./tool-param.js";

/**
 * A tool's description as JSON.
 *
 * @throws {RegistrationError} where it is incomplete
 */
export function serializeTool(tool: AgentToolDescription): string {
  return JSON.stringify(toDescription(tool));
}

/**
 * A tool's description from JSON. Fields that a description does not have are left out.
 *
 * @throws {RegistrationError} where the text is too large, is not JSON, or does not describe a tool
 */
export function parseTool(json: string): AgentToolDescription {
  if (json.length > MAX_LENGTH) {
    throw new RegistrationError(`Tool definition is longer than ${MAX_LENGTH} characters`);
  }
  if (exceedsDepth(json, MAX_DEPTH)) {
    throw new RegistrationError(`Tool definition nests deeper than ${MAX_DEPTH} levels`);
  }
  const value = readJson(json);
  if (value === undefined) throw new RegistrationError("Tool definition is not JSON");
  return frozenCopy(toDescription(value));
}

const MAX_LENGTH = 1_000_000;
/** Two brackets for each level of parameters, and some for what is ignored. */
const MAX_DEPTH = 64;

/** Only examples may be missing. */
type Described = Omit<AgentToolDescription, "useExamples"> &
  Partial<Pick<AgentToolDescription, "useExamples">>;

function toDescription(value: unknown): AgentToolDescription {
  const problems = findDescriptionProblems(value);
  if (problems.length > 0 || !isJsonObject(value)) {
    throw new RegistrationError(`Tool definition is incomplete: ${problems.join("; ")}`);
  }
  // Field by field, this is what was found to be in order.
  const { name, description, whenToUse, params, useExamples } = value as unknown as Described;
  return { name, description, whenToUse, params: copyParams(params), useExamples: [...(useExamples ?? [])] };
}
