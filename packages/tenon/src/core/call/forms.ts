/**
 * @fileoverview What a handler may ask the user: a small form, or a visit to a link. A form's schema is flat, as
 * the protocol demands, and made ready once.
 * @module core/forms
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { compileSchema, isStandardSchema } from "../../schema/compile.js";
import type { CheckResult, CompiledSchema, Issue, OutputOf, StandardSchema } from "../../schema/schema.js";

/** A form for the user; the answer's content has the schema's type. */
export interface FormRequest<Content> {
  readonly kind: "form";
  readonly message: string;
  readonly schema: CompiledSchema;
  /** Carries the type only. */
  readonly content?: Content;
}

/** A link for the user to visit. */
export interface UrlRequest {
  readonly kind: "url";
  readonly message: string;
  readonly url: string;
}

/**
 * Asks the user to fill in a form.
 *
 * @param options.schema an object of strings, numbers, booleans and choices: a library's schema, or JSON Schema
 * @example form({ message: "Who are you?", schema: z.object({ name: z.string() }) })
 * @throws where the schema is not flat
 */
export function form<const S extends StandardSchema | JsonObject>(options: {
  readonly message: string;
  readonly schema: S;
}): FormRequest<OutputOf<S>> {
  return { kind: "form", message: options.message, schema: compileForm(options.schema) };
}

/**
 * Asks the user to open a link, for what must not pass through the client (a sign-in, a payment).
 *
 * @throws for what is no absolute URL
 */
export function url(options: { readonly message: string; readonly url: string }): UrlRequest {
  if (!URL.canParse(options.url)) throw new Error(`url() needs an absolute URL, not "${options.url}"`);
  return { kind: "url", ...options };
}

/** Forms are mostly written inside handlers: each schema is made ready once, not in every call. */
const compiledForms = /* @__PURE__ */ new WeakMap<object, CompiledSchema>();

function compileForm(schema: StandardSchema | JsonObject): CompiledSchema {
  const known = compiledForms.get(schema);
  if (known !== undefined) return known;
  const compiled = isStandardSchema(schema)
    ? compileSchema(schema, { label: "Form schema", side: "input" })
    : { jsonSchema: schema, check: (value: unknown) => checkForm(schema, value) };
  const flat = { ...compiled, jsonSchema: toFormSchema(compiled.jsonSchema) };
  compiledForms.set(schema, flat);
  return flat;
}

/** The subset of JSON Schema that clients can show as a form. */
function toFormSchema(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (schema["type"] !== "object" || !isJsonObject(properties)) {
    throw new Error("Form schema must be an object with properties");
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
    throw new Error(`Form field "${name}" must be a string, number, boolean or choice`);
  }
  // Libraries spell a format out as a pattern too; clients know the format.
  const { pattern, ...rest } = field;
  return field["format"] === undefined && pattern !== undefined ? field : rest;
}

const FIELD_TYPES: readonly unknown[] = ["string", "number", "integer", "boolean"];

/** Checks an answer against a form given as JSON Schema: enough for the flat subset, without a validator. */
function checkForm(schema: JsonObject, value: unknown): CheckResult {
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
      if (choices !== undefined && !choices.includes(answer)) return "must be one of the choices";
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
        return "must be a list of the choices";
      }
      return checkRange(answer.length, {
        least: field["minItems"],
        most: field["maxItems"],
        what: "number of choices",
      });
    }
    default:
      if (typeof answer !== "number" || (field["type"] === "integer" && !Number.isInteger(answer))) {
        return field["type"] === "integer" ? "must be a whole number" : "must be a number";
      }
      return checkRange(answer, { least: field["minimum"], most: field["maximum"], what: "value" });
  }
}

/** Bounds of a field; a bound that is not a number is no bound. */
interface Range {
  readonly least: unknown;
  readonly most: unknown;
  /** Names the measured quantity in the message. */
  readonly what: string;
}

function checkRange(size: number, { least, most, what }: Range): string | undefined {
  if (typeof least === "number" && size < least) return `${what} must be at least ${least}`;
  if (typeof most === "number" && size > most) return `${what} must be at most ${most}`;
  return undefined;
}

/** The values of a choice, in any of its spellings. */
function choicesOf(field: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(field["enum"])) return field["enum"];
  const titled = field["oneOf"] ?? field["anyOf"];
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isJsonObject(choice) ? choice["const"] : undefined))
    : undefined;
}
