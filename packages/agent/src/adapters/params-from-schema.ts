/**
 * @fileoverview Converts JSON Schema to parameters that a model writes as tags. Values that tags cannot express
 * are written as JSON inside a tag.
 * @module agent/adapters/params-from-schema
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { TAG_NAME, type ToolParam } from "../tools/tool-param.js";
import { plainText } from "./plain-text.js";

/** Tool parameters, and a function that converts their values to arguments for the original schema. */
export interface ParamsFromSchema {
  readonly params: readonly ToolParam[];
  readonly restore: (values: JsonObject) => JsonObject;
}

/**
 * Converts an object schema to tool parameters. If a property name cannot be a tag, one tag contains all arguments as
 * JSON.
 */
export function paramsFromSchema(schema: JsonObject): ParamsFromSchema {
  const scope: Scope = { root: schema, depth: 0, budget: { left: MAX_PARAMS } };
  const members = readMembers(simplify(schema, scope), scope);
  if (members === undefined) return wholeAsJson(schema);
  return {
    params: members.map(({ param }) => param),
    restore: (values) => restoreMembers(members, values),
  };
}

/** A parameter, and a function that converts its value to an argument. */
interface Member {
  readonly param: ToolParam;
  readonly restore: (value: unknown) => unknown;
}

interface Scope {
  readonly root: JsonObject;
  readonly depth: number;
  readonly budget: { left: number };
}

const MAX_DEPTH = 6;
const MAX_PARAMS = 300;
const MAX_TEXT = 1_000;
const MAX_OPTIONS = 50;

/** Reads an object schema's properties. Returns `undefined` if they cannot be expressed as tags. */
function readMembers(schema: JsonObject, scope: Scope): readonly Member[] | undefined {
  const { properties = {}, required } = schema;
  if (!isJsonObject(properties) || scope.depth > MAX_DEPTH) return undefined;
  const names = Object.keys(properties);
  scope.budget.left -= names.length;
  if (scope.budget.left < 0) return undefined;
  if (!names.every((name) => TAG_NAME.test(name) && !(name in Object.prototype))) return undefined;
  if (takesMore(schema, names.length === 0, scope)) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return names.map((name) =>
    readMember({ name, given: properties[name], optional: !needed.includes(name) }, scope),
  );
}

/** Returns true if an object accepts properties that are not listed in `properties`. */
function takesMore(schema: JsonObject, isBare: boolean, { depth }: Scope): boolean {
  const { additionalProperties, patternProperties, oneOf, anyOf, allOf } = schema;
  if (isJsonObject(additionalProperties) || isJsonObject(patternProperties)) return true;
  const branches = [oneOf, anyOf, allOf].flatMap((list): readonly unknown[] =>
    Array.isArray(list) ? list : [],
  );
  if (branches.some((one) => isJsonObject(one) && ("properties" in one || "$ref" in one))) return true;
  // A nested object without declared properties accepts any property. A tool without declared arguments takes none.
  return isBare && (additionalProperties === true || (depth > 0 && additionalProperties !== false));
}

interface Property {
  readonly name: string;
  /** The property's schema, with references unresolved. */
  readonly given: unknown;
  readonly optional: boolean;
}

function readMember({ name, given, optional }: Property, scope: Scope): Member {
  const schema = simplify(isJsonObject(given) ? given : {}, scope);
  const about = { name, optional, description: describe(name, schema) };
  const inner = { ...scope, depth: scope.depth + 1 };
  switch (schema["type"]) {
    case "string":
      return { param: about, restore: same };
    case "number":
    case "integer":
      return { param: { ...about, type: "number" }, restore: same };
    case "boolean":
      return { param: { ...about, type: "boolean" }, restore: same };
    case "array": {
      if (!isJsonObject(schema["items"]) || inner.depth > MAX_DEPTH) break;
      const item = readMember({ name: "item", given: schema["items"], optional: false }, inner);
      return {
        param: { ...about, type: "array", params: [item.param] },
        restore: (value) => (Array.isArray(value) ? value.map(item.restore) : value),
      };
    }
    case "object": {
      const members = readMembers(schema, inner);
      if (members === undefined || members.length === 0) break;
      return {
        param: { ...about, type: "object", params: members.map(({ param }) => param) },
        restore: (value) => (isJsonObject(value) ? restoreMembers(members, value) : value),
      };
    }
  }
  return { param: { ...about, description: `${about.description} (as JSON)` }, restore: fromJson };
}

/** Resolves local references, and reduces an `anyOf` with `null` to its other schema. */
function simplify(given: JsonObject, { root }: Scope): JsonObject {
  let schema = given;
  for (let step = 0; step <= MAX_DEPTH; step++) {
    const next = findTarget(schema, root) ?? onlyChoice(schema);
    if (next === undefined) break;
    const { description = next["description"] } = schema;
    schema = { ...next, ...(description === undefined ? {} : { description }) };
  }
  const { type, enum: options } = schema;
  const types = Array.isArray(type) ? type.filter((name) => name !== "null") : [type];
  if (types.length === 1 && types[0] !== undefined) return { ...schema, type: types[0] };
  const isText =
    type === undefined && Array.isArray(options) && options.every((one) => typeof one === "string");
  return isText ? { ...schema, type: "string" } : { ...schema, type: undefined };
}

function findTarget({ $ref }: JsonObject, root: JsonObject): JsonObject | undefined {
  const [, section = "", name = ""] =
    typeof $ref === "string" ? (/^#\/(\$defs|definitions)\/([^/~%]+)$/.exec($ref) ?? []) : [];
  const definitions = root[section];
  const target =
    isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isJsonObject(target) ? target : undefined;
}

function onlyChoice({ anyOf }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const choices = anyOf.filter(isJsonObject).filter(({ type }) => type !== "null");
  return choices.length === 1 && anyOf.length === 2 ? choices[0] : undefined;
}

function describe(name: string, schema: JsonObject): string {
  const { description, title, enum: options } = schema;
  const [text = name] = [description, title].filter(
    (one): one is string => typeof one === "string" && one !== "",
  );
  const about = plainText(text, MAX_TEXT);
  if (!Array.isArray(options) || options.length > MAX_OPTIONS) return about;
  const shown = options
    .map((one) => (typeof one === "string" ? one : (JSON.stringify(one) ?? "")))
    .join(", ");
  return `${about}. One of: ${plainText(shown, MAX_TEXT)}`;
}

function restoreMembers(members: readonly Member[], values: JsonObject): JsonObject {
  return Object.fromEntries(
    members
      .filter(({ param }) => values[param.name] !== undefined)
      .map(({ param, restore }) => [param.name, restore(values[param.name])]),
  );
}

/** Describes all arguments as one JSON parameter. Used if the properties cannot be expressed as tags. */
function wholeAsJson(schema: JsonObject): ParamsFromSchema {
  const text = plainText(JSON.stringify(schema), 4 * MAX_TEXT);
  return {
    params: [
      { name: "arguments", optional: false, description: `All arguments, as a JSON object. Schema: ${text}` },
    ],
    restore({ arguments: given }) {
      const value = fromJson(given);
      return isJsonObject(value) ? value : { arguments: value };
    },
  };
}

function same(value: unknown): unknown {
  return value;
}

/** Parses a JSON value. Invalid JSON is passed on as text, because the tool validates its arguments. */
function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parsed = readJson(value);
  return parsed === undefined ? value : parsed;
}
