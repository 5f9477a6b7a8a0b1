/**
 * @fileoverview Reads the fields of an action from the JSON Schema of its input.
 * @module grouped/strategies/schema-utils
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { compileSchema, isStandardSchema } from "../../schema/compile.js";
import type { CompiledSchema, StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { resolveReference } from "./references.js";

/** One field of an object schema. */
export interface SchemaField {
  readonly name: string;
  readonly definition: JsonObject;
  readonly required: boolean;
}

/** Names the fields that a call of an action must carry. */
export type RequiredFieldsReader = (action: ActionFacts, commonSchema?: StandardSchema) => readonly string[];

/**
 * The required fields of an action, those of the common schema first, each once. What counts is what a caller must
 * send: a field with a default is optional, one of any type is not.
 */
export function getActionRequiredFields(
  action: ActionFacts,
  commonSchema?: StandardSchema,
): readonly string[] {
  const common = commonSchema === undefined ? [] : fieldsOf(toCommonSchema(commonSchema));
  const own = fieldsOf(toActionSchema(action));
  const required = [...common, ...own].filter((field) => field.required);
  return [...new Set(required.map(({ name }) => name))];
}

/** Converts the input of an action to JSON Schema. @throws Error for a schema that is not an object */
export function toActionSchema(action: ActionFacts): JsonObject {
  return compileActionSchema(action)?.jsonSchema ?? NO_FIELDS;
}

/** Converts the common schema to JSON Schema. @throws Error for a schema that is not an object */
export function toCommonSchema(schema: StandardSchema): JsonObject {
  return compileCommonSchema(schema).jsonSchema;
}

/** Compiles the input of an action, if it has a schema. @throws Error for a schema that is not an object */
export function compileActionSchema({ key, schema }: ActionFacts): CompiledSchema | undefined {
  return schema && compileObjectSchema(schema, `Action "${key}" schema`);
}

/** Compiles the common schema. @throws Error for a schema that is not an object */
export function compileCommonSchema(schema: StandardSchema): CompiledSchema {
  return compileObjectSchema(schema, "Common schema");
}

/** The fields of an object schema in their order; a name that is only required counts as a field of any type. */
export function fieldsOf(schema: JsonObject): readonly SchemaField[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  const definitions = new Map(Object.entries(properties));
  return [...new Set([...definitions.keys(), ...required])].map((name) => ({
    name,
    definition: toDefinition(definitions.get(name)),
    required: required.has(name),
  }));
}

/** The fields of both, each once: the first declaration stands, and whoever requires a field is heard. */
export function joinFields(
  common: readonly SchemaField[],
  own: readonly SchemaField[],
): readonly SchemaField[] {
  const joined = new Map(common.map((field) => [field.name, field]));
  for (const field of own) {
    const { definition, required } = joined.get(field.name) ?? field;
    joined.set(field.name, { name: field.name, definition, required: required || field.required });
  }
  return [...joined.values()];
}

const NO_FIELDS: JsonObject = { type: "object", properties: {} };

/** Every strategy reads the schemas, the common one for each action: converting them again would be most of a build. */
const compiled = /* @__PURE__ */ new WeakMap<StandardSchema, CompiledSchema>();

function compileObjectSchema(schema: StandardSchema, label: string): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  if (!isStandardSchema(schema)) {
    throw new Error(`${label} must be a schema of Zod 4 or of another Standard Schema library.`);
  }
  const { jsonSchema, check } = compileSchema(schema, { label, side: "input" });
  const { $defs } = jsonSchema;
  // A schema with a name of its own may be no more than a reference to it.
  const root = resolveReference(jsonSchema, isJsonObject($defs) ? $defs : {});
  if (root["type"] !== "object" || isMapOnly(root)) {
    throw new Error(`${label} must be an object with named fields, so that they can be merged.`);
  }
  const ready = { jsonSchema: root === jsonSchema ? root : { ...root, $defs }, check };
  compiled.set(schema, ready);
  return ready;
}

/** A map from any name to one kind of value: none of its fields would be known, so none would get through. */
function isMapOnly({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  return properties === undefined && (isJsonObject(additionalProperties) || patternProperties !== undefined);
}

/** JSON Schema may say `true` for anything and `false` for nothing, which have no room for a description. */
function toDefinition(schema: unknown): JsonObject {
  if (isJsonObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}
