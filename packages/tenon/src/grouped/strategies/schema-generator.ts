/**
 * @fileoverview Merges the input schemas of all actions into a grouped tool's input schema. Each field's description
 * lists the actions that use it.
 * @module grouped/strategies/schema-generator
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { findFieldConflict } from "./field-conflict.js";
import { joinDefinitions } from "./references.js";
import { fieldsOf, toActionSchema, toCommonSchema, type SchemaField } from "./schema-utils.js";
import { joinSentences } from "./sentence.js";

/** Input for a schema generator. */
export interface SchemaInput {
  readonly actions: readonly ActionFacts[];
  /** Name of the field that selects the action. */
  readonly discriminator: string;
  readonly hasGroup: boolean;
  /** Schema for the fields that all actions share. */
  readonly commonSchema?: StandardSchema | undefined;
}

/** Generates a tool's input schema from its actions. */
export type SchemaGenerator = (input: SchemaInput) => JsonObject;

/**
 * Merges the fields of all actions and adds the discriminator. The first declaration of a field wins. The result is
 * frozen.
 *
 * @throws if two declarations of a field differ in type, or if a field has the same name as the discriminator
 */
export function generateInputSchema(input: SchemaInput): JsonObject {
  const { actions, discriminator, hasGroup, commonSchema } = input;
  const keys = [...new Set(actions.map(({ key }) => key))];
  const { common, byAction, definitions } = readFields(actions, commonSchema);
  const fieldActions = new Map<string, FieldUse>();
  const tracker = { fieldActions, definitions };
  for (const field of common) {
    if (field.name === discriminator) throw discriminatorTaken(discriminator, "the common schema");
    fieldActions.set(field.name, {
      definition: field.definition,
      always: field.required,
      usedIn: new Set(keys),
      requiredIn: new Set(field.required ? keys : []),
    });
  }
  for (const [key, fields] of byAction) {
    for (const field of fields) {
      if (field.name === discriminator) throw discriminatorTaken(discriminator, `action "${key}"`);
      track(tracker, field, key);
    }
  }
  const properties = Array.from(fieldActions, ([name, use]) => [name, annotate(use)] as const);
  return frozenCopy({
    type: "object",
    properties: Object.fromEntries([
      [discriminator, { type: "string", enum: keys, description: describe(discriminator, hasGroup) }],
      ...properties,
    ]),
    required: [discriminator, ...common.filter(({ required }) => required).map(({ name }) => name)],
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  });
}

/** A field and the actions that use it. */
interface FieldUse {
  readonly definition: JsonObject;
  /** True if the common schema requires the field. */
  readonly always: boolean;
  readonly usedIn: Set<string>;
  readonly requiredIn: Set<string>;
}

function readFields(actions: readonly ActionFacts[], commonSchema: StandardSchema | undefined) {
  const common = {
    owner: "common",
    schema: commonSchema === undefined ? {} : toCommonSchema(commonSchema),
  };
  const own = actions.map((action) => ({ owner: action.key, schema: toActionSchema(action) }));
  const { schemas, definitions } = joinDefinitions([common, ...own]);
  const [commonFields = [], ...fields] = schemas.map(fieldsOf);
  const byAction = actions.map(({ key }, index) => [key, fields[index] ?? []] as const);
  return { common: commonFields, byAction, definitions };
}

/** Fields found so far, and the definitions that they refer to. */
interface FieldTracker {
  readonly fieldActions: Map<string, FieldUse>;
  readonly definitions: JsonObject;
}

function track(
  { fieldActions, definitions }: FieldTracker,
  { name, definition, required }: SchemaField,
  key: string,
): void {
  const use = fieldActions.get(name);
  if (use === undefined) {
    const requiredIn = new Set(required ? [key] : []);
    fieldActions.set(name, { definition, always: false, usedIn: new Set([key]), requiredIn });
    return;
  }
  const conflict = findFieldConflict(use.definition, definition, definitions);
  if (conflict !== undefined) {
    throw new Error(
      `Schema conflict for field "${name}" in action "${key}": ${conflict}. ` +
        "All actions sharing a field name must use the same type.",
    );
  }
  use.usedIn.add(key);
  if (required) use.requiredIn.add(key);
}

function annotate(use: FieldUse): JsonObject {
  const { description } = use.definition;
  const own = typeof description === "string" ? description : undefined;
  return { ...use.definition, description: joinSentences(own, toAnnotation(use)) };
}

/** Returns the note for a field's description: the actions that require it, then those that accept it. */
function toAnnotation({ always, usedIn, requiredIn }: FieldUse): string {
  if (always) return "(always required)";
  const optionalIn = [...usedIn].filter((key) => !requiredIn.has(key));
  const parts = [
    requiredIn.size > 0 ? `Required for: ${[...requiredIn].join(", ")}` : "",
    optionalIn.length > 0 ? `For: ${optionalIn.join(", ")}` : "",
  ];
  return parts.filter((part) => part !== "").join(". ");
}

function describe(discriminator: string, hasGroup: boolean): string {
  return hasGroup ? `Module and operation (module.${discriminator} format)` : "Which operation to perform";
}

function discriminatorTaken(discriminator: string, where: string): Error {
  return new Error(
    `Field "${discriminator}" in ${where} has the same name as the discriminator. Rename one of them.`,
  );
}
