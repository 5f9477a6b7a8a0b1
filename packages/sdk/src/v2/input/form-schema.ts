/**
 * @fileoverview Converts a Standard Schema to the JSON Schema of a form. Forms have flat properties with a few
 * constraints. A constraint that a form cannot express is rejected, because clients would ignore it.
 * @module sdk/v2/input/form-schema
 */
import { isStandardSchema } from "tenon/host";
import { regexes } from "zod/v4/core";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import { toStandardSchema } from "../../server/registrations/zod-schemas.js";
import type { AnySchema } from "../../types.js";
import type { StandardSchemaWithJSON } from "../types.js";

/** Returns a form's JSON Schema. A JSON Schema is returned unchanged. @throws if a form cannot express the schema */
export function toFormSchema(schema: object): object {
  if (!isStandardSchema(schema)) return schema;
  const {
    type = "object",
    properties,
    required,
    $schema,
    additionalProperties: others,
    ...rest
  } = convert(schema);
  const { vendor } = schema["~standard"];
  if (type !== "object" || !isJsonObject(properties)) {
    throw new TypeError(`${LABEL} must be an object schema. Use z.object({ … }).`);
  }
  const unsupported = Object.keys(rest).filter((key) => !isNote(key));
  // A form has no other fields, so `false` always holds.
  if (others !== undefined && others !== false) unsupported.push("additionalProperties");
  if (unsupported.length > 0) throw new TypeError(`${LABEL} cannot express: ${unsupported.join(", ")}.`);
  const known = Object.entries(properties).map(
    ([name, property]) => [name, toProperty(name, property, vendor)] as const,
  );
  if (required !== undefined) assertRequired(required, properties);
  return {
    type,
    properties: Object.fromEntries(known),
    ...(required === undefined ? {} : { required }),
    ...($schema === undefined ? {} : { $schema }),
  };
}

const LABEL = "inputRequired.elicit: the schema of a form";

function convert(schema: StandardSchemaWithJSON): JsonObject {
  const whole = toStandardSchema(schema as unknown as AnySchema); // Safe: it accepts every Standard Schema
  const { jsonSchema }: Partial<StandardSchemaWithJSON["~standard"]> = whole["~standard"];
  try {
    const converted = jsonSchema?.input({ target: "draft-2020-12" });
    if (converted !== undefined) return converted;
  } catch (error) {
    throw new TypeError(`${LABEL} cannot be converted to JSON Schema: ${messageOf(error)}`, { cause: error });
  }
  throw new TypeError(`${LABEL} cannot be converted to JSON Schema. Use a schema library that supports it.`);
}

function assertRequired(required: unknown, properties: JsonObject): void {
  const names: readonly unknown[] = Array.isArray(required) ? required : [required];
  const unknown = names.filter((name) => typeof name !== "string" || !Object.hasOwn(properties, name));
  if (unknown.length > 0) throw new TypeError(`${LABEL} requires unknown properties: ${unknown.join(", ")}.`);
}

function toProperty(name: string, property: unknown, vendor: string): JsonObject {
  const keywords = isJsonObject(property) ? keywordsOf(property) : undefined;
  if (!isJsonObject(property) || keywords === undefined) {
    throw new TypeError(
      `${LABEL} has a property "${name}" that is not a string, number, boolean, or list of choices.`,
    );
  }
  const constraints = Object.entries(property).filter(
    ([key, value]) => key !== "pattern" || !isLibraryPattern(property["format"], value, vendor),
  );
  const { read, wrong } = readKeywords(Object.fromEntries(constraints), keywords);
  if (wrong.length === 0) return read;
  const hint = wrong.map((key) => HINTS[key] ?? "").join("");
  throw new TypeError(`${LABEL} cannot express ${wrong.map((key) => `"${name}.${key}"`).join(", ")}.${hint}`);
}

/** Reads a keyword's value. Returns `undefined` if a form cannot express it. */
type Read = (value: unknown) => unknown;
type Keywords = Readonly<Record<string, Read>>;

