/**
 * @fileoverview Requests for user input: forms and links. MCP requires form schemas to be flat. Each schema is compiled
 * only once.
 * @module tenon/core/call/forms
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { compileSchema, isStandardSchema } from "../../schema/compile.js";
import type { CheckResult, CompiledSchema, Issue, OutputOf, StandardSchema } from "../../schema/schema.js";
import { kindOf, schemaKindOf } from "@tenon/internal/kind-of";
import { isUrl } from "@tenon/internal/security/is-url";

/** Form for the user to fill in. The content of the user's answer has the schema's output type. */
export interface FormRequest<Content> {
  readonly kind: "form";
  readonly message: string;
  readonly schema: CompiledSchema;
  /** Content type. This member exists only at the type level. */
  readonly content?: Content;
}

/** Link for the user to open in a browser. */
export interface UrlRequest {
  readonly kind: "url";
  readonly message: string;
  readonly url: string;
}

/**
 * Creates a form for the user to fill in.
 *
 * @param options.schema flat object schema of strings, numbers, booleans, and choices (Standard Schema or JSON Schema)
 * @example form({ message: "Who are you?", schema: z.object({ name: z.string() }) })
 * @throws if the schema is not flat
 */
export function form<const S extends StandardSchema | JsonObject>(options: {
  readonly message: string;
  readonly schema: S;
}): FormRequest<OutputOf<S>> {
  return { kind: "form", message: options.message, schema: compileForm(options.schema) };
}

/**
 * Creates a link for the user to open. Use it for data that must not pass through the client, such as a sign-in or a
 * payment.
 *
 * @throws if the URL is not absolute
 */
export function url(options: { readonly message: string; readonly url: string }): UrlRequest {
  if (!isUrl(options.url)) throw new Error(`\`url\` must be an absolute URL; got "${options.url}".`);
  return { kind: "url", ...options };
}

/** Compiled forms by schema. Forms are usually created inside handlers, so the cache avoids a compilation per call. */
const compiledForms = /* @__PURE__ */ new WeakMap<object, CompiledSchema>();

function compileForm(schema: StandardSchema | JsonObject): CompiledSchema {
  const known = compiledForms.get(schema);
  if (known !== undefined) return known;
  const compiled = isStandardSchema(schema)
    ? compileSchema(schema, { label: "The form schema", side: "input" })
    : { jsonSchema: schema, check: (value: unknown) => checkForm(schema, value) };
  const flat = { ...compiled, jsonSchema: toFormSchema(compiled.jsonSchema) };
  compiledForms.set(schema, flat);
  return flat;
}

/** Reduces a schema to the subset of JSON Schema that clients can render as a form. */
function toFormSchema(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (schema["type"] !== "object" || !isJsonObject(properties)) {
    const got = schema["type"] === "object" ? "an object schema without properties" : schemaKindOf(schema);
    throw new Error(`The form schema must be an object schema with properties; got ${got}.`);
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, toFormField(name, field)] as const);
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

function toFormField(name: string, field: unknown): JsonObject {
  const type = isJsonObject(field) ? field["type"] : undefined;
  const isChoice =
    type === "array" &&
    isJsonObject(field) &&
    isJsonObject(field["items"]) &&
    choicesOf(field["items"]) !== undefined;
  if (!isJsonObject(field) || !(isChoice || FIELD_TYPES.includes(type))) {
    throw new Error(
      `Form field "${name}" must be a string, number, boolean, or choice; ` +
        `got ${isJsonObject(field) ? schemaKindOf(field) : kindOf(field)}. Nested fields are not supported.`,
    );
  }
  // Schema libraries add a pattern to each format. Clients use only the format.
  const { pattern, ...rest } = field;
  return field["format"] === undefined && pattern !== undefined ? field : rest;
}

const FIELD_TYPES: readonly unknown[] = ["string", "number", "integer", "boolean"];

/** Validates an answer against a JSON Schema form. The schema is flat, so a full validator is not necessary. */
export function checkForm(schema: JsonObject, value: unknown): CheckResult {
  if (!isJsonObject(value)) return { issues: [{ message: "must be an object" }] };
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const issues: Issue[] = [];
  const content: [string, unknown][] = [];
  for (const [name, field] of Object.entries(properties)) {
    const answer = Object.hasOwn(value, name) ? value[name] : undefined;
    const problem =
      answer === undefined
        ? required.includes(name)
          ? "is required"
          : undefined
        : isJsonObject(field)
          ? checkField(field, answer)
          : undefined;
    if (problem !== undefined) issues.push({ path: [name], message: problem });
    else if (answer !== undefined) content.push([name, answer]);
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(content) };
}

function checkField(field: JsonObject, answer: unknown): string | undefined {
  switch (field["type"]) {
    case "string": {
      if (typeof answer !== "string") return "must be a string";
      const choices = choicesOf(field);
      if (choices !== undefined && !choices.includes(answer)) return `must be one of ${list(choices)}`;
      return checkRange(Array.from(answer).length, {
        least: field["minLength"],
        most: field["maxLength"],
        what: "length",
      });
    }
    case "boolean":
      return typeof answer === "boolean" ? undefined : "must be true or false";
    case "array": {
      const choices = isJsonObject(field["items"]) ? choicesOf(field["items"]) : undefined;
      if (
        !Array.isArray(answer) ||
        !answer.every((item) => choices?.includes(item) ?? typeof item === "string")
      ) {
        return choices === undefined
          ? "must be an array of strings"
          : `must be an array with items from ${list(choices)}`;
      }
      return checkRange(answer.length, {
        least: field["minItems"],
        most: field["maxItems"],
        what: "number of choices",
      });
    }
    default:
      if (typeof answer !== "number" || (field["type"] === "integer" && !Number.isInteger(answer))) {
        return field["type"] === "integer" ? "must be an integer" : "must be a number";
      }
      return checkRange(answer, { least: field["minimum"], most: field["maximum"], what: "value" });
  }
}

/** Minimum and maximum for a field. Bounds that are not numbers are ignored. */
interface Range {
  readonly least: unknown;
  readonly most: unknown;
  /** Measured quantity, as named in the error message. */
  readonly what: string;
}

function checkRange(size: number, { least, most, what }: Range): string | undefined {
  if (typeof least === "number" && size < least) return `${what} must be at least ${least}; got ${size}`;
  if (typeof most === "number" && size > most) return `${what} must be at most ${most}; got ${size}`;
  return undefined;
}

/** Lists choices for an error message, which `describeIssues` truncates. */
function list(choices: readonly unknown[]): string {
  return choices.map((choice) => JSON.stringify(choice)).join(", ");
}

/** Returns the allowed values of a choice field, from `enum`, `oneOf`, or `anyOf`. */
function choicesOf(field: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(field["enum"])) return field["enum"];
  const titled = field["oneOf"] ?? field["anyOf"];
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isJsonObject(choice) ? choice["const"] : undefined))
    : undefined;
}
