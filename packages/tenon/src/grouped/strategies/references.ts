/**
 * @fileoverview Combines schemas that contain references under one root. References are rewritten, because `#` then
 * points to the new root. Different definitions with the same name are renamed.
 * @module tenon/grouped/strategies/references
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";

/** Schema to combine. If it refers to itself, it becomes a definition named `owner`. */
export interface OwnedSchema {
  readonly owner: string;
  readonly schema: JsonObject;
}

/** Combined schemas. Their references point to one shared set of definitions. */
export interface JoinedSchemas {
  readonly schemas: readonly JsonObject[];
  readonly definitions: JsonObject;
}

/**
 * Combines schemas and merges their definitions. Equal definitions are shared. Different definitions with the same name
 * get a number, such as `item_2`.
 */
export function joinDefinitions(sources: readonly OwnedSchema[]): JoinedSchemas {
  const moved = new Map<string, unknown>();
  const nameOf = createNaming();
  const schemas = sources.map(({ owner, schema }) => {
    const parts = partsOf(schema);
    const used = reachable(ROOT, parts).slice(1);
    const names = new Map<string, string>();
    for (const part of used) {
      const identity = JSON.stringify(reachable(part, parts).map((name) => [name, parts.get(name)]));
      names.set(part, nameOf(part === ROOT ? owner : part, identity));
    }
    const move = (reference: string): string => {
      const target = targetOf(reference, parts);
      const name = target && names.get(target.part);
      return name === undefined ? reference : `#/$defs/${toToken(name)}${target?.rest ?? ""}`;
    };
    for (const [part, name] of names) moved.set(name, mapReferences(parts.get(part), move));
    return mapReferences(parts.get(ROOT), move) as JsonObject; // Safe: mapping an object returns an object
  });
  return { schemas, definitions: Object.fromEntries(moved) };
}

/** Creates a function that names definitions. It adds a number to a taken name. Equal definitions share a name. */
function createNaming(): (wanted: string, identity: string) => string {
  const byIdentity = new Map<string, string>();
  const counts = new Map<string, number>();
  return (wanted, identity) => {
    const full = JSON.stringify([wanted, identity]);
    const known = byIdentity.get(full);
    if (known !== undefined) return known;
    let count = counts.get(wanted) ?? 0;
    let name: string;
    do name = ++count === 1 ? wanted : `${wanted}_${count}`;
    while (counts.has(name));
    counts.set(wanted, count);
    if (name !== wanted) counts.set(name, 1);
    byIdentity.set(full, name);
    return name;
  };
}

/** Follows references until it reaches a schema. Stops at a missing target or a circular reference. */
export function resolveReference(schema: JsonObject, definitions: JsonObject): JsonObject {
  const seen = new Set<unknown>();
  let current = schema;
  while (typeof current["$ref"] === "string" && !seen.has(current)) {
    seen.add(current);
    const tokens = current["$ref"].split("/").slice(1);
    const target = tokens.reduce<unknown>(memberAt, { $defs: definitions });
    if (!isJsonObject(target)) return current;
    current = target;
  }
  return current;
}

/** Key of the root schema among the parts. References cannot point to a definition with an empty name. */
const ROOT = "";

/** Splits a schema into its root and its definitions, by name. */
function partsOf(schema: JsonObject): ReadonlyMap<string, unknown> {
  const { $defs, $schema: _dialect, ...root } = schema;
  return new Map([...(isJsonObject($defs) ? Object.entries($defs) : []), [ROOT, root]]);
}

/**
 * Lists a part, then every part that it references directly or indirectly. The root is listed again if a part
 * references it.
 */
function reachable(start: string, parts: ReadonlyMap<string, unknown>): readonly string[] {
  const found = new Set<string>();
  const visit = (part: string): void => {
    mapReferences(parts.get(part), (reference) => {
      const target = targetOf(reference, parts);
      if (target !== undefined && !found.has(target.part)) {
        found.add(target.part);
        visit(target.part);
      }
      return reference;
    });
  };
  visit(start);
  return [start, ...found];
}

function targetOf(
  reference: string,
  parts: ReadonlyMap<string, unknown>,
): { readonly part: string; readonly rest: string } | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  const [, keyword, token, ...rest] = reference.split("/");
  const part =
    keyword === "$defs" && token !== undefined && [...parts.keys()].find((name) => isToken(token, name));
  if (typeof part !== "string") return { part: ROOT, rest: reference.slice(1) };
  return { part, rest: rest.map((step) => `/${step}`).join("") };
}

function mapReferences(schema: unknown, rewrite: (reference: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapReferences(item, rewrite));
  if (!isJsonObject(schema)) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === "$ref" && typeof value === "string") return rewrite(value);
    if (DATA_KEYWORDS.has(keyword)) return value;
    if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(value)) return mapReferences(value, rewrite);
    return mapMembers(value, (member) => mapReferences(member, rewrite));
  });
}

function mapMembers(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function memberAt(value: unknown, token: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  // Fast path for names without escapes. The search below would make a build with many definitions quadratic.
  if (Object.hasOwn(value, token)) return (value as JsonObject)[token];
  return Object.entries(value).find(([key]) => isToken(token, key))?.[1];
}

/** Compares a JSON Pointer token with a name. Not all libraries escape names, so both spellings match. */
function isToken(token: string, name: string): boolean {
  return token === name || token === toToken(name);
}

function toToken(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
