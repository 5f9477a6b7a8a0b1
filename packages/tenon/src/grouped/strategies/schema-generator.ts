/**
 * @fileoverview Merges the input schemas of all actions into a grouped tool's input schema. Each field's description
 * lists the actions that use it.
 * @module tenon/grouped/strategies/schema-generator
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { findFieldConflict } from "./field-conflict.js";
import { createFieldMarker, type FieldMarker, type FieldMarks } from "./field-marks.js";
import { commonValues, describeValues, mergeValues, valuesOf } from "./field-values.js";
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
  /** Form of the marks in the field descriptions. @default "actions" */
  readonly fieldMarks?: FieldMarks | undefined;
}

/** Generates a tool's input schema from its actions. */
export type SchemaGenerator = (input: SchemaInput) => JsonObject;

/**
 * Merges the fields of all actions and adds the discriminator. The first declaration of a field wins, including
 * its description, except that enum values are merged. The result is frozen.
 *
 * @throws if two declarations of a field differ in type, or if a field has the same name as the discriminator
 */
export function generateInputSchema(input: SchemaInput): JsonObject {
  const { actions, discriminator, hasGroup, commonSchema, fieldMarks = "actions" } = input;
  const keys = [...new Set(actions.map(({ key }) => key))];
  const { common, byAction, definitions } = readFields(actions, commonSchema);
  const tracker: FieldTracker = { fieldActions: new Map(), definitions };
  for (const field of common) {
    if (field.name === discriminator) throw discriminatorTaken(discriminator, "the common schema");
    trackCommon(tracker, field, keys);
  }
  for (const [{ key }, fields] of byAction) {
    for (const field of fields) {
      if (field.name === discriminator) throw discriminatorTaken(discriminator, `action "${key}"`);
      track(tracker, field, key);
    }
  }
  const always = requiredNames(common);
  const mark = createFieldMarker(
    fieldMarks,
    byAction.map(([action, fields]) => [
      action,
      requiredNames(fields).filter((name) => !always.includes(name)),
    ]),
  );
  const properties = Array.from(
    tracker.fieldActions,
    ([name, use]) => [name, annotate(use, mark, definitions)] as const,
  );
  return frozenCopy({
    type: "object",
    properties: Object.fromEntries([
      [discriminator, { type: "string", enum: keys, description: describe(discriminator, hasGroup) }],
      ...properties,
    ]),
    required: [discriminator, ...always],
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  });
}

/** A field, the actions that use it, and the enum values that each of them accepts. */
interface FieldUse {
  definition: JsonObject;
  readonly common: boolean;
  /** True if the common schema requires the field. */
  readonly always: boolean;
  readonly usedIn: Set<string>;
  readonly requiredIn: Set<string>;
  readonly values: Map<string, readonly unknown[]>;
}

function readFields(actions: readonly ActionFacts[], commonSchema: StandardSchema | undefined) {
  const common = {
    owner: "common",
    schema: commonSchema === undefined ? {} : toCommonSchema(commonSchema),
  };
  const own = actions.map((action) => ({ owner: action.key, schema: toActionSchema(action) }));
  const { schemas, definitions } = joinDefinitions([common, ...own]);
  const [commonFields = [], ...fields] = schemas.map(fieldsOf);
  const byAction = actions.map((action, index) => [action, fields[index] ?? []] as const);
  return { common: commonFields, byAction, definitions };
}

/** Fields found so far, and the definitions that they refer to. */
interface FieldTracker {
  readonly fieldActions: Map<string, FieldUse>;
  readonly definitions: JsonObject;
}

function trackCommon(
  { fieldActions, definitions }: FieldTracker,
  { name, definition, required }: SchemaField,
  keys: readonly string[],
): void {
  const values = valuesOf(definition, definitions);
  fieldActions.set(name, {
    definition,
    common: true,
    always: required,
    usedIn: new Set(keys),
    requiredIn: new Set(required ? keys : []),
    values: new Map(values === undefined ? [] : keys.map((key) => [key, values])),
  });
}

function track(
  { fieldActions, definitions }: FieldTracker,
  { name, definition, required }: SchemaField,
  key: string,
): void {
  const use = fieldActions.get(name);
  if (use === undefined) {
    const [usedIn, requiredIn] = [new Set([key]), new Set(required ? [key] : [])];
    fieldActions.set(name, {
      definition,
      common: false,
      always: false,
      usedIn,
      requiredIn,
      values: new Map(),
    });
    return;
  }
  const conflict =
    findFieldConflict(use.definition, definition, definitions) ??
    addValues(use, key, { definition, definitions });
  if (conflict !== undefined) {
    throw new Error(
      `Schema conflict for field "${name}" in action "${key}": ${conflict}. ` +
        "All actions sharing a field name must use the same type.",
    );
  }
  use.usedIn.add(key);
  if (required) use.requiredIn.add(key);
}

/**
 * Adds the enum values of a later declaration. An action can restrict the values of a common field, but not extend them.
 * Returns the conflict, if any.
 */
function addValues(
  use: FieldUse,
  key: string,
  { definition, definitions }: { readonly definition: JsonObject; readonly definitions: JsonObject },
): string | undefined {
  const { common, values, usedIn } = use;
  const own = valuesOf(definition, definitions);
  if (own === undefined) return undefined;
  if (common) {
    const accepted = commonValues(values.get(key) ?? own, own);
    values.set(key, accepted);
    return accepted.length > 0 ? undefined : "the common schema does not allow any of its enum values";
  }
  if (values.size === 0) {
    const first = valuesOf(use.definition, definitions) ?? [];
    for (const earlier of usedIn) values.set(earlier, first);
  }
  values.set(key, own);
  use.definition = mergeValues(use.definition, definition, definitions);
  return undefined;
}

/** Ends a field's description with the enum values of each action, if they differ, and the mark. */
function annotate(use: FieldUse, mark: FieldMarker, definitions: JsonObject): JsonObject {
  const { description, ...definition } = use.definition;
  const own = typeof description === "string" ? description : undefined;
  const notes = [
    use.values.size === 0 ? "" : describeValues(valuesOf(use.definition, definitions), use.values),
    mark(use),
  ].filter((note) => note !== "");
  const text = notes.length === 0 ? own : joinSentences(own, notes.join(". "));
  return text === undefined ? definition : { ...use.definition, description: text };
}

function requiredNames(fields: readonly SchemaField[]): readonly string[] {
  return fields.filter(({ required }) => required).map(({ name }) => name);
}

function describe(discriminator: string, hasGroup: boolean): string {
  return hasGroup ? `Module and operation (module.${discriminator} format)` : "Which operation to perform";
}

function discriminatorTaken(discriminator: string, where: string): Error {
  return new Error(
    `Field "${discriminator}" in ${where} has the same name as the discriminator. Rename one of them.`,
  );
}
