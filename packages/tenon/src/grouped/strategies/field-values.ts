/**
 * @fileoverview Merges the enum values that actions declare for one field. Clients see all values, and a note that says
 * which action accepts which.
 * @module tenon/grouped/strategies/field-values
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { resolveReference } from "./references.js";

/** Returns the enum values that a field accepts, including inside a list or a union. Returns `undefined` without an enum. */
export function valuesOf(
  field: JsonObject,
  definitions: JsonObject,
  depth = 0,
): readonly unknown[] | undefined {
  const schema = resolveReference(field, definitions);
  const own = ownValues(schema);
  // The depth limit stops at schemas that contain themselves. Real schemas do not nest this deeply.
  if (own !== undefined || depth > MAX_DEPTH) return own;
  const branches = [schema["items"], ...UNIONS.flatMap((keyword) => schema[keyword] ?? [])];
  const found = branches.flatMap((branch) =>
    isJsonObject(branch) ? (valuesOf(branch, definitions, depth + 1) ?? []) : [],
  );
  return found.length === 0 ? undefined : found;
}

/** Adds the enum values of a later declaration to the first one. Returns the first one itself if nothing is new. */
export function mergeValues(first: JsonObject, later: JsonObject, definitions: JsonObject): JsonObject {
  return merge(first, later, { definitions, depth: 0 });
}

/**
 * Describes the actions that accept only some of a field's values: `Values for close: done`. Returns an empty text if
 * all actions accept all values.
 */
export function describeValues(
  all: readonly unknown[] | undefined,
  valuesByAction: ReadonlyMap<string, readonly unknown[]>,
): string {
  const count = new Set(all?.map(toText)).size;
  const keysByNote = new Map<string, string[]>();
  for (const [key, values] of valuesByAction) {
    const words = new Map(values.map((value) => [toText(value), toWord(value)]));
    if (words.size === count) continue;
    const note = [...words.values()].join(", ");
    keysByNote.set(note, [...(keysByNote.get(note) ?? []), key]);
  }
  return Array.from(keysByNote, ([note, keys]) => `Values for ${keys.join(", ")}: ${note}`).join(". ");
}

/** Returns the values of `first` that `second` contains too. */
export function commonValues(first: readonly unknown[], second: readonly unknown[]): readonly unknown[] {
  const texts = new Set(second.map(toText));
  return first.filter((value) => texts.has(toText(value)));
}

const UNIONS = ["anyOf", "oneOf"] as const;
const MAX_DEPTH = 8;

function mergeOwn(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const [values, others] = [ownValues(before), ownValues(after)];
  if (values === undefined || others === undefined) return undefined;
  const all = new Map([...values, ...others].map((value) => [toText(value), value]));
  return all.size === new Set(values.map(toText)).size ? undefined : { enum: [...all.values()] };
}

/** Definitions that schemas refer to, and the number of schemas around the current one. */
interface MergeScope {
  readonly definitions: JsonObject;
  readonly depth: number;
}

function merge(first: JsonObject, later: JsonObject, scope: MergeScope): JsonObject {
  if (scope.depth > MAX_DEPTH) return first;
  const before = resolveReference(first, scope.definitions);
  const after = resolveReference(later, scope.definitions);
  const changed = mergeOwn(before, after) ?? mergeInside(before, after, { ...scope, depth: scope.depth + 1 });
  if (changed === undefined) return first;
  const { $ref: _reference, ...siblings } = first;
  const { const: _single, ...rest } = { ...before, ...siblings };
  return { ...rest, ...changed };
}

/** Merges the items of two lists, and the branches of two unions that have the same type. */
function mergeInside(before: JsonObject, after: JsonObject, scope: MergeScope): JsonObject | undefined {
  const [items, others] = [before["items"], after["items"]];
  if (isJsonObject(items) && isJsonObject(others)) {
    const merged = merge(items, others, scope);
    return merged === items ? undefined : { items: merged };
  }
  for (const keyword of UNIONS) {
    const [branches, laterBranches] = [before[keyword], after[keyword]];
    if (!Array.isArray(branches) || !Array.isArray(laterBranches)) continue;
    const merged = branches.map((branch: unknown) => {
      const same = laterBranches.find((other: unknown) => haveSameType(branch, other, scope.definitions));
      return isJsonObject(branch) && isJsonObject(same) ? merge(branch, same, scope) : branch;
    });
    if (merged.some((branch, index) => branch !== branches[index])) return { [keyword]: merged };
  }
  return undefined;
}

function haveSameType(one: unknown, other: unknown, definitions: JsonObject): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  return resolveReference(one, definitions)["type"] === resolveReference(other, definitions)["type"];
}

function ownValues(schema: JsonObject): readonly unknown[] | undefined {
  const { enum: values } = schema;
  if (Array.isArray(values)) return values;
  return "const" in schema ? [schema["const"]] : undefined;
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

/** Quotes only values that would be hard to read in a list. */
function toWord(value: unknown): string {
  return typeof value === "string" && /^[\p{L}\p{N}_/-]+$/u.test(value) ? value : toText(value);
}
