/**
 * @fileoverview Checks the client's results before callbacks receive them.
 * @module sdk/mcp-server/client/client-answers
 */
import type { Root, SamplingResult } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import { INTERNAL_ERROR, INVALID_PARAMS, RequestError } from "../requests/errors.js";
import type { ElicitResult } from "../requests/types.js";
import { describeMismatch } from "./form-check.js";

/** The official SDK's interface for JSON Schema validators. */
export interface FormValidator {
  getValidator(
    schema: never,
  ): (input: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };
}

/** Returns the user's answer. @throws if the client's result does not have the form of an answer */
export function toElicitResult(answer: unknown): ElicitResult {
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw invalid("elicitation/create", "`action` must be accept, decline, or cancel");
  }
  if (content !== undefined && content !== null && !isJsonObject(content)) {
    throw invalid("elicitation/create", "`content` must be an object");
  }
  const { content: _, ...rest } = answer as JsonObject; // Safe: checked above
  // Safe: the values are checked against the requested schema
  return { ...rest, ...(isJsonObject(content) ? { content } : {}) } as unknown as ElicitResult;
}

/** Asserts that an accepted form matches the requested schema. @throws {RequestError} if it does not */
export function assertFormContent(
  { action, content }: ElicitResult,
  requestedSchema: unknown,
  validator: FormValidator | undefined,
): void {
  if (action !== "accept" || content === undefined || !isJsonObject(requestedSchema)) return;
  const problem =
    validator === undefined
      ? describeMismatch(requestedSchema, content)
      : runValidator(validator, requestedSchema, content);
  if (problem === undefined) return;
  const text = `Elicitation response content does not match requested schema: ${problem}`;
  throw new RequestError(INVALID_PARAMS, text);
}

function runValidator(validator: FormValidator, schema: JsonObject, content: object): string | undefined {
  try {
    const { valid, errorMessage } = validator.getValidator(schema as never)(content);
    return valid ? undefined : String(errorMessage);
  } catch (error) {
    const reason = messageOf(error) ?? String(error);
    throw new RequestError(INTERNAL_ERROR, `Error validating elicitation response: ${reason}`);
  }
}

/** Returns the model's message. @throws if the client's result does not have the form of a message */
export function toSamplingResult(answer: unknown): SamplingResult {
  const { role, model, content } = isJsonObject(answer) ? answer : {};
  if (role !== "user" && role !== "assistant") throw invalid("sampling/createMessage", "`role` is missing");
  if (typeof model !== "string") throw invalid("sampling/createMessage", "`model` must be a string");
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (!blocks.every((block) => isJsonObject(block) && typeof block["type"] === "string")) {
    throw invalid("sampling/createMessage", "`content` must be a content block or an array of them");
  }
  return answer as SamplingResult; // Safe: the required members were checked
}

/** Returns the client's roots. @throws if a root does not have a `file:` URI */
export function toRoots(answer: unknown): { roots: Root[] } {
  const { roots } = isJsonObject(answer) ? answer : {};
  const isRoot = (root: unknown) =>
    isJsonObject(root) && typeof root["uri"] === "string" && root["uri"].startsWith("file://");
  if (!Array.isArray(roots) || !roots.every(isRoot)) {
    throw invalid("roots/list", "`roots` must be an array of objects with a file URI");
  }
  return answer as { roots: Root[] }; // Safe: checked above
}

function invalid(method: string, problem: string): Error {
  return new Error(`Invalid response of the client to ${method}: ${problem}.`);
}
