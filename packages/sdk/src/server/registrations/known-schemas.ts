/**
 * @fileoverview Finds schemas that certainly compile, so that a tool with them need not be compiled at registration. An
 * application may create a server for every request, and a request uses at most one tool.
 * @module sdk/server/registrations/known-schemas
 */
import { type $ZodType, globalRegistry } from "zod/v4/core";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { KnownShape } from "./zod-schemas.js";

/** Side of a schema that clients see. */
type Side = "input" | "output";

/** `plain` if a search found that the schema compiles, and `compiled` if a tool with it has compiled. */
type Answer = "plain" | "compiled" | "unclear";

/** Answers by schema. Schemas of Zod do not change, and servers of one application share them. */
const known = {
  input: /* @__PURE__ */ new WeakMap<object, Answer>(),
  output: /* @__PURE__ */ new WeakMap<object, Answer>(),
};

/** Returns true if a tool with this schema certainly compiles. Returns false if it must be compiled to find out. */
export function certainlyCompiles(schema: object | undefined, side: Side): boolean {
  return schema === undefined || answerOf(schema, side) !== "unclear";
}

/** Returns true for an input schema that is certainly an object schema without extensions such as headers. */
export function isPlainInput(schema: object): boolean {
  return answerOf(schema, "input") === "plain";
}

/** Returns true if a tool with the object schema of a raw shape certainly compiles. Does not create the schema. */
export function isPlainShape(shape: KnownShape): boolean {
  return (shape.isPlain ??= arePlainFields(shape.fields));
}

function answerOf(schema: object, side: Side): Answer {
  const answer = known[side].get(schema);
  if (answer !== undefined) return answer;
  const found = isPlainRoot(schema, side) ? "plain" : "unclear";
  known[side].set(schema, found);
  return found;
}

/** Remembers that a tool with this schema has compiled. */
export function rememberCompiled(schema: object | undefined, side: Side): void {
  if (schema !== undefined && !certainlyCompiles(schema, side)) known[side].set(schema, "compiled");
}

/** Returns true if every value of an object can be serialized, because none contains other objects. */
export function isFlat(value: object | undefined): boolean {
  return value === undefined || Object.values(value).every(isPlainValue);
}

function isPlainRoot(schema: object, side: Side): boolean {
  if (!sharesRegistry(schema) || !("toJSONSchema" in schema)) return false;
  // The input of a tool must be an object. Other schemas are converted, to find out what they accept.
  if (side === "input" && defOf(schema)["type"] !== "object") return false;
  return succeeds(() => isPlain(schema, 0));
}

function arePlainFields(fields: object): boolean {
  return succeeds(() => Object.values(fields).every((field) => isPlain(field, 1)));
}

/** Returns true if a search ends and finds nothing unclear. */
function succeeds(search: () => boolean): boolean {
  try {
    return search();
  } catch {
    // Defaults can run code of the application. If it fails, the conversion reports the error.
    return false;
  }
}

/** Deepest schema that is searched. Recursive schemas are deeper. */
const MAX_DEPTH = 12;

/** Returns true if Zod converts the schema to JSON Schema without an error, and without extensions such as headers. */
function isPlain(schema: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH || !isJsonObject(schema) || !hasPlainMetadata(schema)) return false;
  const def = defOf(schema);
  const all = (inner: readonly unknown[]) => inner.every((one) => isPlain(one, depth + 1));
  switch (def["type"]) {
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "any":
    case "unknown":
    case "never":
    case "enum":
      return true;
    case "literal":
      return valuesOf(def["values"]).every(isPlainValue);
    case "array":
      return all([def["element"]]);
    case "object":
      return all(valuesOf(def["shape"])) && isPlainRest(def["catchall"], depth);
    case "record":
      return all([def["keyType"], def["valueType"]]);
    case "union":
      return all(valuesOf(def["options"]));
    case "optional":
    case "nullable":
    case "nonoptional":
    case "readonly":
      return all([def["innerType"]]);
    case "default":
    case "prefault":
      return isPlainDefault(def["defaultValue"]) && all([def["innerType"]]);
    default:
      return false;
  }
}

function isPlainRest(catchall: unknown, depth: number): boolean {
  return catchall === undefined || isPlain(catchall, depth + 1);
}

/** Returns true if a schema and those that it was derived from have only texts as metadata. */
function hasPlainMetadata(schema: JsonObject): boolean {
  for (let one: unknown = schema; isJsonObject(one); one = innerOf(one)["parent"]) {
    // Not `get`: it merges the metadata of all parents, without their IDs. If a version lacks the map, reading it fails.
    const own: unknown = globalRegistry._map.get(one as unknown as $ZodType); // Safe: it has Zod's inner object
    if (own !== undefined && !hasOnlyTexts(own)) return false;
  }
  return true;
}

/** Returns true for a schema of a Zod version whose copies share one registry of metadata. */
function sharesRegistry(schema: object): boolean {
  const { version } = innerOf(schema);
  if (!isJsonObject(version)) return false;
  const { major, minor } = version;
  return major === 4 && typeof minor === "number" && minor >= 3;
}

function hasOnlyTexts(metadata: unknown): boolean {
  if (!isJsonObject(metadata)) return false;
  for (const name in metadata) {
    if ((name !== "title" && name !== "description") || typeof metadata[name] !== "string") return false;
  }
  return true;
}

function isPlainDefault(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPlainValue) : isPlainValue(value);
}

function isPlainValue(value: unknown): boolean {
  return (
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  );
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function defOf(schema: object): JsonObject {
  const { def } = innerOf(schema);
  return isJsonObject(def) ? def : {};
}

/** Returns Zod's inner object of a schema, or an empty object for schemas of other libraries. */
function innerOf(schema: object): JsonObject {
  const inner: unknown = "_zod" in schema ? schema._zod : undefined;
  return isJsonObject(inner) ? inner : {};
}
