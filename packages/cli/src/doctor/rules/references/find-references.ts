/**
 * @fileoverview Finds the references in a tool's schemas, and the schemas that they refer to.
 * @module cli/doctor/rules/references/find-references
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parseFragment, valueAt } from "@tenon/internal/schema/json-pointer";
import type { ToolFact } from "../../facts/facts.js";
import { placeOf } from "../../facts/place.js";
import { isSchema, listNodes, type SchemaNode } from "../../facts/schema-nodes.js";

/** Reference from one schema to another. */
export interface Reference {
  readonly text: string;
  readonly place: string;
  /** True if the reference is outside the definition, so that a client would have to fetch it. */
  readonly isRemote: boolean;
  /** Schema that a local reference refers to. Undefined if there is none. */
  readonly target: JsonObject | boolean | undefined;
}

/** Schema with its references. */
export interface ReferringSchema extends Pick<ToolFact, "place"> {
  readonly root: JsonObject;
  readonly references: readonly Reference[];
  readonly side: "input" | "output";
}

/** Lists a tool's schemas with the references that have an effect. A schema with identifiers inside is left out. */
export function listReferring(tool: ToolFact): readonly ReferringSchema[] {
  const { input, output, inputNodes, outputNodes } = tool;
  const sides = [
    { root: input, nodes: inputNodes, side: "input" as const },
    { root: output, nodes: outputNodes, side: "output" as const },
  ];
  return sides.flatMap(({ root, nodes, side }) => {
    // An identifier inside a schema changes the meaning of the references below it.
    const isPlain = nodes.every(
      ({ schema, depth }) => depth === 0 || !isJsonObject(schema) || !hasId(schema),
    );
    return root === undefined || !isPlain
      ? []
      : [{ root, side, place: tool.place, references: findReferences(root, nodes) }];
  });
}

/** Finds the references in the schemas inside `schema`. The number of schemas is limited. */
export function referencesInside(schema: JsonObject | boolean, root: JsonObject): readonly Reference[] {
  if (typeof schema === "boolean") return [];
  return findReferences(root, listNodes(schema, "", MAX_INSIDE));
}

const MAX_INSIDE = 5_000;

function hasId(schema: JsonObject): boolean {
  return typeof schema["$id"] === "string";
}

function findReferences(root: JsonObject, nodes: readonly SchemaNode[]): readonly Reference[] {
  return nodes.flatMap(({ schema, place }) => {
    const text = isJsonObject(schema) ? schema["$ref"] : undefined;
    if (typeof text !== "string") return [];
    const own = typeof root["$id"] === "string" ? root["$id"].replace(/#$/, "") : undefined;
    const local = own !== undefined && text.startsWith(own) ? text.slice(own.length) || "#" : text;
    const isRemote = !local.startsWith("#");
    const target = isRemote ? undefined : resolve(root, local.slice(1), nodes);
    return [{ text, place: placeOf(place, "$ref"), isRemote, target }];
  });
}

function resolve(
  root: JsonObject,
  fragment: string,
  nodes: readonly SchemaNode[],
): JsonObject | boolean | undefined {
  if (fragment === "") return root;
  if (!fragment.startsWith("/")) return findAnchor(fragment, nodes);
  const keys = parseFragment(fragment);
  const at = keys && valueAt(root, keys);
  return isSchema(at) ? at : undefined;
}

function findAnchor(name: string, nodes: readonly SchemaNode[]): JsonObject | boolean | undefined {
  return nodes.find(
    ({ schema }) => isJsonObject(schema) && (schema["$anchor"] === name || schema["$dynamicAnchor"] === name),
  )?.schema;
}
