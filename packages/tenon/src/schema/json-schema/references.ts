/**
 * @fileoverview Finds external references, reference cycles, unsupported dialects, invalid patterns, and reserved
 * property names in a JSON Schema.
 * @module tenon/schema/json-schema/references
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFragment, valueAt } from "@tenon/internal/schema/json-pointer";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";
import { isUrl } from "@tenon/internal/security/is-url";

/** Only supported dialect, and the default for schemas without `$schema`. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Finds problems in a schema's references, property names, and patterns. Each problem starts with its path.
 *
 * @param isSchema returns true if a value is a valid schema in the supported dialect
 */
export function findSchemaProblems(root: JsonObject, isSchema: (value: unknown) => boolean): string[] {
  const places = collectPlaces(root);
  const targets = collectTargets(places);
  const problems: string[] = [];
  const next = new Map<unknown, unknown[]>();
  for (const { schema, path, base } of places) {
    checkDialect(schema, path, problems);
    checkNames(schema, path, problems);
    checkPatterns(schema, path, problems);
    const inPlace: unknown[] = IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      if (isJsonObject(schema[keyword])) inPlace.push(...Object.values(schema[keyword]));
    }
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"] as const) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = resolve(targets, reference, base);
      if (target === undefined) {
        problems.push(
          `${path}/${keyword} "${reference}" does not resolve within this schema (remote references are not fetched)`,
        );
      } else if (!isSchema(target)) {
        problems.push(`${path}/${keyword} "${reference}" does not point to a valid schema`);
      }
      inPlace.push(target);
    }
    next.set(schema, inPlace);
  }
  const done = new Map<unknown, "open" | "clear">();
  for (const { schema, path } of places) {
    if (loops(schema, next, done)) problems.push(`${path || "/"} contains a circular \`$ref\``);
  }
  return problems;
}

/** Subschema with its path and the base URI for its references. */
interface Place {
  readonly schema: JsonObject;
  readonly path: string;
  readonly base: string;
}

/** Keywords whose subschemas check the same value, not a nested one. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/** Base URI for a schema without `$id`. */
const NOWHERE = "schema:/";

function collectPlaces(root: JsonObject): Place[] {
  const places: Place[] = [];
  const visit = (schema: unknown, path: string, outer: string): void => {
    if (Array.isArray(schema)) {
      for (const [index, item] of schema.entries()) visit(item, `${path}/${index}`, outer);
    }
    if (!isJsonObject(schema)) return;
    const id = schema["$id"];
    const base = typeof id === "string" ? address(absolute(id, outer)) : outer;
    places.push({ schema, path, base });
    for (const [keyword, value] of Object.entries(schema)) {
      if (DATA_KEYWORDS.has(keyword)) continue;
      if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(value)) visit(value, `${path}/${keyword}`, base);
      else
        for (const [key, member] of Object.entries(value)) visit(member, `${path}/${keyword}/${key}`, base);
    }
  };
  visit(root, "", NOWHERE);
  return places;
}

/** Collects reference targets by absolute URI. */
function collectTargets(places: readonly Place[]): ReadonlyMap<string, JsonObject> {
  const targets = new Map<string, JsonObject>();
  for (const { schema, path, base } of places) {
    if (path === "" || typeof schema["$id"] === "string") targets.set(base, schema);
    for (const keyword of ["$anchor", "$dynamicAnchor"] as const) {
      if (typeof schema[keyword] === "string") targets.set(`${base}#${schema[keyword]}`, schema);
    }
  }
  return targets;
}

function resolve(targets: ReadonlyMap<string, JsonObject>, reference: string, base: string): unknown {
  const url = absolute(reference, base);
  const fragment = url.slice(address(url).length + 1);
  if (fragment !== "" && !fragment.startsWith("/")) return targets.get(url);
  const keys = parseFragment(fragment);
  return keys && valueAt(targets.get(address(url)), keys);
}

function absolute(reference: string, base: string): string {
  return isUrl(reference, base) ? new URL(reference, base).href : `${address(base)}${reference}`;
}

function address(url: string): string {
  return url.replace(/#.*$/s, "");
}

/** Returns true if checking a value with `schema` reaches `schema` again for the same value. */
function loops(
  schema: unknown,
  next: ReadonlyMap<unknown, readonly unknown[]>,
  done: Map<unknown, "open" | "clear">,
): boolean {
  const state = done.get(schema);
  if (state !== undefined) return state === "open";
  done.set(schema, "open");
  const found = (next.get(schema) ?? []).some((one) => isJsonObject(one) && loops(one, next, done));
  done.set(schema, "clear");
  return found;
}

function checkDialect(schema: JsonObject, path: string, problems: string[]): void {
  const dialect = schema["$schema"];
  if (typeof dialect === "string" && dialect.replace(/#$/, "") !== DIALECT) {
    problems.push(`${path}/$schema "${dialect}" is not supported; use JSON Schema 2020-12`);
  }
}

/**
 * Rejects names that every object inherits. The validator uses `in`, so these names would count as present in every
 * value.
 */
function checkNames(schema: JsonObject, path: string, problems: string[]): void {
  const { required, properties } = schema;
  const names = [
    ...(Array.isArray(required) ? required : []),
    ...(isJsonObject(properties) ? Object.keys(properties) : []),
    ...["dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) =>
      isJsonObject(schema[keyword]) ? Object.entries(schema[keyword]).flat(2) : [],
    ),
  ];
  for (const name of names) {
    if (typeof name === "string" && name in Object.prototype) {
      problems.push(
        `${path || "/"} uses the reserved property name "${name}" (a member of Object.prototype); rename it`,
      );
    }
  }
}

function checkPatterns(schema: JsonObject, path: string, problems: string[]): void {
  const { pattern, patternProperties } = schema;
  const sources = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isJsonObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
  for (const source of sources) {
    if (!isPattern(source))
      problems.push(`${path || "/"} has the pattern "${source}", which is not a valid regular expression`);
  }
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
