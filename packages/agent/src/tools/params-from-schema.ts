/**
 * @fileoverview Converts JSON Schema to parameters that a model writes as tags. Values that tags cannot express
 * are written as JSON inside a tag.
 * @module agent/tools/params-from-schema
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { describeLimits } from "./describe-limits.js";
import { findTarget } from "./find-target.js";
import { plainText } from "./plain-text.js";
import { TAG_NAME, type ToolParam } from "./tool-param.js";

/**
 * Converts an object schema to tool parameters. If a property name cannot be a tag, one tag contains all arguments as
 * JSON; `unwrapArguments` reads it.
 */
export function paramsFromSchema(schema: JsonObject): readonly ToolParam[] {
  const scope: Scope = { root: schema, depth: 0, budget: { left: MAX_PARAMS } };
  return readMembers(simplify(schema, scope), scope) ?? wholeAsJson(schema);
}

/**
 * Returns the arguments of a call whose parameters were derived from a schema. Values are returned unchanged, unless
 * one tag contains all arguments.
 */
export function unwrapArguments(
  { params, inputSchema }: { readonly params: readonly ToolParam[]; readonly inputSchema: JsonObject },
  values: unknown,
): unknown {
  const [only, ...others] = params;
  if (only?.format !== "json" || others.length > 0 || only.name !== wholeName(inputSchema)) return values;
  return isJsonObject(values) && Object.keys(values).join() === only.name ? values[only.name] : values;
}

/** Returns the name of the parameter that contains all arguments. No property of the schema has it. */
function wholeName(schema: JsonObject): string {
  const { properties } = simplify(schema, { root: schema });
  let name = "arguments";
  while (isJsonObject(properties) && Object.hasOwn(properties, name)) name += "_json";
  return name;
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
function readMembers(schema: JsonObject, scope: Scope): readonly ToolParam[] | undefined {
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

function readMember({ name, given, optional }: Property, scope: Scope): ToolParam {
  const schema = simplify(isJsonObject(given) ? given : {}, scope);
  const about = { name, optional, description: describe(name, schema) };
  const inner = { ...scope, depth: scope.depth + 1 };
  switch (schema["type"]) {
    case "string":
      return about;
    case "number":
    case "integer":
      return { ...about, type: "number" };
    case "boolean":
      return { ...about, type: "boolean" };
    case "array": {
      if (!isJsonObject(schema["items"]) || inner.depth > MAX_DEPTH) break;
      const item = readMember({ name: "item", given: schema["items"], optional: false }, inner);
      return { ...about, type: "array", params: [item] };
    }
    case "object": {
      const members = readMembers(schema, inner);
      if (members === undefined || members.length === 0) break;
      return { ...about, type: "object", params: members };
    }
  }
  return { ...about, description: `${about.description} (as JSON)`, format: "json" };
}

/** Resolves local references, and reduces an `anyOf` with `null` to its other schema. */
function simplify(given: JsonObject, { root }: Pick<Scope, "root">): JsonObject {
  let schema = given;
  for (let step = 0; step <= MAX_DEPTH; step++) {
    const next = resolveReference(schema, root) ?? onlyChoice(schema);
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

function resolveReference({ $ref }: JsonObject, root: JsonObject): JsonObject | undefined {
  const target = typeof $ref === "string" ? findTarget(root, $ref) : undefined;
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
  const limits = describeLimits(schema).map((limit) => plainText(limit, MAX_TEXT));
  const about = [withoutPeriod(plainText(text, MAX_TEXT)), ...limits];
  if (Array.isArray(options) && options.length <= MAX_OPTIONS) {
    const shown = options.map((one) => (typeof one === "string" ? one : (JSON.stringify(one) ?? "")));
    about.push(`One of: ${plainText(shown.join(", "), MAX_TEXT)}`);
  }
  return about.length === 1 ? plainText(text, MAX_TEXT) : about.join(". ");
}

function withoutPeriod(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

/** Describes all arguments as one JSON parameter. Used if the properties cannot be expressed as tags. */
function wholeAsJson(schema: JsonObject): readonly ToolParam[] {
  const text = plainText(JSON.stringify(schema), 4 * MAX_TEXT);
  const description = `All arguments, as a JSON object. Schema: ${text}`;
  return [{ name: wholeName(schema), optional: false, description, format: "json" }];
}
