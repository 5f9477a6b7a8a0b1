/**
 * @fileoverview Rule `invalid-keyword`: a keyword in a schema has a value that JSON Schema does not allow.
 * @module cli/doctor/rules/shapes/invalid-keyword
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { placeOf } from "../../facts/place.js";
import { isSchema } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports keywords whose values do not match the meta-schema of JSON Schema 2020-12. */
export const invalidKeyword: Rule = {
  id: "invalid-keyword",
  severity: "error",
  title: "Invalid JSON Schema",
  *check({ tools }) {
    // Model APIs check the whole schema, with definitions to which nothing refers.
    for (const { schema, place } of tools.flatMap(({ inputNodes, outputNodes, unusedNodes }) => [
      ...inputNodes,
      ...outputNodes,
      ...unusedNodes,
    ])) {
      if (typeof schema === "boolean") continue;
      for (const keyword of Object.keys(schema)) {
        const form = FORMS.get(keyword);
        const value = schema[keyword];
        if (form === undefined || form.allows(value)) continue;
        yield {
          place: placeOf(place, keyword),
          message: `\`${keyword}\` must be ${form.name}; got ${kindOf(value)}. Claude's API rejects every request with such a tool.`,
          fix: FIXES[keyword] ?? "Correct the value, or remove the keyword.",
        };
      }
    }
  },
};

/** Values that a keyword may have. */
interface Form {
  readonly name: string;
  readonly allows: (value: unknown) => boolean;
}

const isArrayOf = (allows: (one: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && (value as unknown[]).every(allows);
const isType = (value: unknown) =>
  ["string", "number", "integer", "boolean", "object", "array", "null"].includes(String(value));

const TYPE: Form = {
  name: "a JSON type, such as `string`, or a list of types",
  allows: (value) => (typeof value === "string" ? isType(value) : isArrayOf(isType)(value)),
};
const SCHEMA: Form = { name: "a schema", allows: isSchema };
/** `tuple-items` reports lists of schemas. */
const ITEMS: Form = { name: "a schema", allows: (value) => isSchema(value) || Array.isArray(value) };
const SCHEMAS: Form = {
  name: "a non-empty list of schemas",
  allows: (value) => isArrayOf(isSchema)(value) && (value as unknown[]).length > 0,
};
const NAMED_SCHEMAS: Form = {
  name: "an object with schemas as values",
  allows: (value) => isJsonObject(value) && Object.values(value).every(isSchema),
};
const NAMES: Form = {
  name: "a list of strings",
  allows: isArrayOf((one) => typeof one === "string"),
};
const LIST: Form = { name: "a list", allows: Array.isArray };
const NUMBER: Form = { name: "a number", allows: (value) => typeof value === "number" };
const COUNT: Form = {
  name: "a non-negative integer",
  allows: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const TEXT: Form = { name: "a string", allows: (value) => typeof value === "string" };
const BOOLEAN: Form = { name: "a boolean", allows: (value) => typeof value === "boolean" };

const KEYWORDS: readonly (readonly [Form, readonly string[]])[] = [
  [TYPE, ["type"]],
  [ITEMS, ["items"]],
  [SCHEMA, ["additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"]],
  [SCHEMAS, ["allOf", "anyOf", "oneOf", "prefixItems"]],
  [NAMED_SCHEMAS, ["properties", "patternProperties", "dependentSchemas", "$defs"]],
  [NAMES, ["required"]],
  [LIST, ["enum", "examples"]],
  [NUMBER, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  [COUNT, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]],
  [BOOLEAN, ["uniqueItems"]],
  [TEXT, ["pattern", "format", "title", "description", "$ref"]],
];
/** Form by keyword. */
const FORMS: ReadonlyMap<string, Form> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ KEYWORDS.flatMap(([form, keywords]) => keywords.map((keyword) => [keyword, form] as const)),
);

const FIXES: Readonly<Record<string, string>> = {
  required: "List the names of required properties in `required` of the object that contains them.",
  exclusiveMinimum: 'Write the limit itself, such as `"exclusiveMinimum": 0`, and remove `minimum`.',
  exclusiveMaximum: 'Write the limit itself, such as `"exclusiveMaximum": 100`, and remove `maximum`.',
  type: "Use string, number, integer, boolean, object, array, or null. Write files and dates as strings.",
};