/** Reads the members of a schema. Annotations that forms do not have are dropped. */
function readKeywords(
  schema: JsonObject,
  keywords: Keywords,
): { readonly read: JsonObject; readonly wrong: readonly string[] } {
  const entries = Object.entries(schema)
    .filter(([key]) => Object.hasOwn(keywords, key) || !isNote(key))
    .map(([key, value]) => [key, Object.hasOwn(keywords, key) ? keywords[key]?.(value) : undefined] as const);
  const wrong = entries.filter(([, value]) => value === undefined).map(([key]) => key);
  return { read: Object.fromEntries(entries), wrong };
}

/** Creates a reader of objects that have all of the keywords. */
function objectOf(keywords: Keywords): Read {
  return (value) => {
    if (!isJsonObject(value) || Object.keys(keywords).some((key) => !Object.hasOwn(value, key)))
      return undefined;
    const { read, wrong } = readKeywords(value, keywords);
    return wrong.length === 0 ? read : undefined;
  };
}

function listOf(read: Read): Read {
  return (value) => {
    const items = Array.isArray(value) ? value.map(read) : [undefined];
    return items.includes(undefined) ? undefined : items;
  };
}

const text: Read = (value) => (typeof value === "string" ? value : undefined);
const flag: Read = (value) => (typeof value === "boolean" ? value : undefined);
const amount: Read = (value) => (Number.isFinite(value) ? value : undefined);
const texts = /* @__PURE__ */ listOf(text);
const titledChoices = /* @__PURE__ */ listOf(/* @__PURE__ */ objectOf({ const: text, title: text }));
const plainItems = /* @__PURE__ */ objectOf({
  type: (value) => (value === "string" ? value : undefined),
  enum: texts,
});
const titledItems = /* @__PURE__ */ objectOf({ anyOf: titledChoices });

const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];
const HINTS: Readonly<Record<string, string>> = {
  format: ` Supported formats: ${FORMATS.join(", ")}.`,
  items: " Use z.array(z.enum([…])).",
};

const COMMON: Keywords = { type: text, title: text, description: text };
const TEXT: Keywords = {
  ...COMMON,
  minLength: amount,
  maxLength: amount,
  format: (value) => (FORMATS.includes(value) ? value : undefined),
  default: text,
};
const CHOICE: Keywords = { ...COMMON, enum: texts, enumNames: texts, default: text };
const TITLED_CHOICE: Keywords = { ...COMMON, oneOf: titledChoices, default: text };
const FLAG: Keywords = { ...COMMON, default: flag };
const NUMBER: Keywords = { ...COMMON, minimum: amount, maximum: amount, default: amount };
const LIST: Keywords = {
  ...COMMON,
  minItems: amount,
  maxItems: amount,
  items: (value) => plainItems(value) ?? titledItems(value),
  default: texts,
};

/** Returns the keywords of a property's type, or `undefined` for types that forms do not have. */
function keywordsOf(property: JsonObject): Keywords | undefined {
  switch (property["type"]) {
    case "string":
      return "enum" in property ? CHOICE : "oneOf" in property ? TITLED_CHOICE : TEXT;
    case "number":
    case "integer":
      return NUMBER;
    case "boolean":
      return FLAG;
    case "array":
      return "items" in property ? LIST : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns true if a pattern only repeats the meaning of a format. Libraries add one to some formats. Only Zod lets
 * applications replace it, so the pattern is compared with Zod's own.
 */
function isLibraryPattern(format: unknown, pattern: unknown, vendor: string): boolean {
  if (vendor !== "zod" || typeof pattern !== "string") return FORMATS.includes(format);
  switch (format) {
    case "email":
      return pattern === regexes.email.source;
    case "date":
      return pattern === regexes.date.source;
    case "date-time":
      // The time depends on the options of the schema, but the date in front of it does not.
      return pattern.startsWith(`${regexes.date.source.slice(0, -1)}T`);
    default:
      return false;
  }
}

/** Recognizes keywords that do not constrain values. */
function isNote(key: string): boolean {
  return (
    ["$comment", "deprecated", "examples", "readOnly", "writeOnly", "title", "description"].includes(key) ||
    key.startsWith("x-")
  );
}
