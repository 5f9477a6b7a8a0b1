/**
 * @fileoverview Describes the form of a JSON Schema: one field for each value, with members on demand.
 * @module ui/form/model/describe
 */
import { hasMoreValues, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { describeJson, describeNumber, describeString } from "./describe-scalar.js";
import { describeArray, describeObject } from "./describe-structure.js";
import {
  describeConstants,
  describeEnum,
  describeTypes,
  describeUnion,
  MAX_OPTIONS,
  readAlternatives,
} from "./describe-union.js";
import { factsOf } from "./facts.js";
import { type Field, lazily } from "./field.js";
import { resolveSchema } from "./resolve.js";
import { inferTypes, nestsDeeper, readArray, type SchemaType } from "./schema.js";

/** Levels of a form. Deeper values are edited as JSON. */
export const MAX_DEPTH = 12;
/** Values of a schema. A larger schema has no form. */
export const MAX_SCHEMA_VALUES = 50_000;
/** Levels of a schema. Converting a deeper one to text would exhaust the stack. */
export const MAX_SCHEMA_DEPTH = 500;
const MAX_HOPS = 8;
const DEFAULT_FILE_BYTES = 4 * 1024 * 1024;

/** Options of `describeForm`. */
export interface FormOptions {
  /** Maximum size of a file in bytes. @default 4 MiB */
  readonly maxFileBytes?: number | undefined;
}

/** Describes the form of an untrusted schema. Never throws: values without a usable schema are edited as JSON. */
export function describeForm(schema: unknown, options: FormOptions = {}): Field {
  if (hasMoreValues(schema, MAX_SCHEMA_VALUES)) {
    return describeJson({}, "The schema is too large for a form.", {});
  }
  if (nestsDeeper(schema, MAX_SCHEMA_DEPTH)) {
    const reason = `The schema nests too deeply for a form (limit: ${MAX_SCHEMA_DEPTH} levels).`;
    return describeJson({}, reason, {});
  }
  const { maxFileBytes = DEFAULT_FILE_BYTES } = options;
  return describe(schema, { root: isJsonObject(schema) ? schema : {}, depth: 0, hops: 0, maxFileBytes });
}

interface Scope {
  /** Document in which references are looked up. */
  readonly root: JsonObject;
  readonly depth: number;
  /** Schemas that were left on the same level. A schema that refers to itself has no end. */
  readonly hops: number;
  readonly maxFileBytes: number;
}

function describe(schema: unknown, scope: Scope): Field {
  const resolved = resolveSchema(schema, scope.root);
  if (!resolved.ok) {
    const reason = `There is no form for this value: ${resolved.reason}.`;
    return describeJson(isJsonObject(schema) ? schema : {}, reason);
  }
  if (scope.depth >= MAX_DEPTH || scope.hops >= MAX_HOPS) {
    return describeJson(resolved.schema, `The form ends here (limit: ${MAX_DEPTH} levels).`);
  }
  return describeResolved(resolved.schema, scope);
}

function describeResolved(schema: JsonObject, scope: Scope): Field {
  const alternatives = readAlternatives(schema, scope.root);
  if (alternatives !== undefined) {
    const { variants, base, isNullable } = alternatives;
    const constants = describeConstants(alternatives, scope.root);
    if (constants !== undefined) return constants;
    if (variants.length > 1) return describeUnion(alternatives, { root: scope.root, later: laterIn(scope) });
    // One variant besides null: the same level of the form.
    const only = describe({ allOf: [variants[0], base] }, { ...scope, hops: scope.hops + 1 });
    return { ...only, isNullable: only.isNullable || isNullable };
  }
  if (Object.hasOwn(schema, "const")) return { ...factsOf(schema), kind: "const", value: schema["const"] };
  const options = readArray(schema, "enum");
  if (options.length > 0 && options.length <= MAX_OPTIONS) return describeEnum(schema);
  return describeByType(schema, scope);
}

function describeByType(schema: JsonObject, scope: Scope): Field {
  const types = inferTypes(schema).filter((type) => type !== "null");
  // Every integer is a number.
  const distinct = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  const [type] = distinct;
  if (type === undefined) {
    const isNull = inferTypes(schema).includes("null");
    return isNull
      ? { ...factsOf(schema), isNullable: false, kind: "const", value: null }
      : describeJson(schema);
  }
  if (distinct.length > 1) return describeTypes(schema, distinct, { later: laterIn(scope) });
  return describeOneType(schema, type, scope);
}

function describeOneType(schema: JsonObject, type: SchemaType, scope: Scope): Field {
  switch (type) {
    case "string":
      return describeString(schema, scope);
    case "number":
    case "integer":
      return describeNumber(schema, type === "integer");
    case "boolean":
      return { ...factsOf(schema), kind: "boolean" };
    case "object":
      return describeObject(schema, laterIn(scope));
    case "array":
      return describeArray(schema, laterIn(scope));
    default:
      return describeJson(schema);
  }
}

function laterIn(scope: Scope) {
  return (schema: unknown) => lazily(() => describe(schema, { ...scope, depth: scope.depth + 1, hops: 0 }));
}
