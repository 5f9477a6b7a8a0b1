/**
 * @fileoverview Rule `parameter-undescribed`: parameters of a tool or a prompt have no description.
 * @module cli/doctor/rules/texts/parameter-undescribed
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { listNames, placeOf } from "../../facts/place.js";
import { propertiesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports parameters without a description. One finding per tool or prompt. */
export const parameterUndescribed: Rule = {
  id: "parameter-undescribed",
  severity: "info",
  title: "Parameter without a description",
  *check({ tools, prompts }) {
    for (const { input, place } of tools) {
      const names = propertiesOf(input).flatMap(([name, schema]) => (isDescribed(schema) ? [] : [name]));
      const [first] = names;
      if (first === undefined) continue;
      yield {
        place: placeOf(place, "inputSchema", "properties", first),
        message: `${describe(names)}, so models guess the meaning from the name.`,
        fix: "Add a `description` with the meaning, the form, and an example. In Zod, use `.describe()`.",
      };
    }
    for (const { raw, place } of prompts) {
      const names = argumentsOf(raw).flatMap(({ name, description }) =>
        typeof name === "string" && !isText(description) ? [name] : [],
      );
      if (names.length === 0) continue;
      yield {
        place: placeOf(place, "arguments"),
        message: `${describe(names)}, so users see only the name.`,
        fix: "Add a `description` to each argument.",
      };
    }
  },
};

function describe(names: readonly string[]): string {
  return names.length === 1
    ? `The parameter ${listNames(names)} has no description`
    : `The parameters ${listNames(names)} have no description`;
}

/** Returns true if the schema explains the parameter: with a description, a list of values, or in the schemas inside. */
function isDescribed(schema: unknown, depth = 0): boolean {
  // A reference can have its description in the definition.
  if (!isJsonObject(schema) || typeof schema["$ref"] === "string" || isText(schema["description"]))
    return true;
  if (Array.isArray(schema["enum"]) || schema["const"] !== undefined) return true;
  if (depth === MAX_DEPTH) return false;
  const { items } = schema;
  const members = propertiesOf(schema);
  return (
    ["anyOf", "oneOf", "allOf"].some((keyword) => isOneDescribed(schema[keyword], depth)) ||
    (isJsonObject(items) && isDescribed(items, depth + 1)) ||
    (members.length > 0 && members.every(([, member]) => isDescribed(member, depth + 1)))
  );
}

/** Maximum number of levels at which descriptions are searched. */
const MAX_DEPTH = 4;

function isOneDescribed(parts: unknown, depth: number): boolean {
  return Array.isArray(parts) && parts.some((part) => isJsonObject(part) && isDescribed(part, depth + 1));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function argumentsOf(prompt: JsonObject): readonly JsonObject[] {
  const list = prompt["arguments"];
  return Array.isArray(list) ? (list as unknown[]).filter(isJsonObject) : [];
}
