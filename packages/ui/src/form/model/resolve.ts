/**
 * @fileoverview Resolves `$ref` and `allOf` of one schema. Its subschemas are resolved when the form shows them, so
 * recursive schemas are no problem.
 * @module ui/form/model/resolve
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFragment, parsePointer, valueAt } from "@tenon/internal/schema/json-pointer";
import { mergeSchemas } from "./merge.js";
import { readArray, readObject } from "./schema.js";

/** Schema without `$ref` and `allOf`, or the reason why there is none. */
export type ResolvedSchema =
  | {
      readonly ok: true;
      readonly schema: JsonObject;
      /** Last name in the reference, such as `Address`. Absent if the schema is not a reference. */
      readonly name?: string | undefined;
    }
  | { readonly ok: false; readonly reason: string };

const MAX_DEPTH = 32;
const MAX_PARTS = 100;
/** Work for one schema. Stops definitions that refer to each other many times, whose parts would be countless. */
const MAX_WORK = 100_000;
/** Work for one part, besides its size. */
const PART_WORK = 200;

/** Resolves a schema. `root` is the document in which references are looked up. */
export function resolveSchema(schema: unknown, root: JsonObject): ResolvedSchema {
  return resolve(schema, { root, references: [], depth: 0, work: { left: MAX_WORK } });
}

interface ResolveState {
  readonly root: JsonObject;
  /** References that lead to the current schema. */
  readonly references: readonly string[];
  readonly depth: number;
  /** Shared by all parts of the schema. */
  readonly work: { left: number };
}

function resolve(schema: unknown, state: ResolveState): ResolvedSchema {
  if (schema === true || schema === undefined) return { ok: true, schema: {} };
  if (!isJsonObject(schema))
    return fail(schema === false ? "no value is allowed" : "the schema is not an object");
  const { $ref, $dynamicRef, allOf: _allOf, ...own } = schema;
  const reference = $ref ?? $dynamicRef;
  const parts = readArray(schema, "allOf");
  if (reference === undefined && parts.length === 0) return { ok: true, schema: own };
  if (state.depth >= MAX_DEPTH || parts.length > MAX_PARTS) return fail(TOO_MANY);

  let merged: JsonObject = {};
  let name: string | undefined;
  const next = { ...state, depth: state.depth + 1 };
  // One part after the other, because a part that fails ends the work.
  const steps: readonly (() => ResolvedSchema)[] = [
    ...(reference === undefined ? [] : [() => follow(reference, next)]),
    ...parts.map((part) => () => resolve(part, next)),
    () => ({ ok: true, schema: own }),
  ];
  for (const step of steps) {
    const part = step();
    if (!part.ok) return part;
    state.work.left -= workOf(part.schema);
    if (state.work.left < 0) return fail(TOO_MANY);
    const both = mergeSchemas(merged, part.schema);
    if (both === undefined) return fail("the parts of `allOf` contradict each other");
    merged = both;
    name ??= part.name;
  }
  return { ok: true, schema: merged, name: typeof reference === "string" ? nameOf(reference) : name };
}

const TOO_MANY = "the schema nests too many references";

/** Returns the work of merging a schema: the values that are copied or compared. */
function workOf(schema: JsonObject): number {
  const members = Object.keys(readObject(schema, "properties")).length;
  return PART_WORK + Object.keys(schema).length + members + readArray(schema, "enum").length;
}

/** Resolves the target of a reference. */
function follow(reference: unknown, state: ResolveState): ResolvedSchema {
  if (typeof reference !== "string") return fail("`$ref` is not a string");
  if (state.references.includes(reference)) return fail(`\`${reference}\` refers to itself`);
  const target = lookUp(reference, state.root);
  if (target === undefined) return fail(`\`${reference}\` could not be found in the schema`);
  return resolve(target, { ...state, references: [...state.references, reference] });
}

/** Finds the target of a JSON Pointer (`#/…`) or of an anchor in `$defs` (`#name`). */
function lookUp(reference: string, root: JsonObject): unknown {
  const fragment = reference.startsWith("#") ? reference.slice(1) : undefined;
  // Some servers do not encode a percent sign.
  if (fragment === "" || fragment?.startsWith("/") === true)
    return valueAt(root, parseFragment(fragment) ?? parsePointer(fragment));
  return Object.values({ ...readObject(root, "definitions"), ...readObject(root, "$defs") }).find(
    (schema) =>
      isJsonObject(schema) &&
      (fragment === undefined
        ? schema["$id"] === reference
        : schema["$anchor"] === fragment || schema["$dynamicAnchor"] === fragment),
  );
}

function nameOf(reference: string): string | undefined {
  const last = reference.split(/[/#]/).at(-1);
  return last === undefined || last === "" ? undefined : last;
}

function fail(reason: string): ResolvedSchema {
  return { ok: false, reason };
}
