/**
 * @fileoverview Lists the schemas inside a JSON Schema with their places. Definitions come from servers, so the walk is
 * iterative and bounded.
 * @module cli/doctor/facts/schema-nodes
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { placeOf } from "./place.js";

/** Schema inside a JSON Schema, or the schema itself. */
export interface SchemaNode {
  readonly schema: JsonObject | boolean;
  readonly place: string;
  /** Number of schemas that contain this one. */
  readonly depth: number;
  /** Keyword that this schema is the value of, or a member of. Empty for the root. */
  readonly keyword: string;
  /** Name of the property, if this schema describes one. */
  readonly property: string | undefined;
  /** Place of the schema's definition in `$defs`, if it is inside one. */
  readonly definition: string | undefined;
  /** True if the schema may be incomplete, because it adds to another one: a condition, or an alternative. */
  readonly isPart: boolean;
}

/** Lists a schema and the schemas inside it, in reading order. Stops after `limit` schemas. */
export function listNodes(root: JsonObject, place: string, limit: number): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const open: SchemaNode[] = [
    { schema: root, place, depth: 0, keyword: "", property: undefined, definition: undefined, isPart: false },
  ];
  while (open.length > 0 && nodes.length < limit) {
    const node = open.pop();
    if (node === undefined) break;
    nodes.push(node);
    if (typeof node.schema === "boolean") continue;
    for (const child of childrenOf(node, node.schema).toReversed()) open.push(child);
  }
  return nodes;
}

/** Returns true if a value can be a schema: an object or a boolean. */
export function isSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

/** Returns a schema's types. Empty if it does not restrict the type. */
export function typesOf(schema: JsonObject): readonly unknown[] {
  const { type } = schema;
  if (Array.isArray(type)) return type;
  return type === undefined ? [] : [type];
}

/** Returns the properties of an object schema whose values are schemas. */
export function propertiesOf(
  schema: JsonObject | undefined,
): readonly (readonly [string, JsonObject | boolean])[] {
  const properties = schema?.["properties"];
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, JsonObject | boolean] =>
    isSchema(entry[1]),
  );
}

const SINGLE = /* @__PURE__ */ (
  "items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
  "contentSchema not if then else"
).split(" ");
const LISTED = ["items", "prefixItems", "allOf", "anyOf", "oneOf"];
/** Keywords for definitions, which have an effect only if something refers to them. */
export const DEFINITIONS: readonly string[] = ["$defs", "definitions"];
const NAMED = ["properties", "patternProperties", ...DEFINITIONS, "dependentSchemas"];
/** Keywords whose schemas only add to the schema that contains them. */
const ADDITIONS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  "allOf not if then else dependentSchemas contains propertyNames".split(" "),
);
const ALTERNATIVES: ReadonlySet<string> = /* @__PURE__ */ new Set(["anyOf", "oneOf"]);

/** Returns true if the schemas inside a node may be incomplete. An alternative with a type is complete inside. */
function hasParts({ isPart, keyword, schema }: SchemaNode): boolean {
  return (
    isPart && (!ALTERNATIVES.has(keyword) || typeof schema === "boolean" || schema["type"] === undefined)
  );
}

function childrenOf(parent: SchemaNode, schema: JsonObject): readonly SchemaNode[] {
  const children: SchemaNode[] = [];
  const add = (child: unknown, keyword: string, key?: string | number) => {
    if (!isSchema(child)) return;
    const place = key === undefined ? placeOf(parent.place, keyword) : placeOf(parent.place, keyword, key);
    const isDefinition = parent.depth === 0 && DEFINITIONS.includes(keyword);
    children.push({
      schema: child,
      place,
      depth: parent.depth + 1,
      keyword,
      property: keyword === "properties" ? String(key) : undefined,
      definition: isDefinition ? place : parent.definition,
      isPart: ADDITIONS.has(keyword) || ALTERNATIVES.has(keyword) || hasParts(parent),
    });
  };
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (NAMED.includes(keyword) && isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) add(child, keyword, key);
    } else if (LISTED.includes(keyword) && Array.isArray(value)) {
      for (const [index, child] of (value as unknown[]).entries()) add(child, keyword, index);
    } else if (SINGLE.includes(keyword)) add(value, keyword);
  }
  return children;
}
