/**
 * @fileoverview Describes the arguments in a tool's JSON Schema: name, type, and description.
 * @module cli/describe/arguments
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";

/** Tool or prompt argument. */
export interface DescribedArgument {
  readonly name: string;
  /** Type, allowed values, and default value, such as `number, required`. */
  readonly type: string;
  readonly description: string;
}

/** Describes a tool's arguments from its input schema. */
export function describeArguments(schema: unknown): readonly DescribedArgument[] {
  if (!isJsonObject(schema)) return [];
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(propertiesOf(schema)).map(([name, given]) => {
    const property = resolveReference(given, schema);
    const fallback = property["default"];
    const facts = [
      describeType(property, schema),
      ...(required.includes(name) ? ["required"] : []),
      ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ];
    return {
      name: oneLine(name, 80),
      type: oneLine(facts.join(", "), MAX_TYPE),
      description: textOf(property["description"]) || textOf(property["title"]),
    };
  });
}

/** Describes a prompt's arguments. Their values are always strings. */
export function describePromptArguments(list: unknown): readonly DescribedArgument[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.filter(isJsonObject).map(({ name, required, description, title }) => ({
    name: oneLine(textOf(name), 80),
    type: required === true ? "string, required" : "string",
    description: textOf(description) || textOf(title),
  }));
}

/** Returns an object schema's properties. */
export function propertiesOf(schema: unknown): JsonObject {
  return isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
}

/** Returns a schema's allowed values, from `const`, `enum`, or titled choices. */
export function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"] as unknown[];
  const titled: unknown = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(titled) || titled.length === 0) return undefined;
  const constants = titled.map((one: unknown) => (isJsonObject(one) ? one["const"] : undefined));
  return constants.includes(undefined) ? undefined : constants;
}

/** Longest description of a type, in characters. */
const MAX_TYPE = 300;
const MAX_DEPTH = 4;

function describeType(schema: JsonObject, root: JsonObject, depth = 0): string {
  if (depth > MAX_DEPTH) return "any";
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  const alternatives: unknown = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) {
    const types = alternatives.map((one) => describeType(resolveReference(one, root), root, depth + 1));
    return [...new Set(types)].join(" | ");
  }
  const { type, items, format } = schema;
  if (Array.isArray(type)) return type.map(String).join(" | ");
  if (type === "array") {
    const item = describeType(resolveReference(items, root), root, depth + 1);
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "string" && typeof format === "string") return `string (${format})`;
  return typeof type === "string" ? type : "any";
}

/** Follows a reference inside the same schema, such as `#/$defs/Address`. */
function resolveReference(schema: unknown, root: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const reference = schema["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema;
  const target = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
  return isJsonObject(target) ? { ...target, ...schema } : schema;
}

/** Returns a text, or an empty one for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
