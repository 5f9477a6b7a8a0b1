/**
 * @fileoverview Converts a Standard Schema to the JSON Schema of a form. Forms have flat properties with a few
 * constraints. A constraint that a form cannot express is rejected, because clients would ignore it.
 * @module sdk/v2/input/form-schema
 */
import { isStandardSchema } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Returns a form's JSON Schema. A JSON Schema is returned unchanged. @throws if a form cannot express the schema */
export function toFormSchema(schema: object): object {
  if (!isStandardSchema(schema)) return schema;
  const { jsonSchema, vendor } = schema["~standard"];
  const whole: JsonObject = jsonSchema.input({ target: "draft-2020-12" });
  if (whole["type"] !== "object" || !isJsonObject(whole["properties"])) {
    throw new TypeError(`${LABEL} must be an object schema. Use z.object({ … }).`);
  }
  const unsupported = Object.keys(whole).filter((key) => !ROOT_KEYS.has(key) && !isNote(key));
  if (unsupported.length > 0) throw new TypeError(`${LABEL} cannot express: ${unsupported.join(", ")}.`);
  const properties = Object.entries(whole["properties"]).map(
    ([name, property]) => [name, toProperty(name, property, vendor)] as const,
  );
  const { required } = whole;
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...(whole["$schema"] === undefined ? {} : { $schema: whole["$schema"] }),
  };
}

const LABEL = "inputRequired.elicit: the schema of a form";
const ROOT_KEYS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "$schema",
  "type",
  "properties",
  "required",
  "additionalProperties",
]);
const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

const KEYS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "format", "enum", "enumNames", "oneOf", "const"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems", "items"],
};

function toProperty(name: string, property: unknown, vendor: string): JsonObject {
  const type = isJsonObject(property) ? property["type"] : undefined;
  const allowed = typeof type === "string" && Object.hasOwn(KEYS, type) ? KEYS[type] : undefined;
  if (!isJsonObject(property) || allowed === undefined) {
    throw new TypeError(
      `${LABEL} has a property "${name}" that is not a string, number, boolean, or list of choices.`,
    );
  }
  if (type === "array" && !isChoice(property["items"])) {
    throw new TypeError(
      `${LABEL} has a list "${name}" whose items are not choices. Use z.array(z.enum([…])).`,
    );
  }
  if (property["format"] !== undefined && !FORMATS.includes(property["format"])) {
    throw new TypeError(`${LABEL} cannot express the format of "${name}". Supported: ${FORMATS.join(", ")}.`);
  }
  // Zod repeats the meaning of a format as a pattern, which the format already contains.
  const skipped = property["format"] !== undefined && vendor === "zod" ? ["pattern"] : [];
  const known = [...allowed, "type", "default", "title", "description"];
  const entries = Object.entries(property).filter(([key]) => !skipped.includes(key));
  const wrong = entries.filter(([key]) => !known.includes(key) && !isNote(key));
  if (wrong.length > 0) {
    throw new TypeError(`${LABEL} cannot express ${wrong.map(([key]) => `"${name}.${key}"`).join(", ")}.`);
  }
  return Object.fromEntries(entries.filter(([key]) => known.includes(key)));
}

function isChoice(items: unknown): boolean {
  return isJsonObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]));
}

/** Recognizes keywords that do not constrain values. */
function isNote(key: string): boolean {
  return (
    ["$comment", "deprecated", "examples", "readOnly", "writeOnly", "title", "description"].includes(key) ||
    key.startsWith("x-")
  );
}
