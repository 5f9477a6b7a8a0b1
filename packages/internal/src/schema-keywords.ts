/**
 * @fileoverview Keywords for walking a JSON Schema: those that hold data, and those that map names to schemas.
 * @module internal/schema-keywords
 */

/** Keywords whose values are data, even if they look like schemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "const",
  "default",
  "enum",
  "examples",
  "required",
  "dependentRequired",
  "$vocabulary",
]);

/** Keywords whose values map names to schemas. The names are not keywords. */
export const MAP_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
