/**
 * @fileoverview Checks the client's results before callbacks receive them.
 * @module sdk/server/client/answers
 */
import type { Root, SamplingResult } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { messageOf } from "@tenon/internal/thrown";
import type { ElicitResult } from "../../types.js";
import { INTERNAL_ERROR, INVALID_PARAMS, RequestError } from "../requests/errors.js";

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

/**
 * Describes tool results in the last message that do not match the tool calls in the message before it, with the
 * official SDK's text. Returns `undefined` if they match.
 */
export function describeSamplingMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const last = blocksOf(messages.at(-1));
  const results = last.filter(({ type }) => type === "tool_result");
  const uses = blocksOf(messages.at(-2)).filter(({ type }) => type === "tool_use");
  if (results.length > 0 && results.length < last.length)
    return "The last message must contain only tool_result content if any is present";
  if (results.length > 0 && uses.length === 0)
    return "tool_result blocks are not matching any tool_use from the previous message";
  if (uses.length === 0) return undefined;
  const used = new Set(uses.map(({ id }) => id));
  const answered = new Set(results.map(({ toolUseId }) => toolUseId));
  return used.size === answered.size && [...used].every((id) => answered.has(id))
    ? undefined
    : "ids of tool_result blocks and tool_use blocks from previous message do not match";
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.filter(isJsonObject);
}

/** Describes everything in which the content does not match the schema. Returns `undefined` if it matches. */
export function describeMismatch(schema: JsonObject, content: JsonObject): string | undefined {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const missing = names
    .filter((name) => !Object.hasOwn(content, name))
    .map((name) => `data must have required property '${name}'`);
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const wrong = fields.flatMap(([name, field]) =>
    isJsonObject(field) && Object.hasOwn(content, name)
      ? problemsOf(field, content[name]).map((problem) => `data/${name}${problem}`)
      : [],
  );
  const all = [...missing, ...wrong];
  return all.length === 0 ? undefined : all.join(", ");
}

/** Returns the problems of one field, each with the path inside the field. */
function problemsOf(field: JsonObject, value: unknown): readonly string[] {
  const { type } = field;
  if (typeof type === "string" && !(TYPES[type]?.(value) ?? true)) return [` must be ${type}`];
  if (Array.isArray(value)) return listProblems(field, value);
  const choices = choicesOf(field);
  return [
    ...(typeof value === "string" ? textProblems(field, value) : []),
    ...(typeof value === "number" ? numberProblems(field, value) : []),
    ...(choices === undefined || choices.includes(value) ? [] : [NOT_ALLOWED]),
  ];
}

const NOT_ALLOWED = " must be equal to one of the allowed values";

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
};

function textProblems({ minLength, maxLength, format }: JsonObject, value: string): readonly string[] {
  // JSON Schema counts code points, not UTF-16 units.
  const { length } = Array.from(value);
  const check = typeof format === "string" ? FORMATS[format] : undefined;
  return [
    ...(typeof minLength === "number" && length < minLength
      ? [` must NOT have fewer than ${minLength} characters`]
      : []),
    ...(typeof maxLength === "number" && length > maxLength
      ? [` must NOT have more than ${maxLength} characters`]
      : []),
    ...(check === undefined || check(value) ? [] : [` must match format "${String(format)}"`]),
  ];
}

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => value.length <= 320 && /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(value),
  uri: (value) => isUrl(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/u.test(value) && isDate(value),
  "date-time": (value) => /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}/u.test(value) && isDate(value),
};

/** Returns true for an existing date. JavaScript accepts February 30 and moves it to March. */
function isDate(value: string): boolean {
  const day = value.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(value)) &&
    !Number.isNaN(moment.getTime()) &&
    moment.toISOString().startsWith(day)
  );
}

function numberProblems({ minimum, maximum }: JsonObject, value: number): readonly string[] {
  return [
    ...(typeof minimum === "number" && value < minimum ? [` must be >= ${minimum}`] : []),
    ...(typeof maximum === "number" && value > maximum ? [` must be <= ${maximum}`] : []),
  ];
}

function listProblems(
  { minItems, maxItems, items }: JsonObject,
  value: readonly unknown[],
): readonly string[] {
  const choices = isJsonObject(items) ? choicesOf(items) : undefined;
  return [
    ...(typeof minItems === "number" && value.length < minItems
      ? [` must NOT have fewer than ${minItems} items`]
      : []),
    ...(typeof maxItems === "number" && value.length > maxItems
      ? [` must NOT have more than ${maxItems} items`]
      : []),
    ...(choices === undefined
      ? []
      : value.flatMap((item, index) => (choices.includes(item) ? [] : [`/${index}${NOT_ALLOWED}`]))),
  ];
}

/** Returns the allowed values of a field: an `enum`, or constants with titles. */
function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(values)) return values;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled)
    ? titled.map((one) => (isJsonObject(one) ? one["const"] : undefined))
    : undefined;
}
