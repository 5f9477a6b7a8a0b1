/**
 * @fileoverview Rules for the shape of schemas.
 * @module cli/doctor/rules/shapes/rules
 */
import { filled, inputRule, toolRule } from "../../item-rule.js";
import { placeOf, listNames, sameFor } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { kindOf } from "@tenon/internal/kind-of";
import { typesOf } from "../../facts/schema-nodes.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { enumValues } from "./enum-values.js";
import { invalidKeyword } from "./invalid-keyword.js";
import { schemaDialect } from "./schema-dialect.js";

/** Rules for the shape of schemas, in the order of the documentation. */
export const SHAPE_RULES: readonly Rule[] = [
  // Reports top-level `oneOf`, `anyOf`, and `allOf`, for which some model APIs reject the whole request.
  toolRule({
    id: "root-combinator",
    severity: "error",
    title: "Top-level oneOf, anyOf, or allOf",
    find: ({ input }) => COMBINATORS.find((one) => input?.[one] !== undefined),
    place: ({ place }, keyword) => placeOf(place, "inputSchema", keyword),
    message: (_, keyword) =>
      `The input schema has \`${keyword}\` at the top level. Claude's API rejects every request with such a tool.`,
    fix: "Declare one object with the properties of all alternatives, and check their combination in the handler.",
  }),
  // Reports input schemas without `type: "object"`, which clients drop or reject.
  toolRule({
    id: "root-type",
    severity: "error",
    title: "Input schema is not an object schema",
    find: ({ input }) => input?.["type"] !== "object",
    place: ({ place }) => placeOf(place, "inputSchema"),
    message: ({ raw, input }) =>
      `\`inputSchema\` must be an object schema; got ${describeOther(input, raw["inputSchema"])}. Clients drop the tool or the whole list.`,
    fix: 'Add `"type": "object"`. For a tool without arguments, use `{ "type": "object", "properties": {} }`.',
  }),
  // Reports output schemas without `type: "object"` in the revisions that require it.
  toolRule({
    id: "output-type",
    severity: "error",
    title: "Output schema is not an object schema",
    find: ({ raw, output }, { allowsAnyOutput }) =>
      !allowsAnyOutput && raw["outputSchema"] !== undefined && output?.["type"] !== "object",
    place: ({ place }) => placeOf(place, "outputSchema"),
    message: ({ raw, output }) =>
      `\`outputSchema\` must be an object schema; got ${describeOther(output, raw["outputSchema"])}. Clients with the official SDK reject the whole list.`,
    fix: 'Add `"type": "object"`, and return other values in a property such as `result`.',
  }),
  // Reports arrays without `items`, which VS Code and OpenAI reject.
  inputRule({
    id: "array-items",
    severity: "error",
    title: "Array without items",
    find: ({ schema }) => typesOf(schema).includes("array") && schema["items"] === undefined,
    message:
      "The array has no `items`. VS Code rejects the tool, and OpenAI's API rejects every request with it.",
    fix: 'Declare the elements, such as `"items": { "type": "string" }`. In Zod, use `z.array(z.string())`.',
  }),
  // Reports `items` with a list of schemas, which is not valid in the dialect that MCP requires.
  inputRule({
    id: "tuple-items",
    severity: "error",
    title: "List of schemas in items",
    find: ({ schema }) => Array.isArray(schema["items"]),
    place: ({ place }) => placeOf(place, "items"),
    message:
      "`items` is a list of schemas, which JSON Schema 2020-12 does not allow. Model APIs reject the schema.",
    fix: "Use an object with named properties instead of a tuple, or one schema for all elements.",
  }),
  // Reports names in `required` that are not in `properties`, which the Gemini API rejects.
  inputRule({
    id: "required-undefined",
    severity: "warning",
    title: "Required property is not declared",
    find: ({ schema, isPart }) => (isPart || isComposed(schema) ? undefined : filled(missingNames(schema))),
    place: ({ place }) => placeOf(place, "required"),
    message: (_, missing) =>
      `\`required\` names ${listNames(missing)}, which \`properties\` does not declare. The Gemini API rejects the schema.`,
    fix: "Declare the property, or remove its name from `required`.",
  }),
  // Reports properties and elements without a type, which some clients reject or drop.
  {
    id: "untyped-property",
    severity: "warning",
    title: "Property without a type",
    *check({ tools }) {
      for (const { schema, place, keyword, isPart } of tools.flatMap(({ inputNodes }) => inputNodes)) {
        if (isPart || (keyword !== "properties" && keyword !== "items")) continue;
        if (schema === false || isRestricted(schema)) continue;
        yield {
          place,
          message:
            "The schema does not declare a type. Some clients drop such a tool, and models guess what to send.",
          fix: "Declare the type. If different types are possible, list them in `anyOf`.",
        };
      }
    },
  },
  enumValues,
  invalidKeyword,
  schemaDialect,
  // Reports input schemas that are nested deeper than some model APIs allow.
  toolRule({
    id: "schema-depth",
    severity: "warning",
    title: "Deeply nested input schema",
    find: ({ inputNodes }) => inputNodes.find(({ depth }) => depth >= MAX_DEPTH),
    place: (_, deep) => deep.place,
    message: ({ inputNodes }) =>
      `The input schema is nested ${inputNodes.reduce((most, { depth }) => Math.max(most, depth), 0)} levels deep. Some model APIs reject ${MAX_DEPTH} levels and more.`,
    fix: "Flatten the arguments, or accept the nested part as JSON text.",
  }),
  // Reports tools with array arguments that have no `maxItems`. One finding per tool.
  toolRule({
    id: "unbounded-array",
    severity: "info",
    title: "Array without a maximum length",
    find: ({ inputNodes }) =>
      filled(inputNodes.filter(({ schema, keyword }) => !PARTIAL.includes(keyword) && isUnbounded(schema))),
    place: (_, [first]) => first.place,
    message: (_, found) =>
      `The array has no \`maxItems\`, so one call can carry any number of elements.${sameFor(found.length - 1, "array", " of this tool")}`,
    fix: 'Declare the largest number of elements that the handler accepts, such as `"maxItems": 100`.',
  }),
];

