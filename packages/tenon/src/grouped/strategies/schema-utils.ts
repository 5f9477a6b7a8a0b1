/**
 * @fileoverview Reads an action's fields from its input schema, converted to JSON Schema.
 * @module tenon/grouped/strategies/schema-utils
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, schemaKindOf } from "@tenon/internal/kind-of";
import { compileSchema, isStandardSchema } from "../../schema/compile.js";
import type { CompiledSchema, StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { dropAbsentFields } from "./absent-fields.js";
import { resolveReference } from "./references.js";

/** Field of an object schema. */
export interface SchemaField {
  readonly name: string;
  readonly definition: JsonObject;
  readonly required: boolean;
}

/** Returns the names of the fields that a call to an action must include. */
export type RequiredFieldsReader = (action: ActionFacts, commonSchema?: StandardSchema) => readonly string[];

/**
 * Returns an action's required fields without duplicates, common fields first. A field with a default or a fallback is
 * optional, because callers do not have to send it. A field that accepts any value is still required.
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

/** Fields that a description lists with an action. */
export interface ListedFields {
  /** Fields that the common schema requires of every action. */
  readonly common: readonly string[];
  /** Required fields of the action itself. */
  readonly required: readonly string[];
  /** Optional fields of the action itself. */
  readonly optional: readonly string[];
}

/** Returns the fields that an action adds to the common fields. A common field is listed only if it becomes required. */
export function listOwnFields(
  action: ActionFacts,
  rules: {
    readonly commonSchema?: StandardSchema | undefined;
    readonly requiredFields?: RequiredFieldsReader | undefined;
  },
): ListedFields {
  const { commonSchema, requiredFields = getActionRequiredFields } = rules;
  const shared = commonSchema === undefined ? [] : fieldsOf(toCommonSchema(commonSchema));
  const common = shared.filter((field) => field.required).map(({ name }) => name);
  const known = new Set(shared.map(({ name }) => name));
  const required = requiredFields(action).filter((name) => !common.includes(name));
  const optional = fieldsOf(toActionSchema(action))
    .map(({ name }) => name)
    .filter((name) => !known.has(name) && !required.includes(name));
  return { common, required, optional };
}

/** Converts an action's input schema to JSON Schema. @throws Error if it is not an object schema */
export function toActionSchema(action: ActionFacts): JsonObject {
  return compileActionSchema(action)?.jsonSchema ?? NO_FIELDS;
}

/** Converts the common schema to JSON Schema. @throws Error if it is not an object schema */
export function toCommonSchema(schema: StandardSchema): JsonObject {
  return compileCommonSchema(schema).jsonSchema;
}

/** Compiles an action's input schema, if it has one. @throws Error if it is not an object schema */
export function compileActionSchema(action: ActionFacts): CompiledSchema | undefined {
  return action.schema && compileObjectSchema(action.schema, actionLabel(action));
}

/** Compiles the common schema. @throws Error if it is not an object schema */
export function compileCommonSchema(schema: StandardSchema): CompiledSchema {
  return compileObjectSchema(schema, COMMON_LABEL);
}

/** Subject for error messages about the common schema. */
export const COMMON_LABEL = "The common schema";

/** Returns the subject for error messages about an action's schema. */
export function actionLabel({ key }: ActionFacts): string {
  return `Action "${key}": the schema`;
}

/** Returns the fields of an object schema in order. A name that occurs only in `required` accepts any value. */
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

/**
 * Merges two lists of fields without duplicates. The first declaration wins. A field is required if either list
 * requires it.
 */
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

/**
 * Cache of compiled schemas. Every strategy reads them, and converting them again would take most of the build time.
 */
const compiled = /* @__PURE__ */ new WeakMap<StandardSchema, CompiledSchema>();

function compileObjectSchema(schema: StandardSchema, label: string): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  if (!isStandardSchema(schema)) {
    throw new Error(`${label} must be a Standard Schema, such as a Zod 4 schema; got ${kindOf(schema)}.`);
  }
  const converted = compileSchema(schema, { label, side: "input" });
  const jsonSchema = dropAbsentFields(schema, converted.jsonSchema);
  const { $defs } = jsonSchema;
  // A named schema may be only a reference to its definition.
  const root = resolveReference(jsonSchema, isJsonObject($defs) ? $defs : {});
  if (root["type"] !== "object" || isMapOnly(root)) {
    const got = isMapOnly(root) ? "a record schema" : schemaKindOf(root);
    throw new Error(`${label} must be an object schema with named fields; got ${got}. Use z.object({ … }).`);
  }
  const ready = { jsonSchema: root === jsonSchema ? root : { ...root, $defs }, check: converted.check };
  compiled.set(schema, ready);
  return ready;
}

/**
 * Returns true for a record schema, which maps any name to a value. Its fields are undeclared, so all would be dropped.
 */
function isMapOnly({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  return properties === undefined && (isJsonObject(additionalProperties) || patternProperties !== undefined);
}

/** Converts a boolean schema (`true` for anything, `false` for nothing) to an object, which can hold a description. */
function toDefinition(schema: unknown): JsonObject {
  if (isJsonObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}