const COMBINATORS = ["oneOf", "anyOf", "allOf"];

function describeOther(schema: JsonObject | undefined, given: unknown): string {
  return schema === undefined ? kindOf(given) : "a schema with another type or none";
}

/** Returns true if the properties may be declared in another schema. */
function isComposed(schema: JsonObject): boolean {
  return ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties"].some(
    (keyword) => schema[keyword] !== undefined,
  );
}

function missingNames(schema: JsonObject): readonly string[] {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return [];
  const declared = isJsonObject(properties) ? properties : {};
  return (required as unknown[]).filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(declared, name),
  );
}

function isRestricted(schema: JsonObject | boolean): boolean {
  return typeof schema !== "boolean" && RESTRICTING.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that determine or imply a type. */
const RESTRICTING =
  /* @__PURE__ */ "type $ref $dynamicRef enum const anyOf oneOf allOf not if properties items prefixItems".split(
    " ",
  );

/** First number of levels below the top that is rejected. */
const MAX_DEPTH = 10;

function isUnbounded(schema: JsonObject | boolean): boolean {
  if (typeof schema === "boolean" || !typesOf(schema).includes("array")) return false;
  const isTuple = schema["prefixItems"] !== undefined && schema["items"] === false;
  // Different elements from a list of values cannot be more than the values.
  const isSelection =
    schema["uniqueItems"] === true && isJsonObject(schema["items"]) && schema["items"]["enum"] !== undefined;
  return schema["maxItems"] === undefined && schema["enum"] === undefined && !isTuple && !isSelection;
}

/** Keywords whose schemas may leave the maximum to another schema. */
const PARTIAL = ["allOf", "not", "if", "then", "else"];
